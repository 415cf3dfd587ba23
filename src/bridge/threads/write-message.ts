import type { Bridge } from '../bridge.ts';
import type { Person } from '../people/people.ts';
import { type Begun, messageWriter } from '../tickets/create-once.ts';
import { signed } from './speaker.ts';

/** Replaces the chat channel: such a message is not in any yet, and a repetition must be recognised. */
const NO_CHANNEL = { answer: 'deskbridge-answer', note: 'deskbridge-note' };

interface Written {
  /** A public reply, shown in the requester's thread like any other (B13, B15), or an internal note (B14). */
  kind: keyof typeof NO_CHANNEL;
  /** Distinguishes this message from others of its kind. */
  key: string;
  markdown: string;
}

/** Adds a message to a ticket in a user's name; idempotent. Throws ServiceError. */
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
