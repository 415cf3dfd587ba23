import type { Application } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/** Applications by id, in the order of `ids` (specification, Resources, Application). */
export async function applicationRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<Application[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('application as a')
    .innerJoin('workspace as w', 'w.id', 'a.workspace_id')
    .selectAll('a')
    .select('w.organization_id')
    .where('a.workspace_id', 'in', workspaceIds)
    .where('a.id', 'in', ids)
    .execute();
  const refs = (named: readonly string[]) => named.map((id) => ({ id }));
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      name: row.name,
      domain: row.domain,
      imageUrl: row.image_url,
      ownerId: row.owner_id,
      organizationId: row.organization_id,
      integrationApplicationId: row.integration_application_id,
      price: row.price,
      status: row.status,
      approvalStrategy: row.approval_strategy,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
      accessLevels: row.access_levels,
      workspaces: [{ id: row.workspace_id }],
      approvers: refs(row.approver_ids),
      approverGroups: refs(row.approver_group_ids),
      integration: row.integration,
    })),
  );
}
