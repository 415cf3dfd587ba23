import { ID_PREFIXES, type LinkKind, LIMITS } from '../../contract/index.ts';
import { requireAccess, visibleAmong } from '../access/ticket-access.ts';
import type { ServiceTx } from '../handler.ts';
import { found, unprocessable } from '../problem.ts';
import { noSuch } from '../references.ts';
import { ticketKey, type TicketKey, ticketNamed } from './find.ts';
import { announce, type ChangingTogether, detailsOf, lockTickets, stampTickets } from './together.ts';

/**
 * Links a ticket with another one of its workspace that the caller sees. The same link again changes nothing; a
 * relation without a direction is the same from both sides.
 * @throws 404 or 403 without access to the ticket; 422 for itself, an unknown ticket, or too many links.
 */
export async function linkTicket(
  tx: ServiceTx,
  changing: ChangingTogether,
  { workspaceId, id }: TicketKey,
  { ticketId, kind }: { ticketId: string; kind: LinkKind },
): Promise<void> {
  const { tools, caller, now } = changing;
  const named = found(await ticketNamed(tx, caller, ticketId, workspaceId));
  if (named.id === id) throw unprocessable('ticketId', 'A ticket cannot be linked with itself');
  const locked = await lockTickets(tx, workspaceId, [id, named.id]);
  await requireAccess(tx, caller, ticketKey(found(locked.find((row) => row.id === id))), 'team');
  const [other] = await visibleAmong(tx, caller, [workspaceId], locked.length === 2 ? [named.id] : []);
  if (other === undefined) throw noSuch('ticket', ticketId, 'ticketId');
  const before = await detailsOf(tx, workspaceId, [id, other], now);
  const isThere = before[0]?.links.some(
    (link) =>
      link.ticket.id === other && link.kind === kind && (kind === 'related' || link.direction === 'out'),
  );
  if (isThere) return;
  if (before.some(({ links }) => links.length >= LIMITS.arrayItems))
    throw unprocessable('ticketId', `A ticket has at most ${LIMITS.arrayItems} links`);
  await tx
    .insertInto('ticket_link')
    .values({
      workspace_id: workspaceId,
      id: tools.newId(ID_PREFIXES.ticketLink),
      created_at: now,
      ticket_id: id,
      other_id: other,
      kind,
    })
    .execute();
  await stampTickets(tx, workspaceId, [id, other], now);
  await announce(tx, changing, workspaceId, before);
}

/** Removes a link that the caller sees, from either of its tickets; 404 if there is none. */
export async function unlinkTicket(
  tx: ServiceTx,
  changing: ChangingTogether,
  { workspaceId, id }: TicketKey,
  linkId: string,
): Promise<void> {
  const { caller, now } = changing;
  const row = found(
    await tx
      .selectFrom('ticket_link')
      .select(['ticket_id', 'other_id'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', linkId)
      .where((is) => is.or([is('ticket_id', '=', id), is('other_id', '=', id)]))
      .executeTakeFirst(),
  );
  const ids = [row.ticket_id, row.other_id];
  await lockTickets(tx, workspaceId, ids);
  await requireAccess(tx, caller, { workspaceId, id }, 'team');
  found((await visibleAmong(tx, caller, [workspaceId], ids)).length === 2 ? row : undefined);
  const before = await detailsOf(tx, workspaceId, ids, now);
  const removed = await tx
    .deleteFrom('ticket_link')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', linkId)
    .returning('id')
    .executeTakeFirst();
  found(removed);
  await stampTickets(tx, workspaceId, ids, now);
  await announce(tx, changing, workspaceId, before);
}
