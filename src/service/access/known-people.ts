import { type RawBuilder, sql } from 'kysely';

import type { User } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import { isVisibleTo, viewerOf } from './viewer.ts';

/**
 * Returns a condition that a requester knows a person `p`: themselves, and those who take part, decide, write or react
 * where the requester can read it. Undefined for other callers, who know everybody.
 */
export function isKnownTo(caller: Caller): RawBuilder<boolean> | undefined {
  const viewer = viewerOf(caller);
  if (!viewer || caller.session?.role !== 'requester') return undefined;
  const ofTheirs = (person: RawBuilder<unknown>, joined = sql``) =>
    sql`select ${person} from ticket t ${joined} where ${isVisibleTo(viewer)}`;
  const named = (table: string) =>
    ofTheirs(
      sql`x.person_id`,
      sql`join ${sql.table(table)} x on x.workspace_id = t.workspace_id and x.ticket_id = t.id`,
    );
  const said = sql`join ticket_message m on m.workspace_id = t.workspace_id and m.ticket_id = t.id and not m.private`;
  const reacted = sql`${said} join reaction r on r.workspace_id = m.workspace_id and r.ticket_message_id = m.id`;
  return sql<boolean>`(p.id = ${viewer.personId} or p.id in (
    ${ofTheirs(sql`unnest(array[t.requester_id, t.author_id, t.assignee_id, t.approval ->> 'userId'])`)}
    union all ${named('ticket_approver')}
    union all ${named('ticket_follower')}
    union all ${ofTheirs(sql`m.author_id`, said)}
    union all ${ofTheirs(sql`r.author_id`, reacted)}))`;
}

/** Returns what a requester reads of a person: everything of themselves, of others the name and the picture. */
export function shownPerson({ session, personId }: Caller, person: User): User {
  if (session?.role !== 'requester' || person.id === personId) return person;
  return {
    ...person,
    email: null,
    emailVerified: null,
    idpId: null,
    chatUsers: [],
    role: null,
    queueIds: null,
    deactivatedAt: null,
    absence: null,
  };
}
