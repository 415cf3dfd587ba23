import { type Selectable, sql } from 'kysely';

import type { Log } from '../../platform/log.ts';
import { writeAudit } from '../audit/write.ts';
import type { ServiceTx } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import type { TicketKey } from '../tickets/find.ts';
import { mayHandle } from './access.ts';
import { authorOf } from './authors.ts';
import { outputsOf } from './actions/tickets.ts';
import { readFacts } from './facts.ts';
import type { FlowStep } from '../workflow-config/flow.ts';
import {
  CHAIN_ENDS,
  type ChangeEvent,
  LONGEST_CHAIN,
  stepWork,
  TIME_TRIGGERS,
} from '../workflow-config/kinds.ts';
import { tellOfWorkflow } from './notices.ts';
import { unpublish } from './publish.ts';
import { type NewRun, readWorkflow, refuseRun, type RunContext, startRun } from './runs.ts';
import { isTriggered, type Occurrence, startsOnOwnChanges } from './triggers.ts';

/**
 * A workflow of which changes start more runs a minute than this is paused: it starts itself, or floods a queue. Triggers by
 * time are looked at once a minute, and start a limited number of runs each time, so theirs do not count.
 */
export const RUNS_PER_MINUTE = 300;
const MINUTE_MS = 60_000;

export interface StartContext extends RunContext {
  log: Log;
}

/** Lets the runs go on that wait for a change, and starts those that it triggers. */
export async function workEvent(tx: ServiceTx, context: StartContext, event: ChangeEvent): Promise<void> {
  const ticket: TicketKey = { workspaceId: event.workspaceId, id: event.ticketId };
  await wakeWaiting(tx, context, event);
  const triggers = await triggersFor(tx, event);
  if (triggers.length === 0) return;
  const from = event.messageId === null ? undefined : await authorOf(tx, ticket, event.messageId);
  const { ticket: record, facts } = await readFacts(tx, ticket, context.now);
  const { events, fields, values } = event;
  const occurrence: Occurrence = { events, fields, values, from, ticket: facts };
  for (const { workflow_id, version, step_id, event: name, inputs } of triggers) {
    if (event.chain.includes(workflow_id) && !startsOnOwnChanges(inputs)) continue;
    if (!isTriggered({ name, inputs }, occurrence)) continue;
    const outputs = { ...outputsOf(record), at: event.at, ...(await moreOutputs(tx, ticket, event, name)) };
    await startTriggered(tx, context, {
      workspaceId: event.workspaceId,
      workflow: await readWorkflow(tx, event.workspaceId, workflow_id, version),
      version,
      stepId: step_id,
      ticketId: event.ticketId,
      eventId: event.eventId,
      chain: event.chain,
      outputs,
    });
  }
}

/** Starts what a trigger was waiting for, if its workflow may read the ticket and neither it nor its chain starts too much. */
export async function startTriggered(
  tx: ServiceTx,
  context: StartContext,
  { stepId, ...started }: Omit<NewRun, 'trigger' | 'startedBy'> & { stepId: string },
): Promise<void> {
  const { workspaceId, workflow, ticketId, chain } = started;
  const trigger = workflow.flow.steps.find(({ id }) => id === stepId);
  if (!trigger) return;
  const run: NewRun = { ...started, trigger, startedBy: null };
  // A schedule has no ticket, and begins its chain.
  if (ticketId !== null) {
    if (!(await mayHandle(tx, workflow.queueIds, { workspaceId, id: ticketId }))) return;
    if (!isByTime(trigger) && (await pauseIfFlooding(tx, context, { ...started, ticketId }))) return;
    if (chain.length >= LONGEST_CHAIN) return endChain(tx, context, run, ticketId);
  }
  await startRun(tx, context, run);
}

/** Says that a chain ends here: in the runs of the workflow, and once of each version to its author and the admins. */
async function endChain(tx: ServiceTx, context: StartContext, run: NewRun, ticketId: string): Promise<void> {
  const { workspaceId, workflow, version } = run;
  await refuseRun(tx, context, run, CHAIN_ENDS);
  await tellOfWorkflow(tx, context, {
    kind: 'workflow-chain-ended',
    workspaceId,
    workflowId: workflow.id,
    ticketId,
    sourceId: `${workflow.id} ${version}`,
  });
  context.log.warn({ workspaceId, workflowId: workflow.id }, 'a chain of workflows ended');
}

/**
 * A change of a child is one for the runs that wait for the children of its parent; a reply is also one to the tickets
 * that were merged into its own.
 */
