import { readPostMetadata } from '../../src/bridge/slack/post-metadata.ts';
import type { RecordedTicket, Violation } from './history.ts';
import { type BothSides, keyOf, quoted } from './history-sides.ts';
import { wordsInChat, wordsOnTicket } from './words.ts';

/** The bridge's own notes are stored under this channel name, which no chat channel has. */
const OWN_NOTES = 'deskbridge';
/** Fewer letters than that may be the same by chance. */
const TELLING_LETTERS = 10;

/** A message deleted on one side is deleted on the other. */
export function deletions(sides: BothSides): Violation[] {
  const known = new Set(sides.chat.places.map(({ id }) => id));
  const violations: Violation[] = [];
  for (const { ticket, message } of sides.byId.values()) {
    const of = `${ticket.code} ${message.id} ${quoted(message.content)}`;
    if (message.deleted || message.source !== 'CHAT') continue;
    const copies = message.chatMessages.filter(({ channelId }) => known.has(channelId));
    const gone = copies.filter(({ channelId, ts }) => !sides.standing.has(keyOf(channelId, ts)));
    if (gone.length === 0 || gone.length < copies.length) continue;
    if (gone.some(({ channelId, ts }) => sides.chat.undelivered.has(keyOf(channelId, ts)))) continue;
    violations.push({ kind: 'not deleted', of, what: `it stands in chat no more: ${gone[0]?.ts ?? ''}` });
  }
  for (const place of sides.chat.places)
    for (const shown of place.messages) {
      const id = readPostMetadata(shown)?.metadata.message;
      if (id === undefined || sides.byId.has(id)) continue;
      violations.push({
        kind: 'not deleted',
        of: id,
        what: `it is on no ticket, and stands in ${place.name}`,
      });
    }
  return violations;
}

/** Private texts are, and were, only where nobody else can read them. */
export function leaks(sides: BothSides): Violation[] {
  const violations: Violation[] = [];
  for (const place of sides.chat.places)
    for (const shown of place.messages) {
      const carried = sides.byId.get(readPostMetadata(shown)?.metadata.message ?? '');
      if (!carried?.message.private || sides.isForTeam(place, carried.ticket)) continue;
      const of = `${carried.ticket.code} ${carried.message.id}`;
      violations.push({ kind: 'leaked', of, what: `a note stands in ${place.name} at ${shown.ts}` });
    }
  const open = openWords(sides);
  for (const { of, letters, ticket } of secrets(sides))
    for (const { channel, words } of everSaid(sides)) {
      if (!words.includes(letters) || open.some((text) => text.includes(letters))) continue;
      const place = sides.chat.places.find(({ id }) => id === channel);
      if (!place || place.kind !== 'channel' || sides.isForTeam(place, ticket)) continue;
      violations.push({ kind: 'leaked', of, what: `its words were said in ${place.name}` });
    }
  return violations;
}

/** Texts that were always private. */
function* secrets(sides: BothSides): Generator<{ of: string; letters: string; ticket: RecordedTicket }> {
  for (const ticket of sides.tickets.tickets)
    for (const message of ticket.messages) {
      if (!message.private || message.status !== 'CREATED' || message.chatChannelId === OWN_NOTES) continue;
      if (sides.tickets.shown.has(message.id) || sides.tickets.edited.has(message.id)) continue;
      const { letters } = wordsOnTicket(message.content, sides.called);
      if (letters.length >= TELLING_LETTERS) yield { of: `${ticket.code} ${message.id}`, letters, ticket };
    }
}

/** Public texts: messages of users, and public texts on tickets. */
function openWords(sides: BothSides): string[] {
  const said = sides.chat.places.flatMap(({ messages }) =>
    messages.filter((message) => !sides.isOwn(message)),
  );
  const written = sides.tickets.tickets.flatMap(({ title, description, messages }) => [
    title ?? '',
    description ?? '',
    ...messages.filter((message) => !message.private).map(({ content }) => content),
  ]);
  return [
    ...said
      .filter(({ channel }) => !sides.isNotePlace(channel))
      .map((message) => wordsInChat(message, sides.called).letters),
    ...written.map((text) => wordsOnTicket(text, sides.called).letters),
  ];
}

function everSaid(sides: BothSides): { channel: string; words: string }[] {
  const lettersOf = (text: string) => wordsInChat({ text, blocks: [] }, sides.called).letters;
  const standing = sides.chat.places.flatMap(({ id, messages }) =>
    messages.filter((message) => sides.isOwn(message)).map(({ text }) => ({ channel: id, words: text })),
  );
  return [...standing, ...sides.chat.said].map(({ channel, words }) => ({
    channel,
    words: lettersOf(words),
  }));
}
