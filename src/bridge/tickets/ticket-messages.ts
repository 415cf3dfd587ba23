import { type Answer, AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { type ConversationRole, COPY_TYPE } from '../store/conversations.ts';

export type TicketMessage = Answer<'listTicketMessages'>['items'][number];

/** Optional filters, if the service supports them: callers check the result again. */
interface Narrowing {
  /** The ticket's; without it the messages are searched in every workspace. */
  workspaceId?: string | undefined;
  updatedFrom?: string | null;
  private?: boolean;
  sortBy?: 'createdAt' | 'updatedAt';
  sortDirection?: 'asc' | 'desc';
}

/**
 * Yields a ticket's messages page by page, in the service's order, without those of other tickets if a service ignores
 * the filter. Whoever collects them keeps only what they need: a ticket may have any number. Throws ServiceError.
 */
export async function* messagesOf(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  ticketId: string,
  narrowing: Narrowing = {},
): AsyncGenerator<TicketMessage, void> {
  const workspaces = narrowing.workspaceId ? [narrowing.workspaceId] : await channels.workspaceIds();
  for (const workspaceId of workspaces) {
    let found = false;
    const query = { ...narrowing, workspaceId, ticketId };
    for await (const message of service.all('listTicketMessages', { query }))
      if (message.ticketId === ticketId) {
        found = true;
        yield message;
      }
    if (found) return;
  }
}

/** Returns one of a ticket's messages; undefined if it has none with this id. Throws ServiceError. */
export async function messageNamed(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  { id, workspaceId }: { id: string; workspaceId?: string },
  messageId: string,
): Promise<TicketMessage | undefined> {
  for await (const message of messagesOf(bridge, id, { workspaceId }))
    if (message.id === messageId) return message;
  return undefined;
}

/** Messages that one piece of work brings to chat: with texts as long as they may be, two megabytes. */
export const CHANGED_AT_ONCE = 20;

/** Some of the messages of a ticket that changed. */
export interface ChangedMessages {
  /** In order of change. */
  messages: TicketMessage[];
  /** Whether others changed after these. */
  more: boolean;
}

/**
 * Returns a ticket's messages changed since an instant of the service (all of them without one), in that order, and
 * after `CHANGED_AT_ONCE` only whether there are more: then the caller continues from the last one's instant.
 *
 * A service without filter and order returns messages in any order: then all are read, and the first ones are kept.
 * Throws ServiceError.
 */
export async function messagesChangedSince(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  { id: ticketId, workspaceId }: { id: string; workspaceId: string },
  updatedFrom: string | null,
): Promise<ChangedMessages> {
  const narrowing = { workspaceId, updatedFrom, sortBy: 'updatedAt', sortDirection: 'asc' } as const;
  const list = (from: string | null, limit: number) =>
    service.listTicketMessages({ query: { ...narrowing, ticketId, updatedFrom: from, limit } });
  const { items, nextCursor, totalCount } = await list(updatedFrom, CHANGED_AT_ONCE);
  const last = items.at(-1)?.updatedAt;
  if (last !== undefined && nextCursor !== null && isInOrder(items, { ticketId, updatedFrom })) {
    // Those from the last one on are all but those before it: so none of those left out changed earlier.
    const rest = await list(last, 1);
    if (rest.totalCount === totalCount - (items.length - 1)) return { messages: items, more: true };
  }
  return firstChanged(messagesOf({ service, channels }, ticketId, narrowing), updatedFrom);
}

/** Whether a page looks as it was asked for, and leads on. */
function isInOrder(
  page: readonly TicketMessage[],
  { ticketId, updatedFrom }: { ticketId: string; updatedFrom: string | null },
): boolean {
  const begin = updatedFrom ?? '';
  return (
    page.every((message) => message.ticketId === ticketId && message.updatedAt >= begin) &&
    page.every((message, at) => at === 0 || message.updatedAt > (page[at - 1]?.updatedAt ?? '')) &&
    page.length > 1
  );
}

/**
 * Keeps the messages that changed first. Those that changed at the same instant stay together, because the next ones
 * are asked for by an instant.
 */
async function firstChanged(
  all: AsyncIterable<TicketMessage>,
  updatedFrom: string | null,
): Promise<ChangedMessages> {
  let messages: TicketMessage[] = [];
  let more = false;
  const keepFirst = () => {
    messages.sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0));
    // What changed at the instant itself was seen, and does not bring the caller further.
    const after = messages.filter(({ updatedAt }) => updatedAt > (updatedFrom ?? ''));
    const last = after[CHANGED_AT_ONCE - 1]?.updatedAt;
    const kept = last === undefined ? messages : messages.filter(({ updatedAt }) => updatedAt <= last);
    more ||= kept.length < messages.length;
    messages = kept;
  };
  for await (const message of all) {
    if (message.updatedAt >= (updatedFrom ?? '')) messages.push(message);
    if (messages.length >= 4 * CHANGED_AT_ONCE) keepFirst();
  }
  keepFirst();
  return { messages, more };
}

