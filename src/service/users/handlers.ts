import { sql } from 'kysely';

import { isKnownTo, shownPerson } from '../access/known-people.ts';
import type { Handlers, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { booleanKey, bytesOfRows, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found, notFound } from '../problem.ts';
import { userRecords } from './records.ts';
import { saveUser } from './save.ts';
import { updateUser } from './update.ts';

/** @param readsEmails whether the caller reads them: otherwise a cursor would show one. */
const orderFor = (readsEmails: boolean) => ({
  keys: {
    createdAt: timeKey('p.created_at'),
    updatedAt: timeKey('p.updated_at'),
    firstName: textKey('p.first_name'),
    lastName: textKey('p.last_name'),
    email: readsEmails ? textKey('p.email') : textKey('p.id'),
    isBot: booleanKey('p.is_bot'),
    isGuestCreated: booleanKey('p.is_guest_created'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc' as const,
  id: 'p.id',
  bytes: bytesOfRows(sql`chat_user x where x.workspace_id = p.workspace_id and x.person_id = p.id`),
});

/** Matches a name as typed: first name, last name or both. */
const WHOLE_NAME = sql<string>`concat_ws(' ', p.first_name, p.last_name)`;

type Names = 'listUsers' | 'readUser' | 'createUser' | 'updateUser';

export function userHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listUsers({ caller, query, now }, db) {
      let rows = db
        .selectFrom('person as p')
        .where(isOneOf('p.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const known = isKnownTo(caller);
      if (known) rows = rows.where(known);
      // What a requester may not read of others is not to be guessed by a filter either.
      if (known && (query.email || query.search || query.role || query.chatUserId || query.erasedFrom))
        rows = rows.where(sql<boolean>`false`);
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('p.id', ids));
      // An erased user is nobody to choose; their messages name them by id.
      else if (query.erasedFrom) rows = rows.where('p.erased_at', '>=', new Date(query.erasedFrom));
      else rows = rows.where('p.erased_at', 'is', null);
      if (query.email) rows = rows.where(sql<string>`lower(p.email)`, '=', query.email.toLowerCase());
      if (query.search) rows = rows.where(contains([WHOLE_NAME, 'p.email'], query.search));
      if (query.role) rows = rows.where('p.role', '=', query.role);
      if (query.chatUserId)
        rows = rows.where(sql<boolean>`exists (
        select 1 from chat_user c
        where c.workspace_id = p.workspace_id and c.person_id = p.id and c.chat_user_id = ${query.chatUserId})`);
      return readPage(caller, await selectPage(rows, orderFor(!known), query), async (slice) =>
        (await userRecords(db, caller.workspaceIds, slice, now)).map((person) => shownPerson(caller, person)),
      );
    },

    async readUser({ caller, params, now }, db) {
      // Requesters read others in the list only, by their names.
      if (caller.session?.role === 'requester' && params.id !== caller.personId) throw notFound();
      return found((await userRecords(db, caller.workspaceIds, [params.id], now))[0]);
    },

    async createUser({ caller, body, now }, tx) {
      const id = await saveUser(tx, { newId, now, workspaceId: caller.workspaceId, caller }, body);
      return found((await userRecords(tx, [caller.workspaceId], [id], now))[0]);
    },

    async updateUser({ caller, params: { id }, body, now }, tx) {
      const workspaceId = await updateUser(tx, { newId, caller, now }, id, body);
      return found((await userRecords(tx, [workspaceId], [id], now))[0]);
    },
  };
}
