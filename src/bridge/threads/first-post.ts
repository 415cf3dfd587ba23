import { isBlank } from '../../contract/index.ts';
import { plainContext } from '../blocks/kit.ts';
import type { Bridge } from '../bridge.ts';
import { type FirstPart, planPosts } from '../store/posts.ts';
import type { SenderIdentity } from '../slack/post-metadata.ts';
import { markdownToChat } from '../text/to-chat.ts';
import { type Conversation, locationOf } from '../store/conversations.ts';
import type { BridgeTx } from '../work.ts';

/** Stands below a post that shows only the beginning of a text. */
export const SHORTENED = plainContext('Shortened; the ticket has all of it.');

/**
 * Returns the posts that a ticket's thread begins with, in order: one for each part of a text that is too long for one.
 * None for a text without content.
 * @param chatUserOf who is mentioned in it; nobody by default.
 */
export function firstPosts(
  markdown: string,
  chatUserOf: (userId: string) => string | undefined = () => undefined,
): FirstPart[] {
  return isBlank(markdown) ? [] : markdownToChat(markdown, chatUserOf);
}

/**
 * Plans the posts that follow the first message of a thread, in the transaction that records that one: so each is made
 * once, and in order.
 */
export async function planRest(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'newId' | 'clock'>,
  conversation: Pick<Conversation, 'id' | 'team_id' | 'channel_id' | 'thread_ts'>,
  parts: readonly FirstPart[],
  as: SenderIdentity | undefined,
): Promise<void> {
  const { thread_ts: thread } = conversation;
  await planPosts(
    tx,
    bridge,
    locationOf(conversation),
    parts.map(({ text, blocks }) => ({ kind: 'bot-message', text, blocks, thread, as })),
  );
}
