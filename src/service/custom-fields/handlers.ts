import { ID_PREFIXES } from '../../contract/index.ts';
import type { Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found, ServiceProblem } from '../problem.ts';
import { lockVisible, requireWorkspace } from '../references.ts';
import { keyFrom } from './key.ts';
import { writeOptions } from './options.ts';
import { customFieldBytes, customFieldRecords } from './records.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('f.created_at'),
    updatedAt: timeKey('f.updated_at'),
    label: textKey('f.label'),
    key: textKey('f.key'),
    type: textKey('f.type'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'f.id',
  bytes: customFieldBytes,
} as const;

type Names = 'listCustomFields' | 'createCustomField' | 'updateCustomField' | 'deleteCustomField';

/** Custom fields (docs/api.md, Configuration records): a request type's questions besides a ticket's own fields. */
export function customFieldHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listCustomFields({ caller, query }, db) {
      let rows = db
        .selectFrom('custom_field as f')
        .where(isOneOf('f.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('f.id', ids));
      if (query.type) rows = rows.where('f.type', '=', query.type);
      if (query.search) rows = rows.where(contains(['f.label', 'f.key'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        customFieldRecords(db, caller.workspaceIds, shown),
      );
    },

    async createCustomField({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const key = body.key ?? keyFrom(body.label);
      await requireFreeKey(tx, workspaceId, key);
      const id = newId(ID_PREFIXES.customField);
      await tx
        .insertInto('custom_field')
        .values({
          workspace_id: workspaceId,
          id,
          key,
          label: body.label.trim(),
          description: body.description ?? null,
          required: body.required ?? false,
          type: body.type,
          config: body.config ? JSON.stringify(body.config) : null,
          created_at: now,
          updated_at: now,
        })
        .execute();
      if (body.options)
        await writeOptions(tx, { workspaceId, id, type: body.type }, body.options, { newId, now });
      return found((await customFieldRecords(tx, [workspaceId], [id]))[0]);
    },

    async updateCustomField({ caller, params: { id }, body, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'custom_field', id);
      const { type } = await tx
        .updateTable('custom_field')
        .set({
          ...(body.label && { label: body.label.trim() }),
          ...(body.description !== undefined && { description: body.description }),
          ...(typeof body.required === 'boolean' && { required: body.required }),
          ...(body.config !== undefined && { config: body.config && JSON.stringify(body.config) }),
          updated_at: now,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .returning('type')
        .executeTakeFirstOrThrow();
      if (body.options !== undefined)
        await writeOptions(tx, { workspaceId, id, type }, body.options ?? [], { newId, now });
      return found((await customFieldRecords(tx, [workspaceId], [id]))[0]);
    },

    async deleteCustomField({ caller, params: { id } }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'custom_field', id, 'delete');
      const record = found((await customFieldRecords(tx, [workspaceId], [id]))[0]);
      if (record.system) throw new ServiceProblem('FORBIDDEN', 'A system field cannot be removed.');
      await tx
        .deleteFrom('custom_field')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return record;
    },
  };
}

/** Returns a clear error if the key is used; the constraint enforces it against races. */
async function requireFreeKey(tx: ServiceTx, workspaceId: string, key: string): Promise<void> {
  const taken = await tx
    .selectFrom('custom_field')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', key)
    .executeTakeFirst();
  if (taken) throw conflict(`There is a custom field "${key}" already.`);
}
