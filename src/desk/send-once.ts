import { type Answer, type Client, ServiceError, UnreachableError } from '../client/index.ts';
import type { RouteBody } from '../contract/index.ts';

type Message = RouteBody<'createTicketMessage'>;

/** How many of a ticket's latest messages are looked at: what was just sent is among them. */
const LOOKED_AT = 50;

/**
 * Writes a message. Where the answer is lost, the ticket is looked at before the person is told that it failed, so that
 * what arrived is not sent again. @throws ServiceError where it surely is not there, or where nobody can tell.
 */
export async function sendOnce(client: Client, message: Message): Promise<Answer<'createTicketMessage'>> {
  const before = await latest(client, message.ticketId).catch((error: unknown) => {
    // Nothing was sent yet, whatever became of the reading.
    if (error instanceof ServiceError && !error.certain)
      throw new UnreachableError('POST /ticket-messages', true, error);
    throw error;
  });
  const known = new Set(before.map(({ id }) => id));
  try {
    return await client.createTicketMessage({ body: message });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.certain) throw error;
    const after = await latest(client, message.ticketId).catch(() => []);
    const arrived = after.find(
      ({ id, content, private: note }) =>
        !known.has(id) && content === message.content && note === (message.private ?? false),
    );
    if (arrived) return arrived;
    throw error;
  }
}

async function latest(client: Client, ticketId: string): Promise<Answer<'listTicketMessages'>['items']> {
  const { items } = await client.listTicketMessages({
    query: { ticketId, sortBy: 'createdAt', sortDirection: 'desc', limit: LOOKED_AT },
  });
  return items;
}
