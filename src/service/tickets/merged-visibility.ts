import { type RawBuilder, sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import type { StoredTicket } from './find.ts';
import { codeOf } from '../ticket-code.ts';

/**
 * Throws 422 for a change by which others could read a later message for a merged ticket: a merged ticket keeps its
 * visibility, and a ticket stays private while private ones are merged into it; both stay among the same readers.
 */
export async function requireVisibilityOfMerged(
  tx: ServiceTx,
  before: StoredTicket,
  {
    private: isPrivate,
    queueId,
  }: { private?: boolean | null | undefined; queueId?: string | null | undefined },
): Promise<void> {
  const isChanged = typeof isPrivate === 'boolean' && isPrivate !== before.private;
  if (isChanged && before.merged_into_id !== null)
    throw unprocessable(
      'data.private',
      'This ticket was merged into another one. Change the visibility of that one.',
    );
  if (isChanged && !isPrivate) {
    const merged = await mergedInto(tx, before, sql`t.private`);
    if (merged)
      throw unprocessable(
        'data.private',
        `The private ticket ${merged} was merged into this one. Reopen it first.`,
      );
  }
  if (!queueId || (await haveSameReaders(tx, before.workspace_id, before.queue_id, queueId))) return;
  if (before.merged_into_id !== null)
    throw unprocessable(
      'data.queueId',
      'This ticket was merged into another one, which other people would read. Reopen it first.',
    );
  const merged = await mergedInto(tx, before, sql`true`);
  if (merged)
    throw unprocessable(
      'data.queueId',
      `Other people read the tickets of that queue, and ${merged} was merged into this one. Reopen it first.`,
    );
}

/** Returns the reference of a ticket of such a kind that was merged into this one. */
async function mergedInto(
  tx: ServiceTx,
  { workspace_id, id }: StoredTicket,
  condition: RawBuilder<unknown>,
): Promise<string | undefined> {
  const { rows } = await sql<{ prefix: string; number: number }>`
    select q.prefix, t.number from ticket t
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    where t.workspace_id = ${workspace_id} and t.merged_into_id = ${id} and ${condition}
    limit 1`.execute(tx);
  const [merged] = rows;
  return merged && codeOf(merged.prefix, merged.number);
}

/** Whoever reads the tickets of a queue `q` that are not private reads those of another one, `other`. */
const areReadersSame = sql<boolean>`(other.visibility = q.visibility and q.visibility <> 'team')`;

/**
 * Returns whether whoever reads the tickets of a queue that are not private reads those of another one. It stays so
 * until the transaction ends.
 */
export async function haveSameReaders(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
  otherId: string,
): Promise<boolean> {
  if (queueId === otherId) return true;
  await sql`select pg_advisory_xact_lock_shared(${readersLock(workspaceId)})`.execute(tx);
  const { rows } = await sql`
    select from queue q join queue other on other.workspace_id = q.workspace_id
    where q.workspace_id = ${workspaceId} and q.id = ${queueId} and other.id = ${otherId} and ${areReadersSame}`.execute(
    tx,
  );
  return rows.length > 0;
}

/**
 * Waits for merges and moves, and holds off others, until the visibility of a queue is changed. No lock of the queue's
 * row: moves write it, so two that only compared it would wait for each other. Take it before every row lock.
 */
export async function lockReaders(tx: ServiceTx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${readersLock(workspaceId)})`.execute(tx);
}

const readersLock = (workspaceId: string) => sql`hashtextextended(${`readers of queues ${workspaceId}`}, 0)`;

/** So many of the tickets that are in the way are named. */
const NAMED = 3;

/**
 * Throws 422 if tickets of a queue whose visibility was just changed are merged with those of a queue with other
 * readers, in either direction: later messages for one of them would reach the readers of the other.
 */
export async function requireReadersOfMerged(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
): Promise<void> {
  const { rows } = await sql<{ code: string; into: string; count: number }>`
    select q.prefix || '-' || t.number as code, other.prefix || '-' || target.number as into,
      (count(*) over ())::int as count
    from ticket t
    join ticket target on target.workspace_id = t.workspace_id and target.id = t.merged_into_id
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    join queue other on other.workspace_id = t.workspace_id and other.id = target.queue_id
    where t.workspace_id = ${workspaceId} and ${queueId} in (q.id, other.id) and q.id <> other.id
      and not ${areReadersSame}
    order by t.created_at, t.id limit ${NAMED}`.execute(tx);
  const [first] = rows;
  if (!first) return;
  const named = rows.map(({ code, into }) => `${code} into ${into}`);
  const more = first.count > rows.length ? [`${first.count - rows.length} more`] : [];
  throw unprocessable(
    'visibility',
    `Tickets of this queue are merged with tickets that would have other readers: ${listOf([...named, ...more])}. Reopen the merged ones, or move them to the queue of the other ticket, and try again.`,
  );
}

const listOf = (parts: readonly string[]) => new Intl.ListFormat('en').format(parts);
