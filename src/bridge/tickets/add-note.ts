import type { Bridge } from '../bridge.ts';
import { type Begun, messageWriter } from './create-once.ts';

/** In place of a chat channel: notes of the bridge stand in none, and yet a repeated one must be known as the same. */
const NO_CHANNEL = 'deskbridge';

/** Whether a ticket message is a note that the bridge itself made: it is nobody's answer. */
export function isOwnNote({ chatChannelId }: { chatChannelId: string | null }): boolean {
  return chatChannelId === NO_CHANNEL;
}

/**
 * Puts a private note of the bridge on a ticket, once however often its work is begun: it bears a chat pair that no
 * message of chat has.
 * @param key tells this note apart from every other.
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
