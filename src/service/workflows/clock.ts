import { type Selectable } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import { type Clock, clockWork, type Idle, idleWork } from '../workflow-config/kinds.ts';
import { outputsOf } from './actions/tickets.ts';
import { readFacts } from './facts.ts';
import { isStillIdle, lookAtTickets, takeIdle } from './idle.ts';
import { setNext } from './matching.ts';
import { readWorkflow } from './runs.ts';
import { nextDue } from './schedule.ts';
import { type StartContext, startTriggered } from './start.ts';

/** A trigger by time is looked at that often. */
const LOOK_MS = 60_000;
/** Runs that one trigger starts at a look; the rest waits for the next ones. */
const AT_ONCE = 200;

type TimeTrigger = Pick<
  Selectable<Tables['workflow_trigger']>,
  'event' | 'inputs' | 'counts_from' | 'looked_at' | 'next_at'
> &
  Pick<Selectable<Tables['workflow']>, 'version' | 'queue_ids'>;

/** Looks at a trigger by time, starts what is due, and plans the next look. */
export async function workClock(tx: ServiceTx, context: StartContext, clock: Clock): Promise<void> {
  const trigger = await readTrigger(tx, clock);
  // Its workflow is not Active any more, or has another trigger.
  if (!trigger) return;
  const { now, outbox } = context;
  if (trigger.event === 'schedule.due') return workSchedule(tx, context, clock, trigger);
  const { looked_at: lookedAt } = trigger;
  await lookAtTickets(tx, clock, idleTriggerOf(clock, trigger), { now, lookedAt, isDue: true });
  for (const { ticketId, since } of await takeIdle(tx, clock, AT_ONCE))
    outbox.plan(idleWork({ ...clock, ticketId, since: since.toISOString() }));
  outbox.plan(clockWork(clock, LOOK_MS));
}

/** Starts the run of a schedule that is due: of several times that were missed, the latest one. */
async function workSchedule(
  tx: ServiceTx,
  context: StartContext,
  clock: Clock,
  { inputs, next_at: stored, version }: TimeTrigger,
): Promise<void> {
  const { now, outbox } = context;
  let due: Date | undefined;
  let next = stored ?? nextDue(inputs, now);
  for (; next <= now; next = nextDue(inputs, next)) due = next;
  outbox.plan(clockWork(clock, next.getTime() - now.getTime()));
  if (!due) return;
  const { workspaceId, workflowId, stepId } = clock;
  await setNext(tx, clock, next);
  await startTriggered(tx, context, {
    workspaceId,
    workflow: await readWorkflow(tx, workspaceId, workflowId, version),
    version,
    stepId,
    ticketId: null,
    eventId: `schedule ${due.toISOString()}`,
    chain: [],
    outputs: { at: due.toISOString() },
  });
}

/** Starts the run of a ticket whose time is up, unless something has happened meanwhile. */
export async function workIdle(tx: ServiceTx, context: StartContext, idle: Idle): Promise<void> {
  const { workspaceId, workflowId, stepId, ticketId, since } = idle;
  const stored = await readTrigger(tx, idle);
  if (!stored) return;
  const at = { id: ticketId, since: new Date(since), now: context.now };
  // Those that matched when it was activated count from before.
  const { countsFrom: _, ...trigger } = idleTriggerOf(idle, stored);
  if (!(await isStillIdle(tx, trigger, at))) return;
  const { ticket } = await readFacts(tx, { workspaceId, id: ticketId }, context.now);
  const workflow = await readWorkflow(tx, workspaceId, workflowId, stored.version);
  await startTriggered(tx, context, {
    workspaceId,
    workflow,
    version: stored.version,
    stepId,
    ticketId,
    eventId: `idle ${ticketId} ${since}`,
    chain: [],
    outputs: { ...outputsOf(ticket), at: context.now.toISOString(), since },
  });
}

function idleTriggerOf(
  { workspaceId }: Pick<Clock, 'workspaceId'>,
  { inputs, queue_ids: queueIds, counts_from: countsFrom }: TimeTrigger,
) {
  return { workspaceId, queueIds, inputs, countsFrom };
}

/** Returns a trigger of an Active workflow, with the version that it starts. */
async function readTrigger(
  tx: ServiceTx,
  { workspaceId, workflowId, stepId }: Clock,
): Promise<TimeTrigger | undefined> {
  return tx
    .selectFrom('workflow_trigger as g')
    .innerJoin('workflow as w', (join) =>
      join.onRef('w.workspace_id', '=', 'g.workspace_id').onRef('w.id', '=', 'g.workflow_id'),
    )
    .select(['g.event', 'g.inputs', 'g.counts_from', 'g.looked_at', 'g.next_at', 'w.version', 'w.queue_ids'])
    .where('g.workspace_id', '=', workspaceId)
    .where('g.workflow_id', '=', workflowId)
    .where('g.step_id', '=', stepId)
    .where('w.state', '=', 'Active')
    .executeTakeFirst();
}
