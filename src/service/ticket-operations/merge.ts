import { sql } from 'kysely';

import { LIMITS } from '../../contract/index.ts';
import { visibleAmong, requireAccess } from '../access/ticket-access.ts';
import { isVisibleTo, viewerOfRow } from '../access/viewer.ts';
import type { ServiceTx } from '../handler.ts';
import { createMessage } from '../messages/create.ts';
import { found, unprocessable } from '../problem.ts';
import { noSuch } from '../references.ts';
import { moveReplyDrafts } from '../saved/reply-drafts.ts';
import { moveScheduledReplies } from '../scheduled-replies/move.ts';
import { changedMeanwhile } from '../tickets/expected.ts';
import { ticketKey, lockTicket, type StoredTicket, type TicketKey, ticketNamed } from '../tickets/find.ts';
import { haveSameReaders } from '../tickets/merged-visibility.ts';
import { codeOf } from '../ticket-code.ts';
import { closedStatus } from '../tickets/statuses.ts';
import { announce, type ChangingTogether, detailsOf, stampTickets } from '../tickets/together.ts';
import { updateTicket } from '../tickets/update.ts';

/**
 * Merges a ticket into another one of its workspace: it is closed, a message on it says where it goes on, later
 * messages for it are stored on the other one, as are its scheduled and drafted replies, and its requester follows that. Tickets
 * that were merged into it go on there too, and their threads say so. `ticket_merge` keeps what it changed, for
 * `undoMerge`.
 * @throws 404 or 403 without access to the ticket; 409 if it is merged already; 422 for a ticket that it cannot be
 *   merged
 *   into: itself, one of another workspace, a merged or archived one, one of other visibility, because a private text
 *   must not become public, one of a queue with other readers, one that a requester who would follow it may not read,
 *   and one that would have too many followers. All of that is known before anything is written.
 */
export async function mergeTicket(
  tx: ServiceTx,
  changing: ChangingTogether,
  source: TicketKey,
  into: string,
): Promise<TicketKey> {
  const { caller, now } = changing;
  const { workspaceId } = source;
  const named = found(await ticketNamed(tx, caller, into, workspaceId));
  if (named.id === source.id) throw unprocessable('intoId', 'A ticket cannot be merged into itself');
  const locked = await lockMerging(tx, source, named.id);
  const [from, target] = [source.id, named.id].map((id) => locked.find((row) => row.id === id));
  await requireAccess(tx, caller, ticketKey(found(from)), 'team');
  const [visible] = await visibleAmong(tx, caller, [workspaceId], target ? [target.id] : []);
  if (!from || !target || visible === undefined) throw noSuch('ticket', into, 'intoId');
  await requireAccess(tx, caller, ticketKey(target), 'team');
  await requireMergeable(tx, changing, from, target);
  const moved = locked.filter(({ merged_into_id: id }) => id === from.id);
  const going = [from, ...moved];
  await requireRequestersMayRead(tx, going, target);
  const before = await detailsOf(tx, workspaceId, [target.id, ...going.map(({ id }) => id)], now);
  const codes = new Map(before.map(({ id, code }) => [id, code]));
  const [ownCode, targetCode] = [codes.get(from.id) ?? '', codes.get(target.id) ?? ''];
  await requireRoomForFollowers(tx, going, target, targetCode);
  // The messages are written before the merge, or they would be stored on the other ticket.
  await setMergedInto(tx, workspaceId, moved, null);
  const then = `Messages written here are added to ${targetCode}.`;
  await writeLine(tx, changing, from, `This request was merged into ${targetCode}. ${then}`);
  for (const ticket of moved)
    await writeLine(tx, changing, ticket, `${ownCode} was merged into ${targetCode}. ${then}`);
  if (from.resolved_at === null && from.closed_at === null)
    await updateTicket(tx, changing, await lockTicket(tx, source), {
      data: { statusId: await closedStatus(tx, workspaceId) },
    });
  await setMergedInto(tx, workspaceId, going, target.id);
  await tx
    .insertInto('ticket_merge')
    .values({
      workspace_id: workspaceId,
      ticket_id: from.id,
      into_id: target.id,
      snooze_until: from.snooze_until,
      at: now,
    })
    .execute();
  for (const ticket of going) await follow(tx, ticket, target);
  const goingIds = going.map(({ id }) => id);
  await moveScheduledReplies(tx, workspaceId, goingIds, target.id);
  await moveReplyDrafts(tx, workspaceId, goingIds, target.id);
  await stampTickets(tx, workspaceId, [...codes.keys()], now);
  await announce(tx, changing, workspaceId, before, (id) =>
    id === target.id ? [{ kind: 'merged', field: 'mergedFrom', from: from.id, to: null }] : [],
  );
  return ticketKey(target);
}

