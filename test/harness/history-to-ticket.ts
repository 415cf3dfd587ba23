import { isGreeting } from '../../src/bridge/threads/rules.ts';
import { isOnlyThanks } from '../../src/bridge/tickets/rules.ts';
import { threadCommand } from '../../src/bridge/tickets/command-rules.ts';
import type { SeenMessage } from './chat.ts';
import type { Place, RecordedTicket, Violation } from './history.ts';
import { type BothSides, type TicketMessage, messageKey, listIds, quoted } from './history-sides.ts';
import { wordsInChat, wordsOnTicket } from './words.ts';

/** Subtypes with text of users; every other is a system message (B21). */
const USER_SUBTYPES: readonly (string | undefined)[] = [
  undefined,
  'me_message',
  'file_share',
  'thread_broadcast',
  'bot_message',
];

/** Every message of a person is on its ticket, once, with its text. */
export function checkForwarded(sides: BothSides, place: Place): Violation[] {
  return place.messages.flatMap((chatMessage): Violation[] => {
    if (chatMessage.ephemeralFor !== undefined || sides.isFromApp(chatMessage)) return [];
    const key = messageKey(place.id, chatMessage.ts);
    const ticketMessages = sides.ticketMessages.get(key) ?? [];
    const present = ticketMessages.filter(({ message }) => !message.deleted);
    const of = `${place.name} ${chatMessage.ts} ${quoted(chatMessage.text)}`;
    if (present.length > 1)
      return [{ kind: 'doubled', of, what: `on the ticket ${present.length} times: ${listIds(present)}` }];
    const [one] = present;
    if (one) return compareText(sides, of, chatMessage, one);
    if (sides.chat.undelivered.has(key)) return [];
    if (ticketMessages.some(({ message }) => sides.tickets.deleted.has(message.id))) return [];
    const why = reasonMissing(sides, place, chatMessage);
    return why === undefined ? [] : [{ kind: 'lost', of, what: why }];
  });
}

/** Why a message without a ticket message should have one; undefined if it need not. */
function reasonMissing(sides: BothSides, place: Place, chatMessage: SeenMessage): string | undefined {
  if (!USER_SUBTYPES.includes(chatMessage.subtype) || sides.isFromOtherApp(chatMessage)) return undefined;
  const hasFiles = (chatMessage.files ?? []).length > 0;
  const { letters, namesGroups } = wordsInChat(chatMessage, sides.names);
  const hasWords = hasFiles || namesGroups || hasText(chatMessage);
  if (!hasWords) return undefined;
  const root = chatMessage.thread_ts ?? chatMessage.ts;
  const tickets = sides.ticketsByThread.get(messageKey(place.id, root)) ?? [];
  const mentions = [...sides.chat.appIds].filter((id) => chatMessage.text.includes(`<@${id}`));
  if (tickets.length === 0) {
    if (mentions.length === 0 || !sides.tickets.linkedChannels.has(place.id)) return undefined;
    const words = withoutMentions(chatMessage.text);
    if (isGreeting(words) || isOnlyThanks(words) || sides.isGuest(chatMessage)) return undefined;
    return 'it asks for a ticket, and its thread has none';
  }
  if (chatMessage.ts === root) return undefined;
  if (mentions.some((bot) => threadCommand(chatMessage.text, bot) !== undefined)) return undefined;
  if (tickets.some((ticket) => describes(sides, ticket, letters, messageKey(place.id, root))))
    return undefined;
  return `it is not on ${tickets.map(({ code }) => code).join(', ')}`;
}

/** Whether this text, and not the first message of its thread, is the description of a ticket (B6, B8). */
function describes(
  sides: BothSides,
  { description }: RecordedTicket,
  letters: string,
  root: string,
): boolean {
  const first = sides.chatMessages.get(root);
  const described = wordsOnTicket(description ?? '', sides.names).letters;
  return described === letters && (!first || wordsInChat(first, sides.names).letters !== described);
}

/** Whether a message has more than mentions. */
function hasText({ text }: SeenMessage): boolean {
  return withoutMentions(text).trim() !== '';
}

function compareText(
  sides: BothSides,
  of: string,
  chatMessage: SeenMessage,
  { message }: TicketMessage,
): Violation[] {
  // Messages of apps may only have attachments and blocks (B21).
  if (sides.isFromOtherApp(chatMessage) || sides.tickets.edited.has(message.id)) return [];
  if (sides.chat.undelivered.has(messageKey(chatMessage.channel, chatMessage.ts))) return [];
  const wanted = wordsInChat(chatMessage, sides.names);
  if (wanted.namesGroups) return [];
  const content = message.content.replace(/^\*\*[^\n]+?:\*\* /, '');
  const contents = [content, message.content].map((text) => wordsOnTicket(text, sides.names).letters);
  // Files follow the text, one line each (B18).
  const same = contents.some((letters) =>
    (chatMessage.files ?? []).length > 0 ? letters.startsWith(wanted.letters) : letters === wanted.letters,
  );
  if (same) return [];
  return [{ kind: 'different', of, what: `on the ticket it says ${quoted(message.content)}` }];
}

const withoutMentions = (text: string) => text.replaceAll(/<@[^>]*>/g, ' ');
