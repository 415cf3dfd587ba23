import { conflict, unprocessable } from '../problem.ts';
import type { ServiceTx } from '../handler.ts';
import type { TicketKey } from '../tickets/find.ts';
import { mayHandle } from './access.ts';
import { outputsOf } from './actions/tickets.ts';
import { readFacts } from './facts.ts';
import { CHAIN_ENDS, LONGEST_CHAIN } from '../workflow-config/kinds.ts';
import { workflowRecords } from './records.ts';
import { readWorkflow, type RunContext, startRun } from './runs.ts';
import { isTriggered, startsOnOwnChanges } from './triggers.ts';

interface ByHand {
  workflowId: string;
  ticket: TicketKey;
  /** The request, or the step of another run: each starts one run. */
  eventId: string;
  /** The workflows whose runs led to it. */
  chain: readonly string[];
  startedBy: string | null;
}

/**
 * Starts a run of an Active workflow on a ticket, by its trigger for that. Returns its id, also if the same request or step
 * has started it before.
 * @throws 409 if it does not run, or not here; 422 if the workflow may not read the ticket.
 */
export async function startByHand(
  tx: ServiceTx,
  context: RunContext,
  { workflowId, ticket, eventId, chain, startedBy }: ByHand,
): Promise<string> {
  const { workspaceId } = ticket;
  const before = await startedBefore(tx, { workflowId, ticket, eventId });
  if (before !== undefined) return before;
  const [record] = await workflowRecords(tx, [workspaceId], [workflowId]);
  if (record?.state !== 'Active') throw conflict('Only an Active workflow runs. Activate it first.');
  const { version } = record;
  const workflow = await readWorkflow(tx, workspaceId, workflowId, version);
  if (!(await mayHandle(tx, workflow.queueIds, ticket)))
    throw unprocessable('ticketId', 'There is no such ticket, or the workflow may not read it');
  const { ticket: detail, facts } = await readFacts(tx, ticket, context.now);
  const occurrence = { events: ['ticket.run'], fields: [], from: undefined, ticket: facts } as const;
  const trigger = workflow.flow.steps.find(({ action: { name }, inputs }) =>
    isTriggered({ name, inputs }, occurrence),
  );
  if (!trigger)
    throw conflict('This workflow has no trigger for runs by hand, or none for the queue of this ticket.');
  if (chain.includes(workflowId) && !startsOnOwnChanges(trigger.inputs))
    throw conflict('This workflow led to this run itself, so it is not run again.');
  if (chain.length >= LONGEST_CHAIN) throw conflict(CHAIN_ENDS);
  const runId = await startRun(tx, context, {
    workspaceId,
    workflow,
    version,
    trigger,
    ticketId: ticket.id,
    eventId,
    chain,
    startedBy,
    outputs: { ...outputsOf(detail), at: context.now.toISOString() },
  });
  // Or another request with this key has just started it.
  const started = runId ?? (await startedBefore(tx, { workflowId, ticket, eventId }));
  if (started === undefined) throw conflict('The key of this request has started a run on another ticket.');
  return started;
}

async function startedBefore(
  tx: ServiceTx,
  { workflowId, ticket, eventId }: Pick<ByHand, 'workflowId' | 'ticket' | 'eventId'>,
): Promise<string | undefined> {
  const run = await tx
    .selectFrom('workflow_run')
    .select('id')
    .where('workspace_id', '=', ticket.workspaceId)
    .where('workflow_id', '=', workflowId)
    .where('ticket_id', '=', ticket.id)
    .where('event_id', '=', eventId)
    .executeTakeFirst();
  return run?.id;
}
