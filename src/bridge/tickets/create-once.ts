import type { Answer, TicketState } from '../../client/index.ts';
import { BRIDGE_CHANNEL, type RouteBody } from '../../contract/index.ts';
import type { Bridge } from '../bridge.ts';
import { checkWritten } from '../inbox/store.ts';
import type { Attempt } from '../work.ts';
import { findByTicket } from '../store/conversations.ts';
import { messagesOf, type TicketMessage } from './ticket-messages.ts';

type MessageBody = Omit<RouteBody<'createTicketMessage'>, 'ticketId'>;
/** A ticket message that was created, now or by an earlier attempt. */
export type Written = Pick<TicketMessage, 'id' | 'authorId' | 'ticketId'> & {
  /** False if the service had it before this work began, as when the bridge has lost its tables. */
  isNew: boolean;
  /** Whether this attempt created it. */
  created: boolean;
  /** The ticket's state since then, if the service returns it. */
  ticket: TicketState | undefined;
};
export type WriteMessage = (body: MessageBody) => Promise<Written>;
type TicketBody = RouteBody<'createTicket'>;

/** Maximum delay of the service's clock. */
export const SKEW_MS = 10 * 60_000;

/**
 * Returns a writer that creates messages of one ticket, each once however often its work begins: before a POST that
 * may be a repetition, it lists the ticket's messages (docs/api.md, Another service). Throws ServiceError.
 */
export function messageWriter(bridge: Bridge, attempt: Attempt, ticketId: string): WriteMessage {
  const { service, database } = bridge;
  const taken = new Set<string>();

  /** The links of messages that tell where each was written, or that its own thread shows it. */
  function linksThatTell(messages: readonly TicketMessage[], body: MessageBody) {
    const links = database.db
      .selectFrom('message_link')
      .innerJoin('conversation', 'conversation.id', 'message_link.conversation_id')
      .select('ticket_message_id')
      .where(
        'ticket_message_id',
        'in',
        messages.map(({ id }) => id),
      );
    // The copy in the team's thread is there also before it is known what was written in the requester's.
    const isCopied = !body.private;
    return isCopied
      ? links.where((is) => is.or([is('origin', '=', 'chat'), is('role', '<>', 'triage')])).execute()
      : links.execute();
  }

  async function storedBefore(body: MessageBody): Promise<TicketMessage | undefined> {
    // For a service without chat pairs: an equal message that is not known to be another one.
    const same: TicketMessage[] = [];
    for await (const one of messagesOf(bridge, ticketId)) {
      if (taken.has(one.id)) continue;
      const isNamed = one.chatMessages.some(
        (copy) => copy.channelId === body.chatChannelId && copy.ts === body.chatTimestamp,
      );
      if (isNamed) return one;
      const isEqual =
        one.chatMessages.length === 0 &&
        !one.deleted &&
        one.private === (body.private ?? false) &&
        one.content === body.content &&
        (!body.authorId || one.authorId === body.authorId);
      if (isEqual) same.push(one);
    }
    if (same.length === 0) return undefined;
    const links = await linksThatTell(same, body);
    return same.find(({ id }) => !links.some((link) => link.ticket_message_id === id));
  }

  return async (body) => {
    const stored = attempt.firstAttempt ? undefined : await storedBefore(body);
    const { record, created, ticket } = stored
      ? { record: stored, created: undefined, ticket: undefined }
      : await service.createOrFind('createTicketMessage', { body: { ...body, ticketId } });
    taken.add(record.id);
    // A later attempt finds what an earlier one created without recording it.
    return {
      id: record.id,
      authorId: record.authorId,
      ticketId: record.ticketId,
      isNew: !attempt.firstAttempt || created !== false,
      created: stored === undefined && created !== false,
      ticket,
    };
  };
}

/** Opens a ticket, once however often its work begins; tickets are searched by the service's filters. */
export async function createTicketOnce(
  bridge: Bridge,
  attempt: Attempt,
  body: TicketBody,
): Promise<Answer<'createTicket'>> {
  // Its queue is unknown: a form's request type may name another workspace's queue.
  for (const workspaceId of attempt.firstAttempt ? [] : await bridge.channels.workspaceIds()) {
    const stored = await storedIn(bridge, workspaceId, attempt, body);
    if (stored !== undefined) return bridge.service.readTicket({ params: { id: stored } });
  }
  return bridge.service.createTicket({ body });
}

async function storedIn(
  { service, database }: Bridge,
  workspaceId: string,
  { receivedAt }: Attempt,
  body: TicketBody,
): Promise<string | undefined> {
  const { chatChannelId = null, chatTimestamp = null } = body;
  const since = new Date(receivedAt.getTime() - SKEW_MS).toISOString();
  const query = {
    workspaceId,
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
    // If the service supports neither filter nor order, all tickets are searched.
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

/**
 * Adds an internal note of the bridge to a ticket; idempotent by a chat pair that no chat message has.
 * @param key distinguishes this note from every other on the ticket.
 */
export async function addNote(
  bridge: Bridge,
  attempt: Attempt,
  ticketId: string,
  key: string,
  content: string,
): Promise<void> {
  const write = messageWriter(bridge, attempt, ticketId);
  const chatTimestamp = `${ticketId} ${key}`;
  const note = await write({ content, private: true, chatChannelId: BRIDGE_CHANNEL, chatTimestamp });
  // A check that writes the same note each time must not cause the next check. But an earlier attempt may have created
  // the note and ended before it asked for one.
  if (note.created || !attempt.firstAttempt) await checkWritten(bridge, ticketId);
}
