import { shortenAtWord } from '../../contract/index.ts';
import { parsePermalink } from '../slack/ids.ts';

/**
 * Returns whether a user may open a ticket (B9): guests and users of other organisations only if the queue allows it.
 * What counts is the user who asks: a member may open a ticket for a guest's message.
 * @param queue if it is undefined or has no settings (as with another service), guests are allowed.
 */
export function mayOpen(
  asker: { is_guest: boolean },
  queue: { settings: { allowGuestUsers: boolean } | null } | undefined,
): boolean {
  return !asker.is_guest || queue?.settings?.allowGuestUsers !== false;
}

/** Actions on a ticket by its card, a modal or a command. */
export type Act =
  | 'assign'
  | 'status'
  | 'priority'
  | 'edit'
  | 'move'
  | 'snooze'
  | 'due'
  | 'close'
  | 'reopen'
  /** A public reply in the requester's thread. */
  | 'reply'
  | 'note';

/** A user's relation to a ticket (B0). */
export interface Relation {
  /** In the team of the ticket's queue, or its assignee. */
  isTeam: boolean;
  isRequester: boolean;
}

/**
 * Returns whether a user may do this to a ticket: its team may do everything, its requester may close and reopen it
 * (B25).
 */
export function may(act: Act, { isTeam, isRequester }: Relation): boolean {
  return isTeam || (isRequester && (act === 'close' || act === 'reopen'));
}

/** The parts of a ticket's record that decide who may see it. */
export interface Audience {
  private: boolean;
  requesterId: string | null;
  authorId: string | null;
  assigneeId: string | null;
  approvers: readonly { id: string }[];
  followers: readonly { id: string }[];
}

/**
 * Returns whether a user may see a ticket (B0, B35): everyone sees public tickets, only the users in its record a
 * private one. Checked here too, because a service without the filter `visibleToUserId` returns all tickets.
 * @param userId the id at the service; null for a user whom the service does not know.
 */
export function maySee(ticket: Audience, userId: string | null): boolean {
  return !ticket.private || takesPart(ticket, userId);
}

/**
 * Returns whether a user is in a ticket's record. Users of a Slack workspace that is not trusted see only such tickets,
 * even public ones.
 */
export function takesPart(ticket: Audience, userId: string | null): boolean {
  if (userId === null) return false;
  return (
    [ticket.requesterId, ticket.authorId, ticket.assigneeId].includes(userId) ||
    [...ticket.approvers, ...ticket.followers].some(({ id }) => id === userId)
  );
}

const ENDED = ['Done', 'Closed'];

/** Returns whether a ticket in a status of this group is done. */
export function hasEnded(group: string): boolean {
  return ENDED.includes(group);
}

/** Returns until when a ticket is snoozed; undefined if it is not snoozed, or is done. */
export function snoozedUntil(
  ticket: { snoozeUntil: string | null; status: { statusGroup: { label: string } } },
  now: Date,
): Date | undefined {
  if (ticket.snoozeUntil === null || hasEnded(ticket.status.statusGroup.label)) return undefined;
  const until = new Date(ticket.snoozeUntil);
  return until > now ? until : undefined;
}

/** The facts about a reply that decide whether it reopens a ticket (B22). */
interface Reply {
  /** The label of the group of the ticket's status. */
  group: string;
  fromRequester: boolean;
  /** It is only thanks or an emoji, which by the settings do not reopen. */
  onlyThanks: boolean;
  writtenAt: Date;
  /** When the ticket ended; null if the service does not say. */
  endedAt: Date | null;
  /** For how many days after its end a ticket reopens; 0 for no limit. */
  days: number;
}

const DAY_MS = 86_400_000;

/**
 * Decides the effect of a reply on a done ticket: its requester's reply reopens it, or becomes a follow-up request if
 * the ticket ended long ago (B22).
 */
export function decideReply(reply: Reply): 'stay' | 'reopen' | 'follow-up' {
  const { group, fromRequester, onlyThanks, writtenAt, endedAt, days } = reply;
  if (!hasEnded(group) || !fromRequester || onlyThanks) return 'stay';
  const isOld = days > 0 && endedAt !== null && writtenAt.getTime() - endedAt.getTime() > days * DAY_MS;
  return isOld ? 'follow-up' : 'reopen';
}

/** Decides whether a ticket is closed when its first message is deleted: any reply keeps it (B59). */
export function decideCloseUnanswered(situation: {
  /** The label of the group of the ticket's status. */
  group: string;
  requester: string | null;
  /** The authors of the ticket's messages; null if the service does not say. */
  answers: readonly { author: string | null; deleted: boolean }[];
}): boolean {
  const answered = situation.answers.some(
    ({ author, deleted }) => !deleted && (author === null || author !== situation.requester),
  );
  return !answered && !hasEnded(situation.group);
}

