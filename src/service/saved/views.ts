import { sql } from 'kysely';

import { ID_PREFIXES, type View } from '../../contract/index.ts';
import type { Handlers, ServiceDb, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { booleanKey, jsonBytesOf, numberKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found } from '../problem.ts';
import { requireWorkspace } from '../references.ts';
import { parseListQuery } from '../tickets/list-query.ts';
import { isVisible, lockOwned, ownerOf, requireMayUnshare } from './owned.ts';

const ORDER = {
  keys: {
    position: numberKey('position'),
    name: textKey('name'),
    isShared: booleanKey('is_shared'),
    createdAt: timeKey('created_at'),
    updatedAt: timeKey('updated_at'),
  },
  sortBy: 'position',
  sortDirection: 'asc',
  id: 'id',
  bytes: jsonBytesOf('filters'),
} as const;

type Names = 'listViews' | 'createView' | 'updateView' | 'deleteView';

/** Saved views of the ticket list. Agents see shared ones and their own; owners and admins change shared ones. */
export function viewHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listViews({ caller, query }, db) {
      let rows = db
        .selectFrom('view')
        .where(isOneOf('workspace_id', listedWorkspaces(caller, query.workspaceId)))
        .where(isVisible(caller, query.includePersonal === true));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('id', ids));
      if (query.search) rows = rows.where(contains(['name'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        viewRecords(db, caller.workspaceIds, shown),
      );
    },

    async createView({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const isShared = body.isShared ?? false;
      const shown = {
        filters: body.filters ?? {},
        sortBy: body.sortBy ?? null,
        sortDirection: body.sortDirection ?? null,
      };
      requireListable(shown);
      const last = await tx
        .selectFrom('view')
        .select(sql<number>`coalesce(max(position), -1)`.as('position'))
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow();
      const id = newId(ID_PREFIXES.view);
      await tx
        .insertInto('view')
        .values({
          workspace_id: workspaceId,
          id,
          name: body.name.trim(),
          owner_id: ownerOf(caller, workspaceId, isShared),
          is_shared: isShared,
          filters: JSON.stringify(shown.filters),
          sort_by: shown.sortBy,
          sort_direction: shown.sortDirection,
          position: body.position ?? last.position + 1,
          created_at: now,
          updated_at: now,
        })
        .execute();
      return found((await viewRecords(tx, [workspaceId], [id]))[0]);
    },

    async updateView({ caller, params: { id }, body, now }, tx) {
      const stored = await lockOwned(tx, caller, 'view', id);
      requireMayUnshare(caller, stored, body.isShared);
      const before = found((await viewRecords(tx, [stored.workspaceId], [id]))[0]);
      const after = {
        filters: body.filters ?? before.filters,
        sortBy: body.sortBy === undefined ? before.sortBy : body.sortBy,
        sortDirection: body.sortDirection === undefined ? before.sortDirection : body.sortDirection,
      };
      requireListable(after);
      await tx
        .updateTable('view')
        .set({
          name: body.name?.trim() ?? before.name,
          is_shared: body.isShared ?? before.isShared,
          filters: JSON.stringify(after.filters),
          sort_by: after.sortBy,
          sort_direction: after.sortDirection,
          position: body.position ?? before.position,
          updated_at: now,
        })
        .where('workspace_id', '=', stored.workspaceId)
        .where('id', '=', id)
        .execute();
      return found((await viewRecords(tx, [stored.workspaceId], [id]))[0]);
    },

    async deleteView({ caller, params: { id } }, tx) {
      const { workspaceId } = await lockOwned(tx, caller, 'view', id);
      const record = found((await viewRecords(tx, [workspaceId], [id]))[0]);
      await tx.deleteFrom('view').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
      return record;
    },
  };
}

/** Throws 400 unless the ticket list takes the parameters of a view. */
function requireListable({
  filters,
  sortBy,
  sortDirection,
}: Pick<View, 'filters' | 'sortBy' | 'sortDirection'>) {
  parseListQuery(
    { ...filters, ...(sortBy && { sortBy }), ...(sortDirection && { sortDirection }) },
    'filters',
  );
}

/** Views by id, in the order of `ids`. */
async function viewRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<View[]> {
  const rows = await db
    .selectFrom('view')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where(isOneOf('id', ids))
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      name: row.name,
      isShared: row.is_shared,
      ownerId: row.owner_id,
      filters: row.filters,
      sortBy: row.sort_by,
      sortDirection: row.sort_direction,
      position: row.position,
      workspaceId: row.workspace_id,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
