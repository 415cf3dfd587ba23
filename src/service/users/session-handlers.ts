import type { Selectable } from 'kysely';

import type { Session } from '../../contract/index.ts';
import type { Caller, Handlers, ServiceDb, ServiceTx } from '../handler.ts';
import { iso } from '../instants.ts';
import { contains, idsInSet, isOfEmail, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { userRecords } from './records.ts';
import { endSession } from '../sessions/end.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('s.created_at'),
    lastSeenAt: timeKey('s.last_seen_at'),
    expiresAt: timeKey('s.expires_at'),
    userId: textKey('s.person_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 's.id',
} as const;

/** Names the session of the request in a path. */
const CURRENT = 'current';

export const sessionHandlers = {
  async readSession({ caller, now }, db) {
    const { id, role, queueIds } = found(caller.session);
    const row = found(
      await visibleSessions(db, caller, now).selectAll('s').where('s.id', '=', id).executeTakeFirst(),
    );
    const user = found((await userRecords(db, [row.workspace_id], [row.person_id], now))[0]);
    return { ...toSession(row, caller), user, role, queueIds: queueIds && [...queueIds] };
  },

  async listSessions({ caller, query, now }, db) {
    let rows = visibleSessions(db, caller, now, listedWorkspaces(caller, query.workspaceId));
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('s.id', ids));
    if (query.userId) rows = rows.where('s.person_id', '=', query.userId);
    if (query.email) rows = rows.where(isOfEmail(caller, 's.person_id', query.email));
    if (query.search) rows = rows.where(contains(['s.address', 's.user_agent'], query.search));
    return readPage(caller, await selectPage(rows, ORDER, query), async (shown) => {
      const stored = await rows.selectAll('s').where(isOneOf('s.id', shown)).execute();
      return inOrder(shown, stored).map((row) => toSession(row, caller));
    });
  },

  async endSession({ caller, params, now }, tx) {
    const id = params.id === CURRENT ? found(caller.session).id : params.id;
    const row = found(
      await visibleSessions(tx, caller, now).selectAll('s').where('s.id', '=', id).executeTakeFirst(),
    );
    await endSession(tx, { workspaceId: row.workspace_id, id });
    return toSession(row, caller);
  },
} satisfies Pick<Handlers, 'readSession' | 'listSessions' | 'endSession'>;

/** Returns the active sessions that a caller may see: an admin those of all people, anyone else their own. */
function visibleSessions(
  db: ServiceDb | ServiceTx,
  caller: Caller,
  now: Date,
  workspaceIds: readonly string[] = caller.workspaceIds,
) {
  const rows = db
    .selectFrom('session as s')
    .where(isOneOf('s.workspace_id', workspaceIds))
    .where('s.expires_at', '>', now);
  return caller.role === 'admin' ? rows : rows.where('s.person_id', '=', caller.personId);
}

function toSession(row: Selectable<Tables['session']>, caller: Caller): Session {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    userId: row.person_id,
    address: row.address,
    userAgent: row.user_agent,
    current: row.id === caller.session?.id,
    createdAt: iso(row.created_at),
    lastSeenAt: iso(row.last_seen_at),
    expiresAt: iso(row.expires_at),
  };
}
