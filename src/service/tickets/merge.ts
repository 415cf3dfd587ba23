import { sql } from 'kysely';

import { visibleAmong, requireAccess } from '../access/ticket-access.ts';
import type { ServiceTx } from '../handler.ts';
import { createMessage } from '../messages/create.ts';
import { found, unprocessable } from '../problem.ts';
import { noSuch } from '../references.ts';
import { changedMeanwhile } from './expected.ts';
import { keyOf, lockTicket, type StoredTicket, type TicketKey, ticketNamed } from './find.ts';
import { closedStatus } from './statuses.ts';
import { announce, type ChangingTogether, detailsOf, stampTickets } from './together.ts';
import { updateTicket } from './update.ts';

/**
 * Merges a ticket into another one of its workspace: it is closed, a message on it says where it goes on, later messages
 * for it are stored on the other one, and its requester follows that. Tickets that were merged into it are merged into
 * the other one too. Reopening the ticket undoes it.
 * @throws 404 or 403 without access to the ticket; 409 if it is merged already; 422 for a ticket that it cannot be merged
 *   into: itself, one of another workspace, a merged or archived one, or one of other visibility, because a private
 *   text must not become public.
 */
export async function mergeTicket(
  tx: ServiceTx,
  changing: ChangingTogether,
  source: TicketKey,
  into: string,
): Promise<TicketKey> {
  const { tools, caller, now, actorId } = changing;
  const { workspaceId } = source;
  const named = found(await ticketNamed(tx, caller, into, workspaceId));
  if (named.id === source.id) throw unprocessable('intoId', 'A ticket cannot be merged into itself');
  const locked = await lockMerging(tx, source, named.id);
  const [from, target] = [source.id, named.id].map((id) => locked.find((row) => row.id === id));
  await requireAccess(tx, caller, keyOf(found(from)), 'team');
  const [visible] = await visibleAmong(tx, caller, [workspaceId], target ? [target.id] : []);
  if (!from || !target || visible === undefined) throw noSuch('ticket', into, 'intoId');
  await requireAccess(tx, caller, keyOf(target), 'team');
  await requireMergeable(tx, changing, from, target);
  const moved = locked.filter(({ merged_into_id: id }) => id === from.id).map(({ id }) => id);
  const changed = [from.id, target.id, ...moved];
  const before = await detailsOf(tx, workspaceId, changed, now);
  const code = before.find(({ id }) => id === target.id)?.code ?? '';
  // Before the merge, or the message would be stored on the other ticket. It is no reply: `respondedAt` stays.
  const content = `This request was merged into ${code}. Messages written here are added to ${code}.`;
  const authorId = actorId ?? caller.personId;
  await createMessage(
    tx,
    { tools, caller, now },
    { ticketId: from.id, workspaceId, content, source: 'SYSTEM', authorId },
    changing.outbox,
  );
  if (from.resolved_at === null && from.closed_at === null)
    await updateTicket(tx, changing, await lockTicket(tx, source), {
      data: { statusId: await closedStatus(tx, workspaceId) },
    });
  await tx
    .updateTable('ticket')
    .set({ merged_into_id: target.id })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', [from.id, ...moved])
    .execute();
  await follow(tx, from, target);
  await stampTickets(tx, workspaceId, changed, now);
  await announce(tx, changing, workspaceId, before, (id) =>
    id === target.id ? [{ kind: 'merged', field: 'mergedFrom', from: from.id, to: null }] : [],
  );
  return keyOf(target);
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
    throw await changedMeanwhile(tx, caller, keyOf(from), 'mergedIntoId', from.merged_into_id);
  if (target.merged_into_id !== null)
    throw unprocessable('intoId', 'That ticket was merged into another one. Choose the other one.');
  if (target.archived_at !== null) throw unprocessable('intoId', 'That ticket is archived.');
  if (from.private !== target.private)
    throw unprocessable(
      'intoId',
      'A private and a public ticket cannot be merged. Change one of them first.',
    );
}

/** Makes the requester of a ticket follow another one, unless it is their own. */
async function follow(tx: ServiceTx, from: StoredTicket, target: StoredTicket): Promise<void> {
  if (from.requester_id === null || from.requester_id === target.requester_id) return;
  await sql`
    insert into ticket_follower (workspace_id, ticket_id, person_id, position)
    select p.workspace_id, ${target.id}, p.id, (
      select coalesce(max(x.position) + 1, 0) from ticket_follower x
      where x.workspace_id = p.workspace_id and x.ticket_id = ${target.id})
    from person p
    where p.workspace_id = ${from.workspace_id} and p.id = ${from.requester_id} and p.erased_at is null
    on conflict do nothing`.execute(tx);
}
