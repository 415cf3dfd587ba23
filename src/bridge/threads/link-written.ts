import { transaction } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import type { Conversation } from './conversations.ts';
import { type ChatPlace, writtenAt } from '../slack/ids.ts';
import { findLink, linkSaid, type MessageLink } from './messages.ts';
import { linkOf } from './append-message.ts';
import { SKEW_MS } from '../tickets/create-once.ts';
import { messagesOf } from './ticket-messages.ts';

/**
 * Links a chat message that is on its conversation's ticket without a link: its job was interrupted after the service
 * had it, and ended otherwise (it was deleted before the second attempt, or became a dead letter). Throws ServiceError.
 * @returns undefined if no ticket message is known there.
 */
export async function linkWritten(
  bridge: Bridge,
  conversation: Conversation,
  place: ChatPlace,
): Promise<MessageLink | undefined> {
  const { ticket_id: ticketId } = conversation;
  if (ticketId === null) return undefined;
  const { db } = bridge.database;
  const updatedFrom = new Date(writtenAt(place.ts).getTime() - SKEW_MS).toISOString();
  const messages = await messagesOf(bridge, ticketId, { updatedFrom });
  const written = messages.find(
    ({ source, chatMessages }) =>
      source === 'CHAT' &&
      chatMessages.some(({ channelId, ts }) => channelId === place.channel && ts === place.ts),
  );
  if (!written) return undefined;
  await transaction(db, async (tx) => {
    await linkSaid(tx, bridge, linkOf(bridge, conversation, place, written.id));
    await bridge.hooks.ticketHeard(tx, ticketId);
  });
  return findLink(db, place);
}
