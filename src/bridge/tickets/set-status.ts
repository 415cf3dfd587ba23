import type { Bridge } from '../bridge.ts';
import type { Answer } from '../slack/respond.ts';
import { escapeChat } from '../text/to-chat.ts';
import type { Ticket } from './find-ticket.ts';
import { ticketLink } from './ticket-facts.ts';
import { updateTicket } from './update-ticket.ts';

/** Sets a ticket's status for a user of the service and confirms it. Throws ServiceError. */
export async function setStatus(
  bridge: Bridge,
  ticket: Ticket,
  { id, label }: { id: string; label: string },
  by: string | null,
): Promise<Answer> {
  const reference = ticketLink(bridge, ticket.code);
  if (ticket.statusId === id) return { text: `${reference} is *${escapeChat(label)}* already.` };
  await updateTicket(bridge, by, ticket.id, { statusId: id });
  return { text: `${reference} is now *${escapeChat(label)}*.` };
}
