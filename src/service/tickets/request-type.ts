import type { ServiceDb } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';

/** Throws 422 unless the workspace has a request type (not a collection) with this id. */
export async function requireRequestType(
  db: ServiceDb,
  workspaceId: string,
  id: string,
  path: string,
): Promise<void> {
  await requireIds(db, 'request_type', workspaceId, [id], path);
  const row = await db
    .selectFrom('request_type')
    .select('type')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row?.type === 'collection') throw unprocessable(path, 'A collection is no request type');
}
