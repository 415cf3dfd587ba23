import type { Answer } from '../../client/index.ts';
import type { RouteBody } from '../../contract/index.ts';
import type { Bridge } from '../bridge.ts';
import { findByTicket } from '../links/conversations.ts';
import { messagesOf, type TicketMessage } from './ticket-messages.ts';

/** The work that a creation belongs to: how often it was begun, and since when it is known. */
export interface Begun {
  /** 1 for the first time. */
  readonly attempt: number;
  readonly receivedAt: Date;
}

type MessageBody = Omit<RouteBody<'createTicketMessage'>, 'ticketId'>;
/** What is known of a ticket message that was written, now or by an earlier attempt. */
export type Written = Pick<TicketMessage, 'id' | 'authorId' | 'createdAt'>;
export type WriteMessage = (body: MessageBody) => Promise<Written>;
type TicketBody = RouteBody<'createTicket'>;

/** Work that is older than this may have been begun before, also where that was not counted (given back, put back). */
const FRESH_MS = 5_000;
/** How far the service's clock may be behind ours. */
export const SKEW_MS = 10 * 60_000;

function isFirst({ clock }: Bridge, { attempt, receivedAt }: Begun): boolean {
  return attempt === 1 && clock.now().getTime() - receivedAt.getTime() < FRESH_MS;
}

/**
 * Writes messages of one ticket, each once however often its work is begun: before a POST that may have been made
 * before, the ticket's messages are listed (docs/decisions.md, Degradations). Throws ServiceError.
 */
export function messageWriter(bridge: Bridge, begun: Begun, ticketId: string): WriteMessage {
  const { service, database } = bridge;
  let listed: TicketMessage[] | undefined;
  const taken = new Set<string>();

  async function storedBefore(body: MessageBody): Promise<TicketMessage | undefined> {
    listed ??= await messagesOf(bridge, ticketId);
    const messages = listed.filter(({ id }) => !taken.has(id));
    const named = messages.find((one) =>
      one.chatMessages.some(
        (copy) => copy.channelId === body.chatChannelId && copy.ts === body.chatTimestamp,
      ),
    );
    if (named) return named;
    // A service that keeps no pairs: what says the same, and is not known to be something else.
    const same = messages.filter(
      (one) =>
        one.chatMessages.length === 0 &&
        !one.deleted &&
        one.private === (body.private ?? false) &&
        one.content === body.content &&
        (!body.authorId || one.authorId === body.authorId),
    );
    if (same.length === 0) return undefined;
    const links = await database.db
      .selectFrom('message_link')
      .select('ticket_message_id')
      .where(
        'ticket_message_id',
        'in',
        same.map(({ id }) => id),
      )
      .execute();
    return same.find(({ id }) => !links.some((link) => link.ticket_message_id === id));
  }

  return async (body) => {
    const stored = isFirst(bridge, begun) ? undefined : await storedBefore(body);
    const written = stored ?? (await service.createTicketMessage({ body: { ...body, ticketId } }));
    taken.add(written.id);
    return written;
  };
}

/** Opens a ticket once, however often its work is begun; tickets are looked through by what the service filters by. */
export async function createTicketOnce(
  bridge: Bridge,
  begun: Begun,
  body: TicketBody,
): Promise<Answer<'createTicket'>> {
  const stored = isFirst(bridge, begun) ? undefined : await storedTicket(bridge, begun, body);
  if (stored !== undefined) return bridge.service.readTicket({ params: { id: stored } });
  return bridge.service.createTicket({ body });
}

async function storedTicket(
  { service, database }: Bridge,
  { receivedAt }: Begun,
  body: TicketBody,
): Promise<string | undefined> {
  const { chatChannelId = null, chatTimestamp = null } = body;
  const since = new Date(receivedAt.getTime() - SKEW_MS).toISOString();
  const query = {
    chatChannelId,
    chatMessageTs: chatTimestamp,
    includeArchived: true,
    includeUnpublished: true,
    sortBy: 'createdAt',
    sortDirection: 'desc',
  } as const;
  let alike: string | undefined;
  let previous: string | undefined;
  let falling = true;
  for await (const ticket of service.all('listTickets', { query })) {
    if (ticket.chatThreads.some((one) => one.channelId === chatChannelId && one.messageTs === chatTimestamp))
      return ticket.id;
    // Neither the filter nor the order need be known there: then all of them are looked through.
    falling &&= previous === undefined || ticket.createdAt <= previous;
    const seenNewer = previous !== undefined && ticket.createdAt < previous;
    previous = ticket.createdAt;
    if (falling && seenNewer && ticket.createdAt < since) break;
    if (
      alike === undefined &&
      ticket.createdAt >= since &&
      ticket.chatThreads.length === 0 &&
      (!body.title || ticket.title === body.title) &&
      ticket.description === body.description &&
      (!body.requesterId || ticket.requesterId === body.requesterId) &&
      (await findByTicket(database.db, ticket.id)) === undefined
    )
      alike = ticket.id;
  }
  return alike;
}
