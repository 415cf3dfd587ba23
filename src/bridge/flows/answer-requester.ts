import type { Bridge } from '../bridge.ts';
import type { Person } from '../links/people.ts';
import { type Begun, messageWriter } from './create-once.ts';
import { signed } from './speaker.ts';

/** In place of a chat channel: such an answer stands in none yet, and a repeated one must be known as the same. */
const NO_CHANNEL = 'deskbridge-answer';

/**
 * Puts a public answer on a ticket in somebody's name, once however often it is asked for; the requester's thread shows
 * it as any other (B13, B15). Throws ServiceError.
 * @param key tells this answer apart from every other.
 */
export async function answerRequester(
  bridge: Bridge,
  begun: Begun,
  ticketId: string,
  person: Person,
  key: string,
  markdown: string,
): Promise<void> {
  const write = messageWriter(bridge, begun, ticketId);
  await write({
    content: signed(person, markdown),
    chatChannelId: NO_CHANNEL,
    chatTimestamp: key,
    ...(person.user_id ? { authorId: person.user_id } : {}),
  });
}
