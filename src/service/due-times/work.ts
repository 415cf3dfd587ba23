import { sql } from 'kysely';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/database/open.ts';
import { type NewWork, workFor, workKind } from '../../platform/engine/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import { ownCaller } from '../own-caller.ts';
import { CLASSES, type ServiceEngine } from '../work.ts';
import { storeChanges } from '../tickets/activity.ts';
import {
  type DueTimes,
  dueTimes,
  type DueWarning,
  type QueueTargets,
  readQueueTargets,
  type Timed,
  warningsOf,
} from '../tickets/due-times.ts';
import { recordWarnings } from '../warnings/records.ts';
import { nextStamp } from '../tickets/find.ts';
import type { StatusKind } from '../tickets/statuses.ts';
import { recordStop, stopReason, type StopJson, stopsJson, toStop } from '../tickets/stops.ts';

// A change of a queue's targets or of business hours moves the due times of open tickets, and so does a new version
// that counts otherwise. Like other changes of what a ticket refers to, it changes no `updatedAt` and emits no event.

const ScopeBody = z.object({
  workspaceId: z.string(),
  /** Only the tickets of this queue. */
  queueId: z.string().optional(),
  /** The warnings, or whether there are any, have changed as well. */
  warnings: z.boolean().optional(),
});
type Scope = z.infer<typeof ScopeBody>;
const DUE_TIMES = workKind('due-times', CLASSES.dueTimes, ScopeBody);

/** Meanwhile, tickets that were opened with the former targets are stored. */
const DELAY_MS = 300;

export function dueTimesWork(scope: Scope): NewWork {
  return workFor(DUE_TIMES, scope.workspaceId, scope, { delayMs: DELAY_MS });
}

interface Working {
  engine: ServiceEngine;
  db: ServiceDb;
  clock: Clock;
  newId: NewId;
}

export function workDueTimes({ engine, db, clock, newId }: Working): void {
  engine.handle(DUE_TIMES, {
    work: async ({ body: scope, signal }) => {
      // It may be repeated from the start, so a process that stops in between loses nothing.
      for (let after: string | undefined = ''; after !== undefined;) {
        signal.throwIfAborted();
        after = await updateSome(db, scope, after, { newId, now: clock.now() });
      }
      return { outcome: 'worked out' };
    },
  });
}

/** Tickets per transaction: it ends soon, and releases their locks. */
const AT_ONCE = 500;

interface Row extends Timed, Pick<DueTimes, 'first_reply_due_at' | 'resolution_due_at' | 'sla_paused_at'> {
  id: string;
  queue_id: string;
  stamped_at: Date;
  kind: StatusKind;
  stops: StopJson[];
}

/** The columns that are written to a ticket. */
interface Recomputed extends DueTimes {
  id: string;
  stamped_at: Date;
}

/** Updates the next open tickets in the order of their ids; returns the last id, or undefined at the end. */
async function updateSome(
  db: ServiceDb,
  scope: Scope,
  after: string,
  { newId, now }: { newId: NewId; now: Date },
): Promise<string | undefined> {
  return transaction(db, async (tx) => {
    const { workspaceId } = scope;
    const tickets = await lockOpen(tx, scope, after);
    const queues = new Map<string, QueueTargets>();
    const recomputed: Recomputed[] = [];
    for (const ticket of tickets) {
      const key = { workspaceId, id: ticket.id };
      const queue = queues.get(ticket.queue_id) ?? (await readQueueTargets(tx, workspaceId, ticket.queue_id));
      queues.set(ticket.queue_id, queue);
      const stamp = nextStamp(ticket, now);
      const before = ticket.stops.map(toStop);
      const stops = await recordStop(tx, key, before, stopReason(ticket, ticket.kind, queue), stamp);
      const due = dueTimes(queue, ticket, stops);
      const isSwitched = (before.at(-1)?.to === null) !== (stops.at(-1)?.to === null);
      if (isSwitched) await recordPause(tx, key, { newId, at: stamp }, ticket, due);
      if (scope.warnings || isMoved(ticket, due))
        await skipWarnings(tx, key, warningsOf(queue, ticket, stops), { newId, now });
      recomputed.push({ id: ticket.id, ...due, stamped_at: isSwitched ? stamp : ticket.stamped_at });
    }
    await write(tx, workspaceId, recomputed);
    return tickets.length < AT_ONCE ? undefined : tickets.at(-1)?.id;
  });
}

