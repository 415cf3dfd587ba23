import type { Bridge } from '../bridge.ts';
import { type Begun, messageWriter } from './create-once.ts';

/** Replaces the chat channel: the bridge's notes are not in any, and a repetition must be recognised. */
const NO_CHANNEL = 'deskbridge';

/** Returns whether the bridge itself wrote this note: it does not count as a reply. */
export function isOwnNote({ chatChannelId }: { chatChannelId: string | null }): boolean {
  return chatChannelId === NO_CHANNEL;
}

/**
 * Adds an internal note of the bridge to a ticket; idempotent by a chat pair that no chat message has.
 * @param key distinguishes this note from every other.
 */
export async function addNote(
  bridge: Bridge,
  begun: Begun,
  ticketId: string,
  key: string,
  content: string,
): Promise<void> {
  const write = messageWriter(bridge, begun, ticketId);
  await write({ content, private: true, chatChannelId: NO_CHANNEL, chatTimestamp: key });
}
