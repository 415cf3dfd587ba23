import type { Bridge } from '../bridge.ts';
import { isOurs } from '../threads/message-rules.ts';
import type { ChatEvent } from '../slack/chat-event.ts';

/**
 * Returns whether an event is only about what the bot itself wrote or edited: it has no effect (B16). The bot's writes
 * are recorded when they are sent; if Slack's response was lost, the outbox looks for the post.
 */
export function isOwnPost(event: ChatEvent, bot: Bridge['bot']): boolean {
  return (event.kind === 'message' || event.kind === 'message-edited') && isOurs(event.message, bot);
}