/**
 * Undoes the merge of a ticket that was just reopened. What was merged into it goes on there again, nobody follows
 * another ticket any more only because of it, and its snooze is restored if it is still ahead. What people did since
 * stays: messages, and followers that they added.
 * @param before the ticket as it was locked, while it was merged; the caller records the change of the ticket itself.
 */
export async function undoMerge(
  tx: ServiceTx,
  changing: ChangingTogether,
  before: StoredTicket,
): Promise<void> {
  const { now } = changing;
  const { workspace_id: workspaceId, id, merged_into_id: last } = before;
  if (last === null) return;
  const { returning, above } = await chainOf(tx, workspaceId, id);
  const merge = await tx
    .deleteFrom('ticket_merge')
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .returning(['into_id', 'snooze_until'])
    .executeTakeFirst();
  const direct = merge?.into_id ?? last;
  const others = [...new Set([direct, last, ...above, ...returning])];
  const old = await detailsOf(tx, workspaceId, others, now);
  if (merge?.snooze_until && merge.snooze_until > now)
    await tx
      .updateTable('ticket')
      .set({ snooze_until: merge.snooze_until })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .where('snooze_until', 'is', null)
      .execute();
  await unfollow(tx, workspaceId, [id, ...returning]);
  const stays = returning.map((each) => ({ workspace_id: workspaceId, id: each }));
  await setMergedInto(tx, workspaceId, stays, null);
  const codes = await codesOf(tx, workspaceId, [id, last]);
  const [ownCode, lastCode] = [codes.get(id) ?? '', codes.get(last) ?? ''];
  await writeLine(
    tx,
    changing,
    before,
    `This request is no longer merged into ${lastCode}. Messages written here stay here.`,
  );
  for (const ticket of stays)
    await writeLine(
      tx,
      changing,
      ticket,
      `${ownCode} is no longer merged into ${lastCode}. Messages written here are added to ${ownCode}.`,
    );
  await setMergedInto(tx, workspaceId, stays, id);
  await stampTickets(tx, workspaceId, others, now);
  await announce(tx, changing, workspaceId, old, (other) =>
    other === direct ? [{ kind: 'unmerged', field: 'mergedFrom', from: id, to: null }] : [],
  );
}

/** The ticket that a line is written to. */
type Place = Pick<StoredTicket, 'workspace_id' | 'id'>;

/** Stores which ticket gets the later messages of these; null: they keep theirs. */
async function setMergedInto(
  tx: ServiceTx,
  workspaceId: string,
  tickets: readonly Place[],
  into: string | null,
): Promise<void> {
  if (tickets.length === 0) return;
  await tx
    .updateTable('ticket')
    .set({ merged_into_id: into })
    .where('workspace_id', '=', workspaceId)
    .where(
      'id',
      'in',
      tickets.map(({ id }) => id),
    )
    .execute();
}

