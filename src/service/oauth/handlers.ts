import type { Connection } from '../../contract/index.ts';
import type { Caller, Handlers, ServiceDb, ServiceTx } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { contains, idsInSet, isOfEmail, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { optionalTimeKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found } from '../problem.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('g.created_at'),
    lastUsedAt: optionalTimeKey('g.last_used_at'),
    userId: textKey('g.person_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'g.id',
} as const;

export const connectionHandlers = {
  async listConnections({ caller, query, now }, db) {
    let rows = visibleConnections(db, caller, now, listedWorkspaces(caller, query.workspaceId));
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('g.id', ids));
    if (query.userId) rows = rows.where('g.person_id', '=', query.userId);
    if (query.email) rows = rows.where(isOfEmail(caller, 'g.person_id', query.email));
    if (query.search) rows = rows.where(contains(['c.name'], query.search));
    return readPage(caller, await selectPage(rows, ORDER, query), async (shown) =>
      inOrder(shown, (await rows.where(isOneOf('g.id', shown)).select(COLUMNS).execute()).map(toConnection)),
    );
  },

  async endConnection({ caller, params, now }, tx) {
    const row = found(
      await visibleConnections(tx, caller, now)
        .where('g.id', '=', params.id)
        .select(COLUMNS)
        .executeTakeFirst(),
    );
    await tx
      .deleteFrom('oauth_grant')
      .where('workspace_id', '=', row.workspace_id)
      .where('id', '=', row.id)
      .execute();
    return toConnection(row);
  },
} satisfies Pick<Handlers, 'listConnections' | 'endConnection'>;

const COLUMNS = [
  'g.workspace_id',
  'g.id',
  'g.person_id',
  'g.redirect_uri',
  'g.scopes',
  'g.created_at',
  'g.last_used_at',
  'g.expires_at',
  'c.name',
] as const;

/** Returns the connections that a caller may see: an admin those of all people, anyone else their own. */
function visibleConnections(
  db: ServiceDb | ServiceTx,
  caller: Caller,
  now: Date,
  workspaceIds: readonly string[] = caller.workspaceIds,
) {
  const rows = db
    .selectFrom('oauth_grant as g')
    .innerJoin('oauth_client as c', 'c.id', 'g.client_id')
    .where(isOneOf('g.workspace_id', workspaceIds))
    .where('g.code_used_at', 'is not', null)
    .where('g.expires_at', '>', now);
  return caller.role === 'admin' ? rows : rows.where('g.person_id', '=', caller.personId ?? '');
}

interface Row {
  workspace_id: string;
  id: string;
  person_id: string;
  redirect_uri: string;
  scopes: string[];
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date;
  name: string;
}

function toConnection(row: Row): Connection {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    userId: row.person_id,
    name: row.name,
    redirectUri: row.redirect_uri,
    scopes: row.scopes,
    createdAt: iso(row.created_at),
    lastUsedAt: isoOrNull(row.last_used_at),
    expiresAt: iso(row.expires_at),
  };
}
