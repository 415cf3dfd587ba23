import type { Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { decideCloseUnanswered } from '../tickets/status-rules.ts';
import type { EventOf } from '../slack/chat-event.ts';
import type { Turn } from '../inbox/turn.ts';
import type { Conversation } from './conversations.ts';
import { workspaceOf } from '../tickets/workspace-of.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { addNote, isOwnNote } from '../tickets/add-note.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { setGroup } from '../tickets/set-group.ts';
import { messagesOf } from './ticket-messages.ts';

/**
 * The parent of a ticket's thread was deleted: without a reply by anyone else the ticket is closed (B59), else it stays
 * (B58).
 * @param also written with it.
 */
export async function closeUnanswered(
  bridge: Bridge,
  turn: Turn<EventOf<'message-deleted'>>,
  { ticket_id }: Conversation,
  also?: (tx: Tx<BridgeTables>) => Promise<void>,
): Promise<void> {
  const ticket = await readTicket(bridge, ticket_id ?? '');
  if (!ticket) return turn.finish('the ticket is gone, or not for this key to see');
  const answers = (await messagesOf(bridge, ticket.id, { workspaceId: workspaceOf(ticket) }))
    .filter((message) => !isOwnNote(message))
    .map(({ authorId, deleted }) => ({ author: authorId, deleted }));
  const group = ticket.status.statusGroup.label;
  if (!decideCloseUnanswered({ group, requester: ticket.requesterId, answers }))
    return turn.finish('B58 the root was deleted, the ticket stays', also);
  await addNote(
    bridge,
    turn,
    ticket.id,
    `closed ${turn.event.key}`,
    'Its first message was deleted in chat before anybody answered: the ticket was closed.',
  );
  await setGroup(bridge, ticket, 'Closed', null);
  await turn.finish('B59 the root was deleted before anybody answered: closed', also);
}
