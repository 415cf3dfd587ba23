import type { Answer } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { type PlacedTicket, workspaceOf } from '../tickets/workspace-of.ts';

export type TicketMessage = Answer<'listTicketMessages'>['items'][number];

/** What is asked for beside the ticket, where the service knows the filter: whoever reads the answer looks again. */
interface Narrowing {
  /** The ticket's; without it the messages are looked for in every workspace. */
  workspaceId?: string | undefined;
  updatedFrom?: string | null;
  private?: boolean;
  sortBy?: 'updatedAt';
  sortDirection?: 'asc';
}

/**
 * A ticket's messages, in the service's order; none of another ticket's, where a service does not know that filter.
 * Throws ServiceError.
 */
export async function messagesOf(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  ticketId: string,
  narrowing: Narrowing = {},
): Promise<TicketMessage[]> {
  const workspaces = narrowing.workspaceId ? [narrowing.workspaceId] : await channels.workspaceIds();
  const messages: TicketMessage[] = [];
  for (const workspaceId of workspaces) {
    const query = { ...narrowing, workspaceId, ticketId };
    for await (const message of service.all('listTicketMessages', { query }))
      if (message.ticketId === ticketId) messages.push(message);
    if (messages.length > 0) break;
  }
  return messages;
}

/**
 * What changed of a ticket's messages since an instant of the service (all of them without one), in that order. A
 * service that knows neither filter nor order still gives the messages: the instant is then only a saving. Throws
 * ServiceError.
 */
export async function messagesChangedSince(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  ticket: PlacedTicket & { id: string },
  updatedFrom: string | null,
): Promise<TicketMessage[]> {
  const messages = await messagesOf(bridge, ticket.id, {
    workspaceId: workspaceOf(ticket),
    updatedFrom,
    sortBy: 'updatedAt',
    sortDirection: 'asc',
  });
  return messages.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0));
}
