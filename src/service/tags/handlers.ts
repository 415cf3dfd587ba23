import { sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found } from '../problem.ts';
import { lockVisible, requireWorkspace } from '../references.ts';
import { tagRecords } from './records.ts';

const ORDER = {
  keys: {
    name: textKey('g.name'),
    color: textKey('g.color'),
    createdAt: timeKey('g.created_at'),
    updatedAt: timeKey('g.updated_at'),
  },
  sortBy: 'name',
  sortDirection: 'asc',
  id: 'g.id',
} as const;

type Names = 'listTags' | 'createTag' | 'updateTag' | 'deleteTag';

/** Tags (docs/api.md, Configuration records): a name is unique in its workspace, ignoring case. */
export function tagHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listTags({ caller, query }, db) {
      let rows = db
        .selectFrom('tag as g')
        .where(isOneOf('g.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('g.id', ids));
      if (query.search) rows = rows.where(contains(['g.name'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        tagRecords(db, caller.workspaceIds, shown),
      );
    },

    async createTag({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const name = body.name.trim();
      await requireFreeName(tx, workspaceId, name);
      const id = newId(ID_PREFIXES.tag);
      await tx
        .insertInto('tag')
        .values({
          workspace_id: workspaceId,
          id,
          name,
          color: body.color ?? null,
          created_at: now,
          updated_at: now,
        })
        .execute();
      return found((await tagRecords(tx, [workspaceId], [id]))[0]);
    },

    async updateTag({ caller, params: { id }, body, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'tag', id);
      const name = body.name?.trim();
      if (name !== undefined) await requireFreeName(tx, workspaceId, name, id);
      await tx
        .updateTable('tag')
        .set({
          ...(name !== undefined && { name }),
          ...(body.color !== undefined && { color: body.color }),
          updated_at: now,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return found((await tagRecords(tx, [workspaceId], [id]))[0]);
    },

    async deleteTag({ caller, params: { id } }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'tag', id, 'delete');
      const record = found((await tagRecords(tx, [workspaceId], [id]))[0]);
      await tx.deleteFrom('tag').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
      return record;
    },
  };
}

/** Returns a clear error if the name is used; the unique index enforces it against races. */
async function requireFreeName(tx: ServiceTx, workspaceId: string, name: string, own = ''): Promise<void> {
  const taken = await tx
    .selectFrom('tag')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`lower(normalize(name, nfkc))`, '=', sql<string>`lower(${name.normalize('NFKC')})`)
    .where('id', '<>', own)
    .executeTakeFirst();
  if (taken) throw conflict(`There is a tag "${name}" already.`);
}