/** Words of thanks and praise; a message of thanks has at least one of them. */
const THANKS = new Set(
  [
    'thanks thank thx tnx ty tysm thankyou cheers merci danke dankeschön gracias obrigado obrigada grazie',
    'dank bedankt tack takk tak kiitos dziękuję dzięki díky děkuji köszönöm mulțumesc teşekkürler teşekkür',
    'спасибо дякую ευχαριστώ ありがとう ありがとうございます 谢谢 謝謝 감사합니다 고마워요 شكرا תודה',
    'perfect perfekt perfecto parfait great awesome excellent brilliant wonderful super nice cool',
    'solved fixed works resolved sorted',
  ].flatMap((line) => line.split(' ')),
);
/** Other words that a message of thanks may have. */
const THANKS_FILLERS = new Set(
  [
    'you so much very lots a lot many again all everyone both guys team for the your quick fast help support',
    'it this that now ok okay got yes yep good day weekend have and appreciated really too again',
    'schön sehr vielen viele dir ihnen euch beaucoup bien muchas mil muito mille je wel mange så mycket meget',
    'bardzo большое jest un de la el ça va',
  ].flatMap((line) => line.split(' ')),
);
/** A message of thanks is not longer than this. */
const MAX_THANKS_WORDS = 10;
const MAX_THANKS_CHARACTERS = 1_000;

/**
 * Returns whether a reply is only thanks or only emoji (B22): every word is in the tables above, or a name.
 * @param text in Slack's own markup.
 * @param names of users who may be thanked by name.
 */
export function isOnlyThanks(text: string, names: readonly string[] = []): boolean {
  if (text.includes('?') || text.length > MAX_THANKS_CHARACTERS) return false;
  const named = new Set(names.flatMap((name) => name.toLowerCase().split(/\s+/)));
  const plain = text
    .replaceAll(/<@[A-Z0-9]+(?:\|[^<>]*)?>/g, ' ')
    .replaceAll(/:[\w+'-]+:/g, ' ')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0) return EMOJI.test(text);
  return (
    words.length <= MAX_THANKS_WORDS &&
    words.some((word) => THANKS.has(word)) &&
    words.every((word) => THANKS.has(word) || THANKS_FILLERS.has(word) || named.has(word))
  );
}

const EMOJI = /\p{Extended_Pictographic}|:[\w+'-]+:/u;

/** A ticket as users name it (B33). */
export type TicketRef =
  | { kind: 'code'; code: string }
  | { kind: 'number'; number: number }
  | { kind: 'id'; id: string }
  | { kind: 'message'; channel: string; ts: string };

/** No reference is longer; a link to a ticket is the longest kind. */
const MAX_REF_CHARACTERS = 200;

/** Parses `IT-42`, `#42` (in the channel's queue), an id, a URL that ends in one of these, or a message's permalink. */
export function parseRef(typed: string): TicketRef | undefined {
  const trimmed = typed.trim();
  if (trimmed.length > MAX_REF_CHARACTERS) return undefined;
  const [bare = ''] = /^<.*>$/s.test(trimmed) ? trimmed.slice(1, -1).split('|', 1) : [trimmed];
  const url = /^https?:\/\//i.test(bare) ? URL.parse(bare) : null;
  const message = url && parsePermalink(url);
  if (message) return { kind: 'message', ...message };
  const last = url ? (url.pathname.split('/').filter(Boolean).at(-1) ?? '') : bare;
  if (/^#\d{1,9}$/.test(last)) return { kind: 'number', number: Number(last.slice(1)) };
  if (/^[a-z][a-z0-9]{0,9}-\d{1,9}$/i.test(last)) return { kind: 'code', code: last.toUpperCase() };
  if (/^[\w-]{6,64}$/.test(last)) return { kind: 'id', id: last };
  return undefined;
}

/** Maximum length of a ticket's title (B6). */
export const TITLE_CHARACTERS = 120;

/** A shorter first sentence is not enough for a title. */
const MIN_SENTENCE_CHARACTERS = 12;

export const UNTITLED = 'Untitled request';

/** Returns the first sentence of a plain text as a title, cut at a word boundary if it is too long (B6). */
export function titleFromText(words: string): string {
  const line = words.trim().split('\n', 1).join('').trimEnd();
  const sentence = /^.*?[.!?](?=\s|$)/s.exec(line)?.[0] ?? line;
  // A short first sentence is only a greeting ("Hi!"): then the whole line is the better title.
  const title = sentence.length >= MIN_SENTENCE_CHARACTERS ? sentence : line;
  if (title.length < TITLE_CHARACTERS) return title.replace(/\.$/, '');
  return shortenAtWord(title, TITLE_CHARACTERS);
}

/** The result of matching a typed name: one record, several, or none. */
export type NameMatch<Named> = { found: Named } | { candidates: Named[] } | undefined;

/**
 * Returns the record with a typed name: equal ignoring case, blanks and hyphens, else the only one with this prefix
 * (B33).
 */
export function matchName<Named extends { label: string }>(
  typed: string,
  records: readonly Named[],
): NameMatch<Named> {
  const key = comparableName(typed);
  if (!key) return undefined;
  const equal = records.find((record) => comparableName(record.label) === key);
  if (equal) return { found: equal };
  const byPrefix = records.filter((record) => comparableName(record.label).startsWith(key));
  const byWord = records.filter(({ label }) =>
    label
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word.startsWith(key)),
  );
  const candidates = byPrefix.length > 0 ? byPrefix : byWord;
  const [only] = candidates;
  if (only && candidates.length === 1) return { found: only };
  return only && { candidates };
}

function comparableName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '');
}

/** A ticket similar to another one, or to a new request. */
export interface SimilarTicket {
  id: string;
  code: string;
  url: string;
  title: string;
  status: string;
  isSolved: boolean;
  assignee?: string | undefined;
}