/**
 * Yields those of a ticket's messages that were written until an instant, in that order, and that changed at another one
 * or later. A service that does not sort may leave some out. Throws ServiceError.
 */
export async function* messagesWrittenUntil(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  { id: ticketId, workspaceId }: { id: string; workspaceId: string },
  { until, updatedFrom }: { until: string; updatedFrom: string },
): AsyncGenerator<TicketMessage, void> {
  const narrowing = { workspaceId, updatedFrom, sortBy: 'createdAt', sortDirection: 'asc' } as const;
  for await (const message of messagesOf(bridge, ticketId, narrowing)) {
    if (message.createdAt > until) return;
    if (message.updatedAt >= updatedFrom) yield message;
  }
}

/** Messages per page, and in total, that are searched, newest first. */
const PAGE = 1_000;
const AT_MOST = 10_000;

/**
 * Returns the ticket of a message that an event named without it: by the links, by the record, or, if the service
 * cannot read a single message (Ext), by the list of the newest messages. Throws ServiceError.
 */
export async function ticketOfMessage(
  { database, service, channels }: Bridge,
  messageId: string,
): Promise<string | undefined> {
  const linked = await database.db
    .selectFrom('message_link')
    .innerJoin('conversation', 'conversation.id', 'message_link.conversation_id')
    .select('conversation.ticket_id')
    .where('message_link.ticket_message_id', '=', messageId)
    .executeTakeFirst();
  if (linked?.ticket_id) return linked.ticket_id;
  try {
    return (await service.readTicketMessage({ params: { id: messageId } })).ticketId;
  } catch (error) {
    if (!(error instanceof AnsweredError && error.missing)) throw error;
  }
  const newest = { sortBy: 'createdAt', sortDirection: 'desc', limit: PAGE } as const;
  for (const workspaceId of await channels.workspaceIds()) {
    let seen = 0;
    const query = { ...newest, workspaceId };
    for await (const { id, ticketId } of service.all('listTicketMessages', { query })) {
      if (id === messageId) return ticketId;
      if (++seen >= AT_MOST) break;
    }
  }
  return undefined;
}

/** Records in the service which chat message shows a ticket message. Not supported by every service (Ext). */
export async function recordCopy(bridge: Bridge, linkId: string): Promise<void> {
  const link = await placeOfLink(bridge, linkId);
  if (!link?.ts) return;
  const { ticket_message_id: id, channel_id: channelId, ts, team_id: teamId, thread_ts: threadId } = link;
  await unlessMissing(
    bridge.service.addChatMessage({ params: { id }, body: { channelId, ts, teamId, threadId } }),
  );
}

async function placeOfLink({ database }: Bridge, linkId: string) {
  return database.db
    .selectFrom('message_link')
    .innerJoin('conversation', 'conversation.id', 'message_link.conversation_id')
    .select([
      'message_link.ticket_message_id',
      'message_link.channel_id',
      'message_link.ts',
      'message_link.team_id',
      'conversation.thread_ts',
    ])
    .where('message_link.id', '=', linkId)
    .executeTakeFirst();
}

/** Records in the service where a ticket's card is (`mirrorTs`, B24). */
export async function recordCard(bridge: Bridge, conversationId: string): Promise<void> {
  const row = await bridge.database.db
    .selectFrom('card')
    .innerJoin('conversation', 'conversation.id', 'card.conversation_id')
    .select([
      'conversation.ticket_id',
      'conversation.channel_id',
      'conversation.thread_ts',
      'conversation.role',
      'conversation.recipient_user_id',
      'card.ts',
    ])
    .where('card.conversation_id', '=', conversationId)
    .executeTakeFirst();
  if (!row?.ticket_id || !row.ts) return;
  await unlessMissing(
    bridge.service.putChatThread({
      params: { id: row.ticket_id },
      body: { channelId: row.channel_id, messageTs: row.thread_ts, mirrorTs: row.ts, ...typeOf(row) },
    }),
  );
}

/**
 * Records in the service the thread in which a ticket's conversation continues (B58).
 * @param replaces instead of a timestamp, if the ticket was opened before its thread had a message (B37).
 */
export async function recordThread(bridge: Bridge, conversationId: string, replaces?: string): Promise<void> {
  const row = await bridge.database.db
    .selectFrom('conversation')
    .select(['ticket_id', 'channel_id', 'thread_ts', 'role', 'recipient_user_id'])
    .where('id', '=', conversationId)
    .executeTakeFirst();
  if (!row?.ticket_id) return;
  await unlessMissing(
    bridge.service.putChatThread({
      params: { id: row.ticket_id },
      body: { channelId: row.channel_id, messageTs: row.thread_ts, replaces, ...typeOf(row) },
    }),
  );
}

function typeOf({ role, recipient_user_id }: { role: ConversationRole; recipient_user_id: string | null }) {
  return role === 'request'
    ? {}
    : { type: COPY_TYPE[role], ...(recipient_user_id ? { userId: recipient_user_id } : {}) };
}

async function unlessMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof AnsweredError && error.missing)) throw error;
  }
}
