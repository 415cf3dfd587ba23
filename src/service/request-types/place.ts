import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';

/**
 * Checks that a request type may be in a collection: 422 if that is not a collection, or is itself below the request
 * type. Moves are serialized, or two at once could make a cycle.
 */
export async function checkPlace(
  tx: ServiceTx,
  workspaceId: string,
  id: string,
  parentId: string,
  path: string,
): Promise<void> {
  await lockPlaces(tx, workspaceId);
  await requireIds(tx, 'request_type', workspaceId, [parentId], path);
  const { type } = await tx
    .selectFrom('request_type')
    .select('type')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', parentId)
    .executeTakeFirstOrThrow();
  if (type !== 'collection') throw unprocessable(path, 'Only a collection may hold others');
  const circle = await sql`
    with recursive above as (
      select id, parent_id from request_type where workspace_id = ${workspaceId} and id = ${parentId}
      union
      select r.id, r.parent_id from request_type r join above on r.id = above.parent_id
      where r.workspace_id = ${workspaceId}
    ) select id from above where id = ${id}`.execute(tx);
  if (circle.rows.length > 0) throw unprocessable(path, 'A collection cannot be inside itself');
}

/** Throws 422 unless it is empty: a collection with contents stays one. */
export async function requireEmpty(tx: ServiceTx, workspaceId: string, id: string): Promise<void> {
  if (await holdsOthers(tx, workspaceId, id))
    throw unprocessable('type', 'A collection that holds others stays one; move them first');
}

export async function holdsOthers(tx: ServiceTx, workspaceId: string, id: string): Promise<boolean> {
  await lockPlaces(tx, workspaceId);
  const child = await tx
    .selectFrom('request_type')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('parent_id', '=', id)
    .executeTakeFirst();
  return child !== undefined;
}

async function lockPlaces(tx: ServiceTx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`request types ${workspaceId}`}, 0))`.execute(tx);
}