async function wakeWaiting(tx: ServiceTx, { outbox }: StartContext, event: ChangeEvent): Promise<void> {
  const { workspaceId, ticketId, parentIds, messageId, events } = event;
  const { rows } = await sql<{ run_id: string; step_id: string }>`
    select run_id, step_id from workflow_wait where workspace_id = ${workspaceId} and (
      (event = 'reply' and ${messageId !== null} and ticket_id = any(array(
        select id from ticket
        where workspace_id = ${workspaceId} and (id = ${ticketId} or merged_into_id = ${ticketId}))))
      or (ticket_id = ${ticketId} and event = 'decision' and ${events.includes('approval.decided')})
      or (ticket_id = any(${[ticketId, ...parentIds]}::text[]) and event = 'children'))
    order by run_id, step_id`.execute(tx);
  for (const { run_id: runId, step_id: stepId } of rows)
    outbox.plan(stepWork({ workspaceId, runId, stepId, messageId }));
}

type StoredTrigger = Omit<
  Selectable<Tables['workflow_trigger']>,
  'workspace_id' | 'counts_from' | 'looked_at' | 'next_at'
> & {
  version: number;
};

/** Returns the triggers for an event, of workflows that were Active when it happened. */
async function triggersFor(
  tx: ServiceTx,
  { workspaceId, events, activation }: ChangeEvent,
): Promise<StoredTrigger[]> {
  return tx
    .selectFrom('workflow_trigger as g')
    .innerJoin('workflow as w', (join) =>
      join.onRef('w.workspace_id', '=', 'g.workspace_id').onRef('w.id', '=', 'g.workflow_id'),
    )
    .select(['g.workflow_id', 'g.step_id', 'g.event', 'g.inputs', 'w.version'])
    .where('g.workspace_id', '=', workspaceId)
    .where('g.event', 'in', events)
    .where('w.state', '=', 'Active')
    .where('w.activation', '<=', activation)
    .orderBy('g.workflow_id')
    .orderBy('g.step_id')
    .execute();
}

/** Returns the outputs of a trigger besides those of its ticket. */
async function moreOutputs(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  { messageId }: ChangeEvent,
  name: string,
): Promise<Record<string, unknown>> {
  if (name === 'message.created' && messageId !== null) {
    const message = await tx
      .selectFrom('ticket_message')
      .select(['content', 'author_id'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', messageId)
      .executeTakeFirst();
    return { messageId, content: message?.content ?? null, userId: message?.author_id ?? null };
  }
  if (name === 'ticket.rated') {
    const rating = await tx
      .selectFrom('csat')
      .select(['score', 'feedback'])
      .where('workspace_id', '=', workspaceId)
      .where('ticket_id', '=', id)
      .orderBy('updated_at', 'desc')
      .executeTakeFirst();
    return { ...rating };
  }
  if (name === 'approval.decided') {
    const { approval } = await tx
      .selectFrom('ticket')
      .select('approval')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return approval ? { decision: approval.decision, userId: approval.userId, reason: approval.reason } : {};
  }
  return {};
}

/** Returns whether a trigger starts runs at a time, and not by a change. */
const isByTime = ({ action }: FlowStep): boolean => TIME_TRIGGERS.some((name) => name === action.name);

/** Pauses a workflow of which changes have started too many runs in the last minute; returns whether it is paused. */
async function pauseIfFlooding(
  tx: ServiceTx,
  { newId, now, log }: StartContext,
  {
    workspaceId,
    workflow,
    ticketId,
    eventId,
  }: Pick<NewRun, 'workspaceId' | 'workflow' | 'eventId'> & { ticketId: string },
): Promise<boolean> {
  const byTime = workflow.flow.steps.filter(isByTime).map(({ id }) => id);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from workflow_run where workspace_id = ${workspaceId} and workflow_id = ${workflow.id}
        and trigger_step_id <> all(${byTime}::text[])
        and created_at > ${new Date(now.getTime() - MINUTE_MS)} and created_at <= ${now}
        limit ${RUNS_PER_MINUTE}) recent`.execute(tx);
  if ((rows[0]?.count ?? 0) < RUNS_PER_MINUTE) return false;
  const reason = `It started more than ${RUNS_PER_MINUTE} runs within a minute, so it was paused. Check its triggers, then activate it again.`;
  const paused = await tx
    .updateTable('workflow')
    .set({ state: 'Draft', state_reason: reason, activation: null, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', workflow.id)
    .where('state', '=', 'Active')
    .returning('id')
    .executeTakeFirst();
  if (!paused) return true;
  await unpublish(tx, { workspaceId, id: workflow.id });
  const entry = { workspaceId, action: 'workflow.paused', subjectId: workflow.id, reason } as const;
  await writeAudit(tx, { newId, now }, entry);
  await tellOfWorkflow(
    tx,
    { newId, now },
    { kind: 'workflow-paused', workspaceId, workflowId: workflow.id, ticketId, sourceId: eventId },
  );
  log.warn({ workspaceId, workflowId: workflow.id }, 'workflow paused');
  return true;
}