function isMoved(before: Row, after: DueTimes): boolean {
  return (
    before.first_reply_due_at?.getTime() !== after.first_reply_due_at?.getTime() ||
    before.resolution_due_at?.getTime() !== after.resolution_due_at?.getTime()
  );
}

/**
 * Nobody is told of what a change of targets, of hours or of the version put into the past, for many tickets at once.
 */
async function skipWarnings(
  tx: ServiceTx,
  ticket: { workspaceId: string; id: string },
  warnings: readonly DueWarning[],
  { newId, now }: { newId: NewId; now: Date },
): Promise<void> {
  const past = warnings.filter(({ at }) => at <= now);
  await recordWarnings(tx, ticket, past, { newId, now, isSilent: () => true });
}

async function lockOpen(tx: ServiceTx, { workspaceId, queueId }: Scope, after: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select t.id, t.queue_id, t.priority, t.created_at, t.responded_at, t.resolved_at, t.closed_at, t.archived_at,
      t.stamped_at, t.usual_reply_minutes, t.first_reply_due_at, t.resolution_due_at, t.sla_paused_at, ${stopsJson} as stops,
      (select g.kind from status s
        join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
        where s.workspace_id = t.workspace_id and s.id = t.status_id) as kind
    from ticket t
    where t.workspace_id = ${workspaceId} and t.id > ${after}
      and t.resolved_at is null and t.closed_at is null and t.archived_at is null
      ${queueId === undefined ? sql`` : sql`and t.queue_id = ${queueId}`}
    order by t.id limit ${AT_ONCE} for no key update of t`.execute(tx);
  return rows;
}

/** The queue's switch paused the ticket's targets, or let them go on. */
async function recordPause(
  tx: ServiceTx,
  ticket: { workspaceId: string; id: string },
  { newId, at }: { newId: NewId; at: Date },
  before: Pick<DueTimes, 'sla_paused_at'>,
  after: Pick<DueTimes, 'sla_paused_at'>,
): Promise<void> {
  const [from, to] = [before, after].map(({ sla_paused_at: since }) => since?.toISOString() ?? null);
  if (from === undefined || to === undefined || from === to) return;
  const caller = ownCaller(ticket.workspaceId, 'SYSTEM');
  await storeChanges(tx, { tools: { newId }, caller }, { ticket, at }, [
    { kind: 'changed', field: 'slaPausedAt', from, to },
  ]);
}

async function write(tx: ServiceTx, workspaceId: string, recomputed: readonly Recomputed[]): Promise<void> {
  await sql`
    update ticket t set first_reply_due_at = d.first_reply_due_at, resolution_due_at = d.resolution_due_at,
      sla_paused_at = d.sla_paused_at, warn_at = d.warn_at, expected_reply_at = d.expected_reply_at, stamped_at = d.stamped_at
    from jsonb_to_recordset(${JSON.stringify(recomputed)}::jsonb)
      as d (id text, first_reply_due_at timestamptz, resolution_due_at timestamptz, sla_paused_at timestamptz,
        warn_at timestamptz, expected_reply_at timestamptz, stamped_at timestamptz)
    where t.workspace_id = ${workspaceId} and t.id = d.id
      and (t.first_reply_due_at, t.resolution_due_at, t.sla_paused_at, t.warn_at, t.expected_reply_at, t.stamped_at)
        is distinct from (d.first_reply_due_at, d.resolution_due_at, d.sla_paused_at, d.warn_at, d.expected_reply_at, d.stamped_at)`.execute(
    tx,
  );
}
