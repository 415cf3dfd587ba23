import type { Handlers, ServiceTx } from '../handler.ts';
import { contains, idsOf, isOneOf, visibleWorkspaces } from '../lists/filters.ts';
import { numberKey, page, textKey, timeKey } from '../lists/page.ts';
import { found } from '../problem.ts';
import { shifted } from './order.ts';
import { statusRecords } from './records.ts';

const ORDER = {
  keys: {
    order: numberKey('s.position'),
    label: textKey('s.label'),
    createdAt: timeKey('s.created_at'),
    updatedAt: timeKey('s.updated_at'),
    statusGroupId: textKey('s.status_group_id'),
  },
  sortBy: 'order',
  sortDirection: 'asc',
  id: 's.id',
} as const;

export const statusHandlers = {
  async listStatuses({ caller, query }, db) {
    let rows = db
      .selectFrom('status as s')
      .where(isOneOf('s.workspace_id', visibleWorkspaces(caller, query.workspaceId)));
    const ids = idsOf(query.set);
    if (ids) rows = rows.where(isOneOf('s.id', ids));
    if (query.search) rows = rows.where(contains(['s.label'], query.search));
    const { ids: shown, ...rest } = await page(rows, ORDER, query);
    return { items: await statusRecords(db, caller.workspaceIds, shown), ...rest };
  },

  async readStatus({ caller, params }, db) {
    return found((await statusRecords(db, caller.workspaceIds, [params.id]))[0]);
  },

  async updateStatus({ caller, body, now }, tx) {
    const { workspace_id: workspaceId } = found(
      await tx
        .selectFrom('status')
        .select('workspace_id')
        .where('workspace_id', 'in', caller.workspaceIds)
        .where('id', '=', body.id)
        .executeTakeFirst(),
    );
    const positions = await lockStatuses(tx, workspaceId);
    if (body.label) await write(tx, workspaceId, body.id, { label: body.label.trim(), updated_at: now });
    if (typeof body.order === 'number')
      for (const [moved, position] of shifted(positions, body.id, body.order))
        await write(tx, workspaceId, moved, { position, updated_at: now });
    return found((await statusRecords(tx, [workspaceId], [body.id]))[0]);
  },
} satisfies Pick<Handlers, 'listStatuses' | 'readStatus' | 'updateStatus'>;

/** All rows of the workspace, and in one order, so that writes to several statuses follow each other. */
async function lockStatuses(tx: ServiceTx, workspaceId: string): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('status')
    .select(['id', 'position'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map(rows.map(({ id, position }) => [id, position]));
}

async function write(
  tx: ServiceTx,
  workspaceId: string,
  id: string,
  values: { label?: string; position?: number; updated_at: Date },
): Promise<void> {
  await tx
    .updateTable('status')
    .set(values)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}
