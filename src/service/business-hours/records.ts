import type { BusinessHours } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/** Business hours by id, in the order of `ids`. */
export async function businessHoursRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<BusinessHours[]> {
  const rows = await db
    .selectFrom('business_hours')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      name: row.name,
      workspaceId: row.workspace_id,
      timeZone: row.time_zone,
      days: row.days,
      holidays: row.holidays,
      isDefault: row.is_default,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
