import { type Answer, type Client, ServiceError, UnreachableError } from '../client/index.ts';
import type { RouteBody } from '../contract/index.ts';
import type { Everywhere } from './everywhere.ts';

type Message = RouteBody<'createTicketMessage'>;

/** How many of a ticket's latest messages are looked at: what was just sent is among them. */
const LOOKED_AT = 50;

/**
 * Writes a message. Where the answer is lost, the ticket is looked at before the person is told that it failed, so that
 * what arrived is not sent again. @throws ServiceError where it surely is not there, or where nobody can tell.
 */
export async function sendOnce(
  client: Client,
  everywhere: Everywhere,
  message: Message,
): Promise<Answer<'createTicketMessage'>> {
  const query = {
    ticketId: message.ticketId,
    sortBy: 'createdAt',
    sortDirection: 'desc',
    limit: LOOKED_AT,
  };
  const latest = async () =>
    ((await everywhere.call(client, 'listTicketMessages', { query })) as Answer<'listTicketMessages'>).items;
  const before = await latest().catch((error: unknown) => {
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
    const after = await latest().catch(() => []);
    const arrived = after.find(
      ({ id, content, private: note }) =>
        !known.has(id) && content === message.content && note === (message.private ?? false),
    );
    if (arrived) return arrived;
    throw error;
  }
}
