import type { Bridge } from '../bridge.ts';
import type { readPostMetadata } from '../slack/post-metadata.ts';
import { type Conversation, locationOf } from '../store/conversations.ts';
import { linkMessage } from '../store/links.ts';
import { planPosts } from '../store/posts.ts';
import { messagesOf } from '../tickets/ticket-messages.ts';

export type ListedPost = NonNullable<ReturnType<typeof readPostMetadata>>;

/**
 * Takes back the posts in a copy of a ticket's thread that show a message which the service lost, because it was
 * restored from a backup. The message itself still is in Slack, so it is added again and shown by another post. What
 * was not written in Slack stays: these posts may be all there is of it. Throws ServiceError.
 * @param linked the ticket messages that have a link in the conversation.
 * @returns how many are taken back.
 */
export async function takeBackLost(
  bridge: Bridge,
  conversation: Conversation,
  posts: readonly ListedPost[],
  linked: ReadonlySet<string>,
): Promise<number> {
  const { ticket_id: ticketId, team_id, channel_id } = conversation;
  const unknown = posts.filter(
    ({ metadata: { message, written } }) =>
      message !== undefined && written === 'chat' && !linked.has(message),
  );
  if (ticketId === null || unknown.length === 0) return 0;
  const existing = new Set<string>();
  for await (const { id } of messagesOf(bridge, ticketId)) existing.add(id);
  const lost = unknown.filter(({ metadata }) => !existing.has(metadata.message ?? ''));
  return bridge.engine.transaction(async (tx) => {
    for (const { ts, metadata } of lost) {
      const { message = '', kind = 'text', part = 0, version = null } = metadata;
      const id = bridge.newId('lnk');
      await linkMessage(tx, {
        id,
        conversation_id: conversation.id,
        ticket_message_id: message,
        kind,
        part,
        team_id,
        channel_id,
        ts,
        origin: 'service',
        version,
        deleted: true,
      });
      await planPosts(tx, bridge, locationOf(conversation), [{ kind: 'delete', link: id }]);
    }
    return lost.length;
  });
}
