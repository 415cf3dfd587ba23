import { sql } from 'kysely';

import { transaction } from '../../platform/database/open.ts';
import type { Jobs, NewJob } from '../../platform/jobs/index.ts';
import type { ServiceDb } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import { dueTimes, type QueueTargets, targetsOf } from './due-times.ts';

// A change of a queue's targets or of business hours moves the due times of open tickets. Like other changes of what a
// ticket refers to, it changes no `updatedAt` and emits no event.

const DUE_TIMES = 'due-times';

interface Scope {
  workspaceId: string;
  /** Only the tickets of this queue. */
  queueId?: string;
}

/** Meanwhile, tickets that were opened with the former targets are stored. */
const DELAY_MS = 300;

export function dueTimesJob(scope: Scope): NewJob {
  return { queue: DUE_TIMES, orderingKey: scope.workspaceId, payload: { ...scope }, delayMs: DELAY_MS };
}

export function workDueTimes(jobs: Jobs<Tables>): void {
  const { db } = jobs.database;
  jobs.work<Scope>({
    queue: DUE_TIMES,
    concurrency: 1,
    handle: async (job) => {
      // It may be repeated from the start, so a process that stops in between loses nothing.
      for (let after: string | undefined = ''; after !== undefined;) {
        job.signal.throwIfAborted();
        after = await updateSome(db, job.payload, after);
      }
      await transaction(db, (tx) => job.complete(tx));
    },
  });
}

/** Tickets per transaction: it ends soon, and releases their locks. */
const AT_ONCE = 500;

/** Updates the next open tickets in the order of their ids; returns the last id, or undefined at the end. */
async function updateSome(
  db: ServiceDb,
  { workspaceId, queueId }: Scope,
  after: string,
): Promise<string | undefined> {
  return transaction(db, async (tx) => {
    const tickets = await tx
      .selectFrom('ticket')
      .select(['id', 'queue_id', 'priority', 'created_at'])
      .select(['responded_at', 'resolved_at', 'closed_at', 'archived_at'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '>', after)
      .where('resolved_at', 'is', null)
      .where('closed_at', 'is', null)
      .where('archived_at', 'is', null)
      .$if(queueId !== undefined, (rows) => rows.where('queue_id', '=', queueId ?? ''))
      .orderBy('id')
      .limit(AT_ONCE)
      .forNoKeyUpdate()
      .execute();
    const queues = new Map<string, QueueTargets>();
    for (const { queue_id: id } of tickets)
      if (!queues.has(id)) queues.set(id, await targetsOf(tx, workspaceId, id));
    const due = tickets.map((ticket) => ({
      id: ticket.id,
      ...dueTimes(queues.get(ticket.queue_id) ?? { targets: null, hours: null }, ticket),
    }));
    await sql`
      update ticket t set first_reply_due_at = d.first_reply_due_at, resolution_due_at = d.resolution_due_at
      from jsonb_to_recordset(${JSON.stringify(due)}::jsonb)
        as d (id text, first_reply_due_at timestamptz, resolution_due_at timestamptz)
      where t.workspace_id = ${workspaceId} and t.id = d.id and (t.first_reply_due_at, t.resolution_due_at)
        is distinct from (d.first_reply_due_at, d.resolution_due_at)`.execute(tx);
    return tickets.length < AT_ONCE ? undefined : tickets.at(-1)?.id;
  });
}