/** Writes a line about a merge, for everyone in the ticket's thread. It is no reply: `respondedAt` stays. */
async function writeLine(
  tx: ServiceTx,
  { tools, caller, now, actorId, outbox }: ChangingTogether,
  { workspace_id: workspaceId, id: ticketId }: Place,
  content: string,
): Promise<void> {
  const authorId = actorId ?? caller.personId;
  await createMessage(
    tx,
    { tools, caller, now },
    { ticketId, workspaceId, content, source: 'SYSTEM', authorId },
    outbox,
  );
}

/**
 * Returns the tickets that a merged one brings back when its merge is undone (those merged into it, also by way of
 * others), and those that it goes by way of.
 */
async function chainOf(
  tx: ServiceTx,
  workspaceId: string,
  id: string,
): Promise<{ returning: string[]; above: string[] }> {
  const { rows } = await sql<{ id: string; below: boolean }>`
    with recursive below as (
      select ticket_id as id from ticket_merge where workspace_id = ${workspaceId} and into_id = ${id}
      union
      select m.ticket_id from ticket_merge m join below b on m.into_id = b.id where m.workspace_id = ${workspaceId}
    ), above as (
      select into_id as id from ticket_merge where workspace_id = ${workspaceId} and ticket_id = ${id}
      union
      select m.into_id from ticket_merge m join above a on m.ticket_id = a.id where m.workspace_id = ${workspaceId}
    )
    select id, true as below from below union all select id, false from above`.execute(tx);
  const of = (isBelow: boolean) => rows.filter(({ below }) => below === isBelow).map((row) => row.id);
  return { returning: of(true), above: of(false) };
}

async function codesOf(
  tx: ServiceTx,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('ticket as t')
    .innerJoin('queue as q', (join) =>
      join.onRef('q.workspace_id', '=', 't.workspace_id').onRef('q.id', '=', 't.queue_id'),
    )
    .select(['t.id', 'q.prefix', 't.number'])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, prefix, number }) => [id, codeOf(prefix, number)]));
}

