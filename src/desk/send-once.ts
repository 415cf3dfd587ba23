import { type Answer, ServiceError, UnreachableError } from '../client/index.ts';
import type { RouteBody } from '../contract/index.ts';
import type { Clients } from './clients.ts';
import type { Everywhere } from './everywhere.ts';

type Message = RouteBody<'createTicketMessage'>;

/** Number of a ticket's latest messages to search for the one just sent. */
const LOOKED_AT = 50;

/**
 * Writes a message. If the response is lost, the ticket is read before a failure is reported, so that a message that
 * arrived is not sent again. @throws ServiceError if the message was certainly not stored, or if that is unknown.
 */
export async function sendOnce(
  { token, clients, everywhere }: { token: string; clients: Clients; everywhere: Everywhere },
  message: Message,
): Promise<Answer<'createTicketMessage'>> {
  const query = {
    ticketId: message.ticketId,
    sortBy: 'createdAt',
    sortDirection: 'desc',
    limit: LOOKED_AT,
  };
  const latest = async () =>
    ((await everywhere.call(token, 'listTicketMessages', { query })) as Answer<'listTicketMessages'>).items;
  const before = await latest().catch((error: unknown) => {
    // The read failed before anything was sent.
    if (error instanceof ServiceError && !error.certain)
      throw new UnreachableError('POST /ticket-messages', true, error);
    throw error;
  });
  const known = new Set(before.map(({ id }) => id));
  try {
    return await clients.of(token).createTicketMessage({ body: message });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.certain) throw error;
    const after = await latest().catch(() => []);
    const arrived = after.find(
      ({ id, content, private: note }) =>
        !known.has(id) && content === message.content && note === (message.private ?? false),
    );
    if (arrived) return arrived;
    throw error;
  }
}
