import { LIMITS } from '../../contract/index.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { conflict, unprocessable } from '../problem.ts';
import { type Content, flowOf } from '../workflow-config/flow.ts';
import { type Clock, clockWork, TIME_TRIGGERS } from '../workflow-config/kinds.ts';
import { countIdle, IdleInputs, lookAtTickets } from './idle.ts';
import { freshTriggers } from './publish.ts';
import { nextDue } from './schedule.ts';
import { storedTriggers } from './triggers.ts';

// Tickets that match a trigger by time before it begins to count: they are included only if somebody confirms how many.

interface Counting {
  workspaceId: string;
  id: string;
  queueIds: readonly string[] | null;
  now: Date;
}

/** Counts the tickets that match already what is to be activated, up to one more than can be included. */
export async function countMatching(
  db: ServiceDb,
  { workspaceId, id, queueIds, now }: Counting,
  content: Content,
): Promise<number> {
  let count = 0;
  for (const { event, inputs } of await freshTriggers(
    db,
    { workspaceId, id },
    storedTriggers(flowOf(content)),
  ))
    if (event === 'ticket.idle' && IdleInputs.safeParse(inputs).success)
      count += await countIdle(db, { workspaceId, queueIds, inputs }, now, LIMITS.matchingTickets + 1);
  return Math.min(count, LIMITS.matchingTickets + 1);
}

/**
 * Throws unless no more tickets match than were confirmed.
 * @throws 422 if there are more than can be included, 409 if more than the number that was given.
 */
export async function requireConfirmed(
  db: ServiceDb,
  counting: Counting,
  content: Content,
  confirmed: number,
): Promise<void> {
  const count = await countMatching(db, counting, content);
  if (count > LIMITS.matchingTickets)
    throw unprocessable(
      'includeMatching',
      `More than ${LIMITS.matchingTickets} tickets match already. Narrow the trigger down, or leave them out`,
    );
  if (count > confirmed)
    throw conflict(
      `${count} tickets match already, not ${confirmed}. Confirm that number, or leave them out.`,
    );
}

/** Begins to count for the triggers by time that count from now on. */
export async function beginTimes(
  tx: ServiceTx,
  { workspaceId, id: workflowId, queueIds, now }: Counting,
  { isIncluded, outbox }: { isIncluded: boolean; outbox: Outbox },
): Promise<void> {
  const triggers = await tx
    .selectFrom('workflow_trigger')
    .select(['step_id as stepId', 'event', 'inputs'])
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', workflowId)
    .where('event', 'in', [...TIME_TRIGGERS])
    .where('counts_from', '=', now)
    .orderBy('step_id')
    .execute();
  for (const { stepId, event, inputs } of triggers) {
    const clock = { workspaceId, workflowId, stepId };
    if (event === 'ticket.idle')
      await lookAtTickets(
        tx,
        clock,
        { workspaceId, queueIds, inputs },
        { now, lookedAt: null, isDue: isIncluded },
      );
    else await setNext(tx, clock, nextDue(inputs, now));
    outbox.plan(clockWork(clock));
  }
}

/** Stores when a schedule is due next. */
export async function setNext(
  tx: ServiceTx,
  { workspaceId, workflowId, stepId }: Clock,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('workflow_trigger')
    .set({ next_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', workflowId)
    .where('step_id', '=', stepId)
    .execute();
}

/** Lets the triggers by time of a workflow count from now on: it reads other tickets than before. */
export async function countFromNow(tx: ServiceTx, { workspaceId, id, now }: Counting): Promise<void> {
  await tx
    .updateTable('workflow_trigger')
    .set({ counts_from: now })
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', id)
    .where('event', 'in', [...TIME_TRIGGERS])
    .execute();
}