/** Locks both tickets and those that were merged into the first, in the order of their ids. */
async function lockMerging(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  into: string,
): Promise<StoredTicket[]> {
  return tx
    .selectFrom('ticket')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where((is) => is.or([is('id', 'in', [id, into]), is('merged_into_id', '=', id)]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

async function requireMergeable(
  tx: ServiceTx,
  { caller }: ChangingTogether,
  from: StoredTicket,
  target: StoredTicket,
): Promise<void> {
  if (from.merged_into_id !== null)
    throw await changedMeanwhile(tx, caller, ticketKey(from), 'mergedIntoId', from.merged_into_id);
  if (target.merged_into_id !== null)
    throw unprocessable('intoId', 'That ticket was merged into another one. Choose the other one.');
  if (target.archived_at !== null) throw unprocessable('intoId', 'That ticket is archived.');
  if (from.private !== target.private)
    throw unprocessable(
      'intoId',
      'A private and a public ticket cannot be merged. Change one of them first.',
    );
  if (!(await haveSameReaders(tx, from.workspace_id, from.queue_id, target.queue_id)))
    throw unprocessable(
      'intoId',
      'Tickets of these two queues have different readers, so they cannot be merged. Move one of them first.',
    );
}

/**
 * Throws 422 if a requester would follow a ticket that they may not read, a private one or one of a queue that is not
 * for everyone: a merge shows nobody a conversation. Whoever takes part in it, and the team, may read it already.
 */
async function requireRequestersMayRead(
  tx: ServiceTx,
  going: readonly StoredTicket[],
  target: StoredTicket,
): Promise<void> {
  for (const { requester_id: requesterId } of going) {
    if (requesterId === null) continue;
    const { rows } = await sql<{ code: string; name: string }>`
      select q.prefix || '-' || t.number as code,
        coalesce(nullif(concat_ws(' ', p.first_name, p.last_name), ''), p.email, 'Its requester') as name
      from ticket t
      join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
      join person p on p.workspace_id = t.workspace_id and p.id = ${requesterId} and p.erased_at is null
      where t.workspace_id = ${target.workspace_id} and t.id = ${target.id}
        and ${isVisibleTo(viewerOfRow('p'))} is not true`.execute(tx);
    const [stranger] = rows;
    if (stranger)
      throw unprocessable(
        'intoId',
        `${stranger.name} may not read ${target.private ? 'the private ticket ' : ''}${stranger.code}. Make them a follower of it first, if they may read all of it.`,
      );
  }
}

/**
 * Throws 422 if the ticket had too many followers after the merge. To leave some requesters out instead would end their
 * requests without a word: they could neither read nor be told how these go on.
 */
async function requireRoomForFollowers(
  tx: ServiceTx,
  going: readonly StoredTicket[],
  target: StoredTicket,
  code: string,
): Promise<void> {
  const requesters = going.flatMap(({ requester_id: id }) => (id === target.requester_id ? [] : (id ?? [])));
  const { rows } = await sql<{ added: number; following: number }>`
    with following as (
      select person_id from ticket_follower
      where workspace_id = ${target.workspace_id} and ticket_id = ${target.id}
    )
    select (select count(*) from following)::int as following,
      (select count(*) from person p where p.workspace_id = ${target.workspace_id} and p.erased_at is null
        and p.id = any(${requesters}::text[]) and p.id not in (select person_id from following))::int as added`.execute(
    tx,
  );
  const { added = 0, following = 0 } = rows[0] ?? {};
  const most = LIMITS.ofTicket.followers;
  if (added > 0 && following + added > most)
    throw unprocessable(
      'intoId',
      `There are at most ${most} followers of a ticket. Remove some of ${code} first, or choose another ticket`,
    );
}

/**
 * Makes the requester of a ticket follow the one that it goes on in, unless it is their own. `ticket_merge_follower`
 * has those who follow for no other reason.
 */
async function follow(tx: ServiceTx, from: StoredTicket, target: StoredTicket): Promise<void> {
  if (from.requester_id === null || from.requester_id === target.requester_id) return;
  const their = sql`f.workspace_id = ${target.workspace_id} and f.ticket_id = ${target.id} and f.person_id = p.id`;
  await sql`
    with added as (
      insert into ticket_follower (workspace_id, ticket_id, person_id, position)
      select p.workspace_id, ${target.id}, p.id, (
        select coalesce(max(x.position) + 1, 0) from ticket_follower x
        where x.workspace_id = p.workspace_id and x.ticket_id = ${target.id})
      from person p
      where p.workspace_id = ${from.workspace_id} and p.id = ${from.requester_id} and p.erased_at is null
      on conflict do nothing
      returning person_id
    )
    insert into ticket_merge_follower (workspace_id, ticket_id, person_id, merged_id)
    select p.workspace_id, ${target.id}, p.id, ${from.id}
    from person p
    where p.workspace_id = ${from.workspace_id} and p.id = ${from.requester_id}
      and (exists (select from added) or exists (select from ticket_merge_follower f where ${their}))`.execute(
    tx,
  );
}

/** Removes followers whom other tickets have only because these were merged into them. */
async function unfollow(tx: ServiceTx, workspaceId: string, merged: readonly string[]): Promise<void> {
  const { rows } = await sql<{ ticket_id: string; person_id: string }>`
    delete from ticket_merge_follower where workspace_id = ${workspaceId} and merged_id = any(${[...merged]}::text[])
      and ticket_id <> all(${[...merged]}::text[])
    returning ticket_id, person_id`.execute(tx);
  for (const { ticket_id: ticketId, person_id: personId } of rows)
    await sql`
      delete from ticket_follower f
      where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId} and f.person_id = ${personId}
        and not exists (select from ticket_merge_follower m where m.workspace_id = f.workspace_id
          and m.ticket_id = f.ticket_id and m.person_id = f.person_id)`.execute(tx);
}
