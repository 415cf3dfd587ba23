import type { Selectable } from 'kysely';

import type { ApiKey, Role } from '../../contract/index.ts';
import type { Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { optionalTimeKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found, unprocessable } from '../problem.ts';
import { requireKnown, requireWorkspace } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { createKey } from './create.ts';
import { makerOf } from './maker.ts';
import { revokeKey } from './revoke.ts';
import { makeToken } from './token.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('k.created_at'),
    name: textKey('k.name'),
    lastUsedAt: optionalTimeKey('k.last_used_at'),
    role: textKey('k.role'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'k.id',
} as const;

type Names = 'listApiKeys' | 'createApiKey' | 'revokeApiKey' | 'takeOverApiKey';

export function keyHandlers(tools: Tools): Pick<Handlers, Names> {
  return {
    async listApiKeys({ caller, query }, db) {
      let rows = db
        .selectFrom('api_key as k')
        .where(isOneOf('k.workspace_id', listedWorkspaces(caller, query.workspaceId)))
        .where((is) =>
          is.or([
            is('k.revoked_at', 'is', null),
            ...(query.includeStopped ? [is('k.stopped_at', 'is not', null)] : []),
          ]),
        );
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('k.id', ids));
      if (query.search) rows = rows.where(contains(['k.name'], query.search));
      if (query.madeById) rows = rows.where('k.made_by', '=', query.madeById);
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        keyRecords(db, caller.workspaceIds, shown),
      );
    },

    async createApiKey({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const further = (body.workspaceIds ?? []).map((id) => requireWorkspace(caller, id));
      const queueIds = body.queueIds && [...new Set(body.queueIds)];
      if (queueIds) await requireQueues(tx, [workspaceId, ...further], body.role, queueIds);
      const token = makeToken(tools.randomBytes);
      const id = await createKey(tx, tools, now, {
        token,
        name: body.name.trim(),
        role: body.role,
        source: body.source ?? 'API',
        workspaceId,
        furtherWorkspaceIds: [...new Set(further)].filter((other) => other !== workspaceId),
        queueIds: queueIds ?? null,
        rateLimit: body.rateLimit ?? null,
        madeBy: await makerOf(tx, caller),
      });
      const key = found((await keyRecords(tx, [workspaceId], [id]))[0]);
      return { ...key, key: token };
    },

    async revokeApiKey({ caller, params, now }, tx) {
      const { workspaceIds } = caller;
      const row = found(await revokeKey(tx, { id: params.id, workspaceIds }, now));
      return toKey(row);
    },

    async takeOverApiKey({ caller, params }, tx) {
      const row = await tx
        .updateTable('api_key')
        .set({ revoked_at: null, stopped_at: null, made_by: await makerOf(tx, caller) })
        .where('workspace_id', 'in', caller.workspaceIds)
        .where('id', '=', params.id)
        .where('stopped_at', 'is not', null)
        .returningAll()
        .executeTakeFirst();
      return toKey(found(row));
    },
  };
}

/**
 * Throws 422 for queues that the key's workspaces lack, and for a key that could free itself of its queues: an admin
 * makes keys, and changes the webhooks of others.
 */
async function requireQueues(
  tx: ServiceTx,
  workspaceIds: readonly string[],
  role: Role,
  queueIds: readonly string[],
): Promise<void> {
  if (role === 'admin')
    throw unprocessable('queueIds', 'A key with the role admin has all queues. Choose read or agent');
  const rows = await tx
    .selectFrom('queue')
    .select('id')
    .where('workspace_id', 'in', workspaceIds)
    .where(isOneOf('id', queueIds))
    .execute();
  requireKnown(
    rows.map(({ id }) => id),
    'queue',
    queueIds,
    'queueIds',
  );
}

async function keyRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_key')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return inOrder(ids, rows.map(toKey));
}

function toKey(row: Selectable<Tables['api_key']>): ApiKey {
  return {
    id: row.id,
    prefix: row.prefix,
    name: row.name,
    role: row.role,
    source: row.source,
    workspaceId: row.workspace_id,
    workspaceIds: [row.workspace_id, ...row.further_workspace_ids],
    queueIds: row.queue_ids,
    userId: row.person_id,
    madeById: row.made_by,
    stoppedAt: isoOrNull(row.stopped_at),
    rateLimit: row.rate_limit,
    createdAt: iso(row.created_at),
    lastUsedAt: isoOrNull(row.last_used_at),
  };
}
