import { link } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import type { Answer } from '../chat/respond.ts';
import { escapeChat } from '../text/to-chat.ts';
import type { Ticket } from './find-ticket.ts';
import { ticketUrl } from './ticket-facts.ts';

/** Sets a ticket's status and says so. Throws ServiceError. */
export async function setStatus(
  bridge: Bridge,
  ticket: Ticket,
  { id, label }: { id: string; label: string },
): Promise<Answer> {
  const reference = link(ticketUrl(bridge, ticket.code), ticket.code);
  if (ticket.statusId === id) return { text: `${reference} is *${escapeChat(label)}* already.` };
  await bridge.service.updateTicket({ params: { id: ticket.id }, body: { data: { statusId: id } } });
  return { text: `${reference} is now *${escapeChat(label)}*.` };
}
