import type { CardFacts } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import type { Ticket } from './find-ticket.ts';

/** Where a ticket's reference leads. */
export function ticketUrl({ publicUrl }: Pick<Bridge, 'publicUrl'>, code: string): string {
  return `${publicUrl}/tickets/${encodeURIComponent(code)}`;
}

/** What a card says of a ticket: its record, with people by name. */
export async function factsOf(bridge: Bridge, ticket: Ticket): Promise<CardFacts> {
  const ids = [ticket.requesterId, ticket.assigneeId].filter((id) => id !== null);
  const { items } =
    ids.length > 0 ? await bridge.service.listUsers({ query: { set: ids.join(',') } }) : { items: [] };
  const nameOf = (id: string | null) => {
    const user = items.find((one) => one.id === id);
    return user
      ? [user.firstName, user.lastName].filter(Boolean).join(' ') || (user.email ?? undefined)
      : undefined;
  };
  return {
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? 'Untitled request',
    status: ticket.status.label,
    statusGroup: ticket.status.statusGroup.label,
    priority: ticket.priority,
    requester: nameOf(ticket.requesterId),
    assignee: nameOf(ticket.assigneeId),
    queue: ticket.queue?.name,
    private: ticket.private,
  };
}
