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
    const status = found(
      await tx
        .selectFrom('status')
        .select(['workspace_id', 'position'])
        .where('workspace_id', 'in', caller.workspaceIds)
        .where('id', '=', body.id)
        .executeTakeFirst(),
    );
    if (body.label)
      await write(tx, status.workspace_id, body.id, { label: body.label.trim(), updated_at: now });
    if (typeof body.order === 'number') await reorder(tx, status.workspace_id, body.id, body.order, now);
    return found((await statusRecords(tx, [status.workspace_id], [body.id]))[0]);
  },
} satisfies Pick<Handlers, 'listStatuses' | 'readStatus' | 'updateStatus'>;

async function reorder(
  tx: ServiceTx,
  workspaceId: string,
  id: string,
  order: number,
  now: Date,
): Promise<void> {
  // All rows of the workspace, so that two reorderings at once follow each other.
  const all = await tx
    .selectFrom('status')
    .select(['id', 'position'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const current = new Map(all.map((status) => [status.id, status.position]));
  for (const [moved, position] of shifted(current, id, order))
    await write(tx, workspaceId, moved, { position, updated_at: now });
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
