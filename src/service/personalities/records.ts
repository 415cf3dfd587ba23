import type { Personality } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/** Personalities by id, in the order of `ids`. */
export async function personalityRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<Personality[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('personality')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', 'in', ids)
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      workspaceId: row.workspace_id,
      persona: row.persona,
      tone: row.tone,
      emoji: row.emoji,
      length: row.length,
      greeting: row.greeting,
      branding: row.branding,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
