import type { Answer } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { type PlacedTicket, workspaceOf } from '../tickets/workspace-of.ts';

export type TicketMessage = Answer<'listTicketMessages'>['items'][number];

/** Optional filters, if the service supports them: callers check the result again. */
interface Narrowing {
  /** The ticket's; without it the messages are searched in every workspace. */
  workspaceId?: string | undefined;
  updatedFrom?: string | null;
  private?: boolean;
  sortBy?: 'updatedAt';
  sortDirection?: 'asc';
}

/**
 * Returns a ticket's messages, in the service's order, without those of other tickets if a service ignores the filter.
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
 * Returns a ticket's messages changed since an instant of the service (all of them without one), in that order. A
 * service without filter and order returns all messages; the instant only saves work. Throws ServiceError.
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
