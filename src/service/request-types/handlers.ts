import { ID_PREFIXES, type ParsedQuery } from '../../contract/index.ts';
import type { Caller, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found } from '../problem.ts';
import { lockChosen, lockVisible, requireWorkspace } from '../references.ts';
import { checkPlace, holdsOthers } from './place.ts';
import { requestTypeBytes, requestTypeRecords } from './records.ts';
import {
  checkRequestType,
  replaceDefault,
  type RequestTypeBody,
  requestTypeColumns,
  writeRequestTypeRelations,
} from './write.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('r.created_at'),
    updatedAt: timeKey('r.updated_at'),
    name: textKey('r.name'),
    type: textKey('r.type'),
    parentId: textKey('r.parent_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'r.id',
  bytes: requestTypeBytes,
} as const;

type Names =
  | 'listRequestTypes'
  | 'readRequestType'
  | 'saveRequestType'
  | 'updateRequestType'
  | 'moveRequestType'
  | 'deleteRequestType'
  | 'listForms';

/**
 * Request types and their collections (specification, Endpoints, Request types; docs/api.md, Configuration records).
 */
export function requestTypeHandlers({ newId }: Tools): Pick<Handlers, Names> {
  const read = async (tx: ServiceTx, workspaceId: string, id: string) =>
    found((await requestTypeRecords(tx, [workspaceId], [id]))[0]);

  async function update(tx: ServiceTx, workspaceId: string, id: string, body: RequestTypeBody, now: Date) {
    const key = { workspaceId, id };
    await checkRequestType(tx, key, body);
    await replaceDefault(tx, key, body);
    await tx
      .updateTable('request_type')
      .set({ ...requestTypeColumns(body), updated_at: now })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
    await writeRequestTypeRelations(tx, key, body, { newId, now });
    return read(tx, workspaceId, id);
  }

  return {
    listRequestTypes: ({ caller, query }, db) => list(db, caller, query, false),
    listForms: ({ caller, query }, db) => list(db, caller, query, true),

    async readRequestType({ caller, params }, db) {
      return found((await requestTypeRecords(db, caller.workspaceIds, [params.id]))[0]);
    },

    async saveRequestType({ caller, body, now }, tx) {
      const existingIn = body.id ? await lockChosen(tx, caller, 'request_type', body.id) : undefined;
      if (body.id && existingIn !== undefined) return update(tx, existingIn, body.id, body, now);
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const id = body.id ?? newId(ID_PREFIXES.requestType);
      await checkRequestType(tx, { workspaceId, id }, body);
      await replaceDefault(tx, { workspaceId, id }, body);
      await tx
        .insertInto('request_type')
        .values({
          ...requestTypeColumns(body),
          workspace_id: workspaceId,
          id,
          name: body.name.trim(),
          created_at: now,
          updated_at: now,
        })
        .execute();
      await writeRequestTypeRelations(tx, { workspaceId, id }, body, { newId, now });
      return read(tx, workspaceId, id);
    },

    async updateRequestType({ caller, params: { id }, body, now }, tx) {
      return update(tx, await lockVisible(tx, caller, 'request_type', id), id, body, now);
    },

    async moveRequestType({ caller, body: { id, targetId }, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'request_type', id);
      if (targetId !== null) await checkPlace(tx, workspaceId, id, targetId, 'targetId');
      await tx
        .updateTable('request_type')
        .set({ parent_id: targetId, updated_at: now })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return read(tx, workspaceId, id);
    },

    async deleteRequestType({ caller, params: { id } }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'request_type', id, 'delete');
      const record = await read(tx, workspaceId, id);
      if (await holdsOthers(tx, workspaceId, id)) throw conflict('This collection still holds others.');
      const used = await tx
        .selectFrom('ticket')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('request_type_id', '=', id)
        .executeTakeFirst();
      if (used) throw conflict('Tickets have this request type; unpublish it instead.');
      await tx
        .deleteFrom('request_type')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return record;
    },
  };
}

async function list(
  db: ServiceDb,
  caller: Caller,
  query: ParsedQuery<'listRequestTypes'>,
  formsOnly: boolean,
) {
  let rows = db
    .selectFrom('request_type as r')
    .where(isOneOf('r.workspace_id', listedWorkspaces(caller, query.workspaceId)));
  const ids = idsInSet(query.set);
  if (ids) rows = rows.where(isOneOf('r.id', ids));
  if (formsOnly) rows = rows.where('r.form_enabled', '=', true);
  if (query.type) rows = rows.where('r.type', '=', query.type);
  if (query.parentId) rows = rows.where('r.parent_id', '=', query.parentId);
  if (typeof query.published === 'boolean') rows = rows.where('r.published', '=', query.published);
  if (query.search) rows = rows.where(contains(['r.name'], query.search));
  return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
    requestTypeRecords(db, caller.workspaceIds, shown),
  );
}
