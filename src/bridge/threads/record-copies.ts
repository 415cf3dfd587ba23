import { AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { type ConversationRole, COPY_TYPE } from './conversations.ts';

/** Records in the service which chat message shows a ticket message. Not supported by every service (Ext). */
export async function recordCopy(bridge: Bridge, linkId: string): Promise<void> {
  const link = await bridge.database.db
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
  if (!link?.ts) return;
  const { ticket_message_id: id, channel_id: channelId, ts, team_id: teamId, thread_ts: threadId } = link;
  await unlessMissing(
    bridge.service.addChatMessage({ params: { id }, body: { channelId, ts, teamId, threadId } }),
  );
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
