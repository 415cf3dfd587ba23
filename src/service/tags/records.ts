import type { Tag } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/** Tags by id, in the order of `ids`. */
export async function tagRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<Tag[]> {
  const rows = await db
    .selectFrom('tag')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      name: row.name,
      color: row.color,
      workspaceId: row.workspace_id,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
