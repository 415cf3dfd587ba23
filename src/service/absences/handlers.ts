import type { Selectable } from 'kysely';

import { type Absence, ID_PREFIXES } from '../../contract/index.ts';
import type { Caller, Handlers, ServiceDb, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import { idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found, ServiceProblem, unprocessable } from '../problem.ts';
import { lockVisible } from '../references.ts';
import type { Tables } from '../schema/tables.ts';

const ORDER = {
  keys: {
    until: timeKey('a.until_at'),
    createdAt: timeKey('a.created_at'),
    userId: textKey('a.person_id'),
  },
  sortBy: 'until',
  sortDirection: 'asc',
  id: 'a.id',
} as const;

type Names = 'listAbsences' | 'createAbsence' | 'deleteAbsence';

/** When people are away (docs/rules.md, Absence). */
export function absenceHandlers({ newId }: Pick<Tools, 'newId'>): Pick<Handlers, Names> {
  return {
    async listAbsences({ caller, query }, db) {
      let rows = db
        .selectFrom('absence as a')
        .where(isOneOf('a.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('a.id', ids));
      if (query.userId) rows = rows.where('a.person_id', '=', query.userId);
      if (query.endsFrom) rows = rows.where('a.until_at', '>', new Date(query.endsFrom));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        absenceRecords(db, caller.workspaceIds, shown),
      );
    },

    async createAbsence({ caller, params, body, now }, tx) {
      const personId = params.id;
      const workspaceId = await lockVisible(tx, caller, 'person', personId);
      requireOwn(caller, personId);
      const [from, until] = [new Date(body.from), new Date(body.until)];
      if (until <= from) throw unprocessable('until', 'The absence ends before it begins');
      if (until <= now) throw unprocessable('until', 'The absence is over already');
      const id = newId(ID_PREFIXES.absence);
      await tx
        .insertInto('absence')
        .values({
          workspace_id: workspaceId,
          id,
          person_id: personId,
          from_at: from,
          until_at: until,
          created_at: now,
        })
        .execute();
      return found((await absenceRecords(tx, [workspaceId], [id]))[0]);
    },

    async deleteAbsence({ caller, params: { id } }, tx) {
      const record = found((await absenceRecords(tx, caller.workspaceIds, [id]))[0]);
      requireOwn(caller, record.userId);
      await tx
        .deleteFrom('absence')
        .where('workspace_id', 'in', caller.workspaceIds)
        .where('id', '=', id)
        .execute();
      return record;
    },
  };
}

/** Throws 403 if a signed-in person who is no admin sets another person's absence. */
function requireOwn({ session, personId }: Caller, of: string): void {
  if (session && session.role !== 'admin' && personId !== of)
    throw new ServiceProblem('FORBIDDEN', 'Only admins say when somebody else is away.');
}

async function absenceRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<Absence[]> {
  const rows = await db
    .selectFrom('absence')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return inOrder(ids, rows).map(toAbsence);
}

function toAbsence(row: Selectable<Tables['absence']>): Absence {
  return {
    id: row.id,
    userId: row.person_id,
    from: iso(row.from_at),
    until: iso(row.until_at),
    createdAt: iso(row.created_at),
  };
}
