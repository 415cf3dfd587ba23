import { sql } from 'kysely';

import { tellReadersChange } from '../access/readers-change.ts';
import { actorOf, writeAudit } from '../audit/write.ts';
import type { Call, ServiceTx, Tools } from '../handler.ts';
import { conflict } from '../problem.ts';
import { lockVisible } from '../references.ts';
import { endConnections, endSession } from '../sessions/end.ts';
import { leaveMade } from '../users/leave-made.ts';
import { requireAnotherAdmin } from '../users/update.ts';
import { copiesWork } from './copies.ts';
import { NOBODY } from './erased.ts';

type Request = Pick<Call<'eraseUser'>, 'caller' | 'now' | 'outbox'>;

/**
 * Erases a person: what identifies them is deleted, what they wrote stays under "Deleted user". Copies of the name in
 * other tables are replaced in the background. An erased person stays unchanged.
 * @throws 404; 409 for the last admin, and for the user of a valid API key.
 */
export async function eraseUser(
  tx: ServiceTx,
  { newId }: Pick<Tools, 'newId'>,
  { caller, now, outbox }: Request,
  id: string,
): Promise<void> {
  const workspaceId = await lockVisible(tx, caller, 'person', id);
  const own = { workspace_id: workspaceId, person_id: id };
  const person = await tx
    .selectFrom('person')
    .select(['first_name', 'last_name', 'email', 'role', 'is_bot', 'deactivated_at', 'erased_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (person.erased_at !== null) return;
  await requireNoKey(tx, own);
  const isAdmin = person.role === 'admin' && person.deactivated_at === null && !person.is_bot;
  if (isAdmin) await requireAnotherAdmin(tx, workspaceId, id);
  await tx
    .updateTable('person')
    .set({
      first_name: NOBODY.firstName,
      last_name: NOBODY.lastName,
      email: null,
      email_verified: null,
      image: null,
      idp_id: null,
      role: 'requester',
      queue_ids: null,
      erased_at: now,
      updated_at: now,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
  const accounts = await tx
    .deleteFrom('chat_user')
    .where((is) => is.and(own))
    .returning(['chat_user_id', 'chat_real_name', 'chat_display_name'])
    .execute();
  for (const table of ['identity', 'sign_in_link', 'notification', 'ticket_read', 'absence'] as const)
    await tx
      .deleteFrom(table)
      .where((is) => is.and(own))
      .execute();
  await endSession(tx, { workspaceId, personId: id });
  await endConnections(tx, { workspaceId, personId: id });
  await leaveMade(tx, { newId, caller, now }, { workspaceId, personId: id, handOverTo: null });
  await leaveTickets(tx, own);
  await leaveSaved(tx, own, person.email);
  await tx
    .updateTable('api_key')
    .set({ name: NOBODY.name })
    .where((is) => is.and(own))
    .execute();
  const reason = 'A user was erased: name, e-mail address, picture, chat accounts and sessions.';
  const actor = actorOf(caller);
  await writeAudit(tx, { newId, now }, { workspaceId, action: 'user.erased', actor, subjectId: id, reason });
  outbox.plan(
    copiesWork({
      workspaceId,
      personId: id,
      names: [
        ...new Set(
          [
            [person.first_name, person.last_name].filter(Boolean).join(' '),
            ...accounts.flatMap((account) => [account.chat_real_name, account.chat_display_name]),
            person.first_name,
            person.last_name,
          ].flatMap((name) => name?.trim() || []),
        ),
      ],
      addresses: [person.email, ...accounts.map(({ chat_user_id }) => chat_user_id)].flatMap(
        (one) => one ?? [],
      ),
    }),
  );
}

/** A key's user is the author of what its program writes. */
async function requireNoKey(tx: ServiceTx, own: { workspace_id: string; person_id: string }): Promise<void> {
  const key = await tx
    .selectFrom('api_key')
    .select('id')
    .where((is) => is.and(own))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (key) throw conflict(`This is the user of the API key ${key.id}. Revoke the key first.`);
}

/** An erased person is assigned no new ticket, follows none and replies to none. */
async function leaveTickets(tx: ServiceTx, own: { workspace_id: string; person_id: string }): Promise<void> {
  const { workspace_id, person_id } = own;
  await tx
    .deleteFrom('ticket_follower')
    .where((is) => is.and(own))
    .execute();
  await tx
    .updateTable('ticket')
    .set({ claim_person_id: null, claim_until: null })
    .where('workspace_id', '=', workspace_id)
    .where('claim_person_id', '=', person_id)
    .execute();
  const { numAffectedRows = 0n } =
    await sql`update queue set auto_assignees = array_remove(auto_assignees, ${person_id})
    where workspace_id = ${workspace_id} and ${person_id} = any(auto_assignees)`.execute(tx);
  if (numAffectedRows > 0n) await tellReadersChange(tx);
}

/**
 * Drafts, scheduled replies and what the person saved for themselves are deleted; what they shared stays without an
 * owner. Views that filter by the e-mail address filter by the person's id instead.
 */
async function leaveSaved(
  tx: ServiceTx,
  own: { workspace_id: string; person_id: string },
  email: string | null,
): Promise<void> {
  const { workspace_id, person_id } = own;
  await tx
    .deleteFrom('ticket_draft')
    .where((is) => is.and(own))
    .execute();
  await tx
    .deleteFrom('scheduled_reply')
    .where('workspace_id', '=', workspace_id)
    .where('author_id', '=', person_id)
    .execute();
  // A drafted reply to them would name them, also on the ticket into which theirs was merged.
  await sql`delete from reply_draft where workspace_id = ${workspace_id}
    and (author_kind = 'person' and author_id = ${person_id} or ticket_id in (
      select unnest(array[id, merged_into_id]) from ticket
      where workspace_id = ${workspace_id} and requester_id = ${person_id}))`.execute(tx);
  for (const table of ['view', 'canned_reply'] as const) {
    const theirs = { workspace_id, owner_id: person_id };
    await tx
      .deleteFrom(table)
      .where((is) => is.and({ ...theirs, is_shared: false }))
      .execute();
    await tx
      .updateTable(table)
      .set({ owner_id: null })
      .where((is) => is.and(theirs))
      .execute();
  }
  if (email === null) return;
  await sql`update view set filters = filters - 'email' || jsonb_build_object('requesterId', ${person_id}::text)
    where workspace_id = ${workspace_id} and lower(filters ->> 'email') = lower(${email})`.execute(tx);
}
