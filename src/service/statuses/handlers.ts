import { sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { numberKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found, ServiceProblem, unprocessable } from '../problem.ts';
import { lockVisible, requireIds, requireWorkspace } from '../references.ts';
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

type Names = 'listStatuses' | 'readStatus' | 'createStatus' | 'updateStatus' | 'deleteStatus';

/** Statuses (specification, Endpoints, Statuses; docs/api.md, Configuration records). */
export function statusHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listStatuses({ caller, query }, db) {
      let rows = db
        .selectFrom('status as s')
        .where(isOneOf('s.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('s.id', ids));
      if (query.search) rows = rows.where(contains(['s.label'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        statusRecords(db, caller.workspaceIds, shown),
      );
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
      if (body.requestTypeIds !== undefined) {
        const types = [...new Set(body.requestTypeIds)];
        const [{ system } = { system: false }] = await statusRecords(tx, [workspaceId], [body.id]);
        // Tickets of every other request type would lose their first or last status.
        if (system && types.length > 0)
          throw unprocessable('requestTypeIds', 'A system status is for every request type');
        await requireIds(tx, 'request_type', workspaceId, types, 'requestTypeIds');
        await tieTo(tx, { workspaceId, statusId: body.id, newId }, types);
        await write(tx, workspaceId, body.id, { updated_at: now });
      }
      if (body.label) await write(tx, workspaceId, body.id, { label: body.label.trim(), updated_at: now });
      if (typeof body.order === 'number')
        for (const [moved, position] of shifted(positions, body.id, body.order))
          await write(tx, workspaceId, moved, { position, updated_at: now });
      return found((await statusRecords(tx, [workspaceId], [body.id]))[0]);
    },

    async createStatus({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      await requireIds(tx, 'status_group', workspaceId, [body.statusGroupId], 'statusGroupId');
      const types = [...new Set(body.requestTypeIds)];
      await requireIds(tx, 'request_type', workspaceId, types, 'requestTypeIds');
      const positions = await lockStatuses(tx, workspaceId);
      const id = newId(ID_PREFIXES.status);
      await tx
        .insertInto('status')
        .values({
          workspace_id: workspaceId,
          id,
          label: body.label.trim(),
          position: Math.max(-1, ...positions.values()) + 1,
          status_group_id: body.statusGroupId,
          created_at: now,
          updated_at: now,
        })
        .execute();
      await tieTo(tx, { workspaceId, statusId: id, newId }, types);
      return found((await statusRecords(tx, [workspaceId], [id]))[0]);
    },

    async deleteStatus({ caller, params: { id } }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'status', id, 'delete');
      const record = found((await statusRecords(tx, [workspaceId], [id]))[0]);
      if (record.system) throw new ServiceProblem('FORBIDDEN', 'A system status cannot be removed.');
      if (await isUsed(tx, workspaceId, id)) throw conflict('Tickets or request types have this status.');
      await tx.deleteFrom('status').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
      return record;
    },
  };
}

/** Replaces the request types of a status; existing relations keep their ids. */
async function tieTo(
  tx: ServiceTx,
  { workspaceId, statusId, newId }: { workspaceId: string; statusId: string } & Pick<Tools, 'newId'>,
  types: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('status_request_type')
    .where('workspace_id', '=', workspaceId)
    .where('status_id', '=', statusId)
    .where('request_type_id', 'not in', types.length ? types : [''])
    .execute();
  if (types.length === 0) return;
  await tx
    .insertInto('status_request_type')
    .values(
      types.map((type) => ({
        workspace_id: workspaceId,
        id: newId(ID_PREFIXES.statusRequestType),
        status_id: statusId,
        request_type_id: type,
      })),
    )
    .onConflict((there) => there.doNothing())
    .execute();
}

async function isUsed(tx: ServiceTx, workspaceId: string, id: string): Promise<boolean> {
  const ticket = await tx
    .selectFrom('ticket')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('status_id', '=', id)
    .executeTakeFirst();
  if (ticket) return true;
  const requestType = await tx
    .selectFrom('request_type')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('default_status_id', '=', id)
    .executeTakeFirst();
  return requestType !== undefined;
}

/** Locks the workspace's statuses; serializes all writes to them, including additions. */
async function lockStatuses(tx: ServiceTx, workspaceId: string): Promise<Map<string, number>> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`statuses ${workspaceId}`}, 0))`.execute(tx);
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
