import type { Bridge } from '../bridge.ts';
import { isOurs } from '../threads/message-rules.ts';
import type { ChatEvent } from '../slack/chat-event.ts';

/**
 * Whether an event tells of no more than what the bot itself wrote or edited: nothing follows from it (B16). What the
 * bot wrote is on record with whoever sent it; where chat's answer to that was lost, the post is looked for in chat,
 * and not waited for here.
 */
export function isOwnPost(event: ChatEvent, bot: Bridge['bot']): boolean {
  return (event.kind === 'message' || event.kind === 'message-edited') && isOurs(event.message, bot);
}
