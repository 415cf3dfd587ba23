import { type Selectable, sql } from 'kysely';

import type { ChatTeam } from '../../contract/index.ts';
import type { Handlers } from '../handler.ts';
import { iso } from '../instants.ts';
import { makerOf } from '../keys/maker.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { booleanKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found, ServiceProblem } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { writeTeam } from './write.ts';

const ORDER = {
  keys: { createdAt: timeKey('t.created_at'), name: textKey('t.name'), isTrusted: booleanKey('t.trusted') },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 't.id',
} as const;

export const chatTeamHandlers: Pick<Handlers, 'listChatTeams' | 'putChatTeam'> = {
  async listChatTeams({ caller, query }, db) {
    // One list for all workspaces of the service.
    const isListed = listedWorkspaces(caller, query.workspaceId).length > 0;
    let rows = db.selectFrom('chat_team as t').where(sql.lit(isListed));
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('t.id', ids));
    if (query.search) rows = rows.where(contains(['t.name', 't.id'], query.search));
    return readPage(caller, await selectPage(rows, ORDER, query), async (shown) => {
      const stored = await rows.selectAll('t').where(isOneOf('t.id', shown)).execute();
      return inOrder(shown, stored).map(toTeam);
    });
  },

  async putChatTeam({ caller, body, now }, tx) {
    // Only the operator changes the list: to trust a Slack workspace is to let its people be any user.
    if (caller.keyId === null || (await makerOf(tx, caller)) !== null)
      throw new ServiceProblem('FORBIDDEN', 'Only API keys that the operator made may change this list.');
    await writeTeam(tx, now, body.id, body);
    const row = await tx.selectFrom('chat_team').selectAll().where('id', '=', body.id).executeTakeFirst();
    return toTeam(found(row));
  },
};

export function toTeam(row: Selectable<Tables['chat_team']>): ChatTeam {
  return {
    id: row.id,
    name: row.name,
    organisationId: row.organisation_id,
    isTrusted: row.trusted,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}
