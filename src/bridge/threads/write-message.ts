import type { Bridge } from '../bridge.ts';
import type { Person } from '../people/people.ts';
import { type Begun, messageWriter } from '../tickets/create-once.ts';
import { signed } from './speaker.ts';

/** In place of a chat channel: such a message stands in none yet, and a repeated one must be known as the same. */
const NO_CHANNEL = { answer: 'deskbridge-answer', note: 'deskbridge-note' };

interface Written {
  /** A public answer, which the requester's thread shows as any other (B13, B15), or what only the team reads (B14). */
  kind: keyof typeof NO_CHANNEL;
  /** Tells this message apart from every other of its kind. */
  key: string;
  markdown: string;
}

/** Puts a message on a ticket in somebody's name, once however often it is asked for. Throws ServiceError. */
export async function writeMessage(
  bridge: Bridge,
  begun: Begun,
  ticketId: string,
  person: Person,
  { kind, key, markdown }: Written,
): Promise<void> {
  const write = messageWriter(bridge, begun, ticketId);
  await write({
    content: signed(person, markdown),
    ...(kind === 'note' ? { private: true } : {}),
    chatChannelId: NO_CHANNEL[kind],
    chatTimestamp: key,
    ...(person.user_id ? { authorId: person.user_id } : {}),
  });
}
