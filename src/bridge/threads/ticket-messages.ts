import { z } from 'zod';

import { type Answer, AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { type ConversationRole, COPY_TYPE } from './conversations.ts';

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
  { id, workspaceId }: { id: string; workspaceId: string },
  updatedFrom: string | null,
): Promise<TicketMessage[]> {
  const messages = await messagesOf(bridge, id, {
    ...{ workspaceId, updatedFrom },
    sortBy: 'updatedAt',
    sortDirection: 'asc',
  });
  return messages.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0));
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

/** Which chat message shows a ticket message. */
export const CopyPlace = z.object({
  ticket_message_id: z.string(),
  team_id: z.string(),
  channel_id: z.string(),
  ts: z.string(),
  thread_ts: z.string(),
});

/**
 * Records in the service which chat message shows a ticket message. Not supported by every service (Ext).
 * @param place if it is known.
 */
export async function recordCopy(
  bridge: Bridge,
  linkId: string,
  place: z.infer<typeof CopyPlace> | undefined,
): Promise<void> {
  const link = place ?? (await placeOfLink(bridge, linkId));
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
