import { isGreeting } from '../../src/bridge/threads/rules.ts';
import { isOnlyThanks } from '../../src/bridge/tickets/rules.ts';
import { threadCommand } from '../../src/bridge/features/commands/rules.ts';
import type { SeenMessage } from './chat.ts';
import type { Place, RecordedTicket, Violation } from './history.ts';
import { type BothSides, type Carried, keyOf, namesOf, quoted } from './history-sides.ts';
import { wordsInChat, wordsOnTicket } from './words.ts';

/** Subtypes with text of users; every other is a system message (B21). */
const SPOKEN: readonly (string | undefined)[] = [
  undefined,
  'me_message',
  'file_share',
  'thread_broadcast',
  'bot_message',
];

/** Every message of a person is on its ticket, once, with its text. */
export function whatPeopleSaid(sides: BothSides, place: Place): Violation[] {
  return place.messages.flatMap((said): Violation[] => {
    if (said.ephemeralFor !== undefined || sides.isOwn(said)) return [];
    const key = keyOf(place.id, said.ts);
    const carried = sides.carried.get(key) ?? [];
    const standing = carried.filter(({ message }) => !message.deleted);
    const of = `${place.name} ${said.ts} ${quoted(said.text)}`;
    if (standing.length > 1)
      return [{ kind: 'doubled', of, what: `on the ticket ${standing.length} times: ${namesOf(standing)}` }];
    const [one] = standing;
    if (one) return compared(sides, of, said, one);
    if (sides.chat.undelivered.has(key)) return [];
    if (carried.some(({ message }) => sides.tickets.deleted.has(message.id))) return [];
    const why = missing(sides, place, said);
    return why === undefined ? [] : [{ kind: 'lost', of, what: why }];
  });
}

/** Why a message without a ticket message should have one; undefined if it need not. */
function missing(sides: BothSides, place: Place, said: SeenMessage): string | undefined {
  if (!SPOKEN.includes(said.subtype) || sides.isApp(said)) return undefined;
  const hasFiles = (said.files ?? []).length > 0;
  const { letters, namesGroups } = wordsInChat(said, sides.called);
  const hasWords = hasFiles || namesGroups || saysSomething(said);
  if (!hasWords) return undefined;
  const root = said.thread_ts ?? said.ts;
  const tickets = sides.ofThread.get(keyOf(place.id, root)) ?? [];
  const mentions = [...sides.chat.own].filter((id) => said.text.includes(`<@${id}`));
  if (tickets.length === 0) {
    if (mentions.length === 0 || !sides.tickets.linked.has(place.id)) return undefined;
    const words = withoutMentions(said.text);
    if (isGreeting(words) || isOnlyThanks(words) || sides.isGuest(said)) return undefined;
    return 'it asks for a ticket, and its thread has none';
  }
  if (said.ts === root) return undefined;
  if (mentions.some((bot) => threadCommand(said.text, bot) !== undefined)) return undefined;
  if (tickets.some((ticket) => describes(sides, ticket, letters, keyOf(place.id, root)))) return undefined;
  return `it is not on ${tickets.map(({ code }) => code).join(', ')}`;
}

/** Whether this text, and not the first message of its thread, is the description of a ticket (B6, B8). */
function describes(
  sides: BothSides,
  { description }: RecordedTicket,
  letters: string,
  root: string,
): boolean {
  const first = sides.standing.get(root);
  const described = wordsOnTicket(description ?? '', sides.called).letters;
  return described === letters && (!first || wordsInChat(first, sides.called).letters !== described);
}

/** Whether a message has more than mentions. */
function saysSomething({ text }: SeenMessage): boolean {
  return withoutMentions(text).trim() !== '';
}

function compared(sides: BothSides, of: string, said: SeenMessage, { message }: Carried): Violation[] {
  // Messages of apps may only have attachments and blocks (B21).
  if (sides.isApp(said) || sides.tickets.edited.has(message.id)) return [];
  if (sides.chat.undelivered.has(keyOf(said.channel, said.ts))) return [];
  const wanted = wordsInChat(said, sides.called);
  if (wanted.namesGroups) return [];
  const content = message.content.replace(/^\*\*[^\n]+?:\*\* /, '');
  const is = [content, message.content].map((text) => wordsOnTicket(text, sides.called).letters);
  // Files follow the text, one line each (B18).
  const same = is.some((letters) =>
    (said.files ?? []).length > 0 ? letters.startsWith(wanted.letters) : letters === wanted.letters,
  );
  if (same) return [];
  return [{ kind: 'different', of, what: `on the ticket it says ${quoted(message.content)}` }];
}

const withoutMentions = (text: string) => text.replaceAll(/<@[^>]*>/g, ' ');
