import type { ServiceTx } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import type { StoredTicket } from './find.ts';
import { codeOf } from './records.ts';

/**
 * Throws 422 for a change of visibility by which a later message for a merged ticket could become public: a merged ticket
 * keeps its own, and a ticket stays private while private ones are merged into it.
 */
export async function requireVisibilityOfMerged(
  tx: ServiceTx,
  before: StoredTicket,
  isPrivate: boolean | null | undefined,
): Promise<void> {
  if (typeof isPrivate !== 'boolean' || isPrivate === before.private) return;
  if (before.merged_into_id !== null)
    throw unprocessable(
      'data.private',
      'This ticket was merged into another one. Change the visibility of that one.',
    );
  if (isPrivate) return;
  const merged = await tx
    .selectFrom('ticket as t')
    .innerJoin('queue as q', (join) =>
      join.onRef('q.workspace_id', '=', 't.workspace_id').onRef('q.id', '=', 't.queue_id'),
    )
    .select(['q.prefix', 't.number'])
    .where('t.workspace_id', '=', before.workspace_id)
    .where('t.merged_into_id', '=', before.id)
    .where('t.private', '=', true)
    .executeTakeFirst();
  if (merged)
    throw unprocessable(
      'data.private',
      `The private ticket ${codeOf(merged.prefix, merged.number)} was merged into this one. Reopen it first.`,
    );
}
