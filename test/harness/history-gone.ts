import { readPostMetadata } from '../../src/bridge/slack/post-metadata.ts';
import type { RecordedTicket, Violation } from './history.ts';
import { type BothSides, messageKey, postsAmong, quoted } from './history-sides.ts';
import { wordsInChat, wordsOnTicket } from './words.ts';

/** The bridge's own notes are stored under this channel name, which no chat channel has. */
const OWN_NOTES = 'deskbridge';
/** Fewer letters than that may be the same by chance. */
const MIN_LETTERS = 10;

/** A message deleted on one side is deleted on the other. */
export function checkDeletions(sides: BothSides): Violation[] {
  const known = new Set(sides.chat.places.map(({ id }) => id));
  const violations: Violation[] = [];
  for (const { ticket, message } of sides.ticketMessageById.values()) {
    const of = `${ticket.code} ${message.id} ${quoted(message.content)}`;
    if (message.deleted || message.source !== 'CHAT') continue;
    // Where it was written; elsewhere the bridge posted it.
    const copies = message.chatMessages.filter(
      ({ channelId }) => known.has(channelId) && channelId === (message.chatChannelId ?? channelId),
    );
    const gone = copies.filter(({ channelId, ts }) => !sides.chatMessages.has(messageKey(channelId, ts)));
    if (gone.length === 0 || gone.length < copies.length) continue;
    if (gone.some(({ channelId, ts }) => sides.chat.undelivered.has(messageKey(channelId, ts)))) continue;
    violations.push({ kind: 'not deleted', of, what: `it stands in chat no more: ${gone[0]?.ts ?? ''}` });
  }
  for (const place of sides.chat.places)
    for (const shown of place.messages) {
      const id = readPostMetadata(shown)?.metadata.message;
      if (id === undefined || sides.ticketMessageById.has(id)) continue;
      violations.push({
        kind: 'not deleted',
        of: id,
        what: `it is on no ticket, and stands in ${place.name}`,
      });
    }
  return violations;
}

/** Private texts are, and were, only where nobody else can read them. */
export function checkLeaks(sides: BothSides): Violation[] {
  const violations: Violation[] = [];
  for (const place of sides.chat.places)
    for (const shown of place.messages) {
      const ticketMessage = sides.ticketMessageById.get(readPostMetadata(shown)?.metadata.message ?? '');
      if (!ticketMessage?.message.private || sides.isForTeam(place, ticketMessage.ticket)) continue;
      const of = `${ticketMessage.ticket.code} ${ticketMessage.message.id}`;
      violations.push({ kind: 'leaked', of, what: `a note stands in ${place.name} at ${shown.ts}` });
    }
  const publicTexts = publicLetters(sides);
  for (const { of, letters, ticket } of privateTexts(sides))
    for (const { channel, letters: posted } of postedLetters(sides)) {
      if (!posted.includes(letters) || publicTexts.some((text) => text.includes(letters))) continue;
      const place = sides.chat.places.find(({ id }) => id === channel);
      if (!place || place.kind !== 'channel' || sides.isForTeam(place, ticket)) continue;
      violations.push({ kind: 'leaked', of, what: `its words were said in ${place.name}` });
    }
  return violations;
}

/** Triage channels show no messages of tickets that only others may read: what they showed was taken back. */
export function checkTakenBack(sides: BothSides): Violation[] {
  return sides.chat.places
    .filter(({ id }) => sides.tickets.triages.has(id))
    .flatMap((place) =>
      postsAmong(place.messages).flatMap(({ messageId, ts, chatMessage }): Violation[] => {
        const { ticket, message } = sides.ticketMessageById.get(messageId) ?? {};
        if (!ticket || !message || sides.mayShowToTeam(place, ticket)) return [];
        const thread = { place, root: chatMessage.thread_ts ?? ts, messages: [] };
        // A requester may ask there, too: the thread is theirs.
        if ((sides.threadType(ticket, thread) ?? 'TRIAGE') !== 'TRIAGE') return [];
        if (sides.tickets.undelivered.has(messageId)) return [];
        const of = `${ticket.code} ${messageId} ${quoted(message.content)}`;
        return [{ kind: 'leaked', of, what: `it still stands in ${place.name} at ${ts}` }];
      }),
    );
}

/** Texts that were always private. */
function* privateTexts(sides: BothSides): Generator<{ of: string; letters: string; ticket: RecordedTicket }> {
  for (const ticket of sides.tickets.tickets)
    for (const message of ticket.messages) {
      if (!message.private || message.status !== 'CREATED' || message.chatChannelId === OWN_NOTES) continue;
      if (sides.tickets.visibilityChanged.has(message.id) || sides.tickets.edited.has(message.id)) continue;
      const { letters } = wordsOnTicket(message.content, sides.names);
      if (letters.length >= MIN_LETTERS) yield { of: `${ticket.code} ${message.id}`, letters, ticket };
    }
}

/** Public texts: messages of users, and public texts on tickets. */
function publicLetters(sides: BothSides): string[] {
  const inChat = sides.chat.places.flatMap(({ messages }) =>
    messages.filter((message) => !sides.isFromApp(message)),
  );
  const onTickets = sides.tickets.tickets.flatMap(({ title, description, messages }) => [
    title ?? '',
    description ?? '',
    ...messages.filter((message) => !message.private).map(({ content }) => content),
  ]);
  return [
    ...inChat
      .filter(({ channel }) => !sides.isTriageChannel(channel))
      .map((message) => wordsInChat(message, sides.names).letters),
    ...onTickets.map((text) => wordsOnTicket(text, sides.names).letters),
  ];
}

function postedLetters(sides: BothSides): { channel: string; letters: string }[] {
  const lettersOf = (text: string) => wordsInChat({ text, blocks: [] }, sides.names).letters;
  const current = sides.chat.places.flatMap(({ id, messages }) =>
    messages.filter((message) => sides.isFromApp(message)).map(({ text }) => ({ channel: id, text })),
  );
  return [...current, ...sides.chat.postedTexts].map(({ channel, text }) => ({
    channel,
    letters: lettersOf(text),
  }));
}
