import type { Selectable } from 'kysely';

import type { Identity } from '../../contract/index.ts';
import { actorOf, writeAudit } from '../audit/write.ts';
import type { Caller, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { endConnections } from '../sessions/end.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('i.created_at'),
    lastUsedAt: timeKey('i.last_used_at'),
    userId: textKey('i.person_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'i.id',
} as const;

export function identityHandlers({
  newId,
}: Pick<Tools, 'newId'>): Pick<Handlers, 'listIdentities' | 'removeIdentity'> {
  return {
    async listIdentities({ caller, query }, db) {
      let rows = visibleIdentities(db, caller, listedWorkspaces(caller, query.workspaceId));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('i.id', ids));
      if (query.userId) rows = rows.where('i.person_id', '=', query.userId);
      if (query.search) rows = rows.where(contains(['i.issuer', 'i.subject', 'i.email'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), async (shown) => {
        const stored = await rows.selectAll('i').where(isOneOf('i.id', shown)).execute();
        const names = await teamNames(db, stored);
        return inOrder(shown, stored).map((row) => toIdentity(row, names));
      });
    },

    async removeIdentity({ caller, params, now }, tx) {
      const row = found(
        await visibleIdentities(tx, caller)
          .selectAll('i')
          .where('i.id', '=', params.id)
          .forUpdate()
          .executeTakeFirst(),
      );
      const { workspace_id: workspaceId, id, person_id: personId } = row;
      await tx.deleteFrom('identity').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
      await tx
        .deleteFrom('session')
        .where('workspace_id', '=', workspaceId)
        .where('identity_id', '=', id)
        .execute();
      await endConnections(tx, { workspaceId, personId });
      const reason =
        'An account with which the person signed in was removed. Its sessions ended, and the person’s programs were disconnected.';
      await writeAudit(
        tx,
        { newId, now },
        {
          workspaceId,
          action: 'identity.removed',
          actor: actorOf(caller),
          subjectId: personId,
          reason,
          detail: { identityId: id, issuer: row.issuer },
        },
      );
      return toIdentity(row, await teamNames(tx, [row]));
    },
  };
}

/** Returns the accounts that a caller may see: an admin those of all people, anyone else their own. */
function visibleIdentities(
  db: ServiceDb | ServiceTx,
  caller: Caller,
  workspaceIds: readonly string[] = caller.workspaceIds,
) {
  const rows = db.selectFrom('identity as i').where(isOneOf('i.workspace_id', workspaceIds));
  return caller.role === 'admin' ? rows : rows.where('i.person_id', '=', caller.personId);
}

type Row = Selectable<Tables['identity']>;

/** Returns the names of the Slack workspaces of these accounts by their ids, as far as a bridge has told them. */
async function teamNames(db: ServiceDb | ServiceTx, rows: readonly Row[]): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ team_id }) => team_id ?? []);
  const teams = await db.selectFrom('chat_team').select(['id', 'name']).where(isOneOf('id', ids)).execute();
  return new Map(teams.flatMap(({ id, name }) => (name ? [[id, name] as const] : [])));
}

function toIdentity(row: Row, names: ReadonlyMap<string, string>): Identity {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    userId: row.person_id,
    issuer: row.issuer,
    subject: row.subject,
    email: row.email,
    teamId: row.team_id,
    teamName: names.get(row.team_id ?? '') ?? null,
    createdAt: iso(row.created_at),
    lastUsedAt: iso(row.last_used_at),
  };
}
