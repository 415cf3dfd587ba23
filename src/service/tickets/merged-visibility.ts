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

/** Returns whether whoever reads the tickets of a queue that are not private reads those of another one. */
export async function haveSameReaders(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
  otherId: string,
): Promise<boolean> {
  if (queueId === otherId) return true;
  const { rows } = await sql`
    select from queue q join queue other on other.workspace_id = q.workspace_id and other.visibility = q.visibility
    where q.workspace_id = ${workspaceId} and q.id = ${queueId} and other.id = ${otherId} and q.visibility <> 'team'`.execute(
    tx,
  );
  return rows.length > 0;
}
