import type { TeamThread } from '../../contract/index.ts';
import { isUserText } from '../slack/message-kinds.ts';
import type { ConversationRole } from '../store/conversations.ts';

/** The facts about a chat message on which the bridge decides. */
export interface MessageFacts {
  /** The message is at the top level of the channel and would be (or is) a thread's parent. */
  isRoot: boolean;
  /** The bot itself wrote it, under any name. */
  isOurs: boolean;
  /** Another app wrote it. */
  fromBot: boolean;
  /** Other apps' messages are allowed here. */
  botsAllowed: boolean;
  subtype: string | undefined;
  /** It mentions the bot. */
  mentionsBot: boolean;
  /** It has text or files besides the mention. */
  hasContent: boolean;
  /** It only names people, groups or channels. */
  onlyNames: boolean;
  /** It is recorded as (part of) a ticket message, or is the description. */
  isLinked: boolean;
  /** Slack has already reported its deletion. */
  isDeleted: boolean;
  hasTicket: boolean;
  /** The bot asked this user what they need and waits for the answer. */
  isAnswer: boolean;
  /** It is a direct message of one user to the bot. */
  isToBot: boolean;
  /** It would open a ticket, but only says hello or asks for help. */
  isGreeting: boolean;
  /** It would open or continue a ticket, but is only thanks or an emoji. */
  isThanks: boolean;
  /** The channel is a ticket's own, or this direct message continues a recent open ticket. */
  followsTicket: boolean;
  /** The channel's queue opens a ticket for every message. */
  opensEveryMessage: boolean;
  /** It is a command to the bot about the ticket of its thread, now or before the bridge had its tables (B32). */
  tells: 'now' | 'before' | undefined;
}

/**
 * Begins the outcome of a message that was a command in its ticket's thread (B32): an edit of such a message is
 * recognised by it.
 */
export const COMMAND = 'command in the thread';

export type MessageDecision =
  | { do: 'ignore'; why: string }
  /** Open a ticket on the thread's parent; `text` says which message describes it. */
  | { do: 'open'; text: 'root' | 'this'; why: string }
  | { do: 'append'; why: string }
  /** Run the command on the ticket. */
  | { do: 'command'; why: string }
  /** Add it to the last ticket of this direct message. */
  | { do: 'add-to-last'; why: string }
  | { do: 'greet'; why: string }
  | { do: 'ask'; why: string }
  | { do: 'say-already'; why: string };

/** Returns whether the bot itself wrote a message, under any name (B16). */
export function isOurs(
  message: { botId: string | undefined; user: string | undefined },
  bot: { botId: string; userId: string },
): boolean {
  return message.botId === bot.botId || message.user === bot.userId;
}

/** Decides what happens to a new chat message (B1, B2, B4, B6, B8, B12, B16, B17). */
export function decideMessage(situation: MessageFacts): MessageDecision {
  if (situation.isOurs) return { do: 'ignore', why: 'own post' };
  if (!isUserText(situation.subtype))
    return { do: 'ignore', why: `notice of Slack: ${situation.subtype ?? ''}` };
  if (situation.fromBot && !situation.botsAllowed) return { do: 'ignore', why: 'message of another app' };
  if (situation.isDeleted) return { do: 'ignore', why: 'deleted before it was on the ticket' };
  if (situation.isLinked) return { do: 'ignore', why: 'on the ticket already' };
  if (situation.hasTicket) return decideInTicket(situation);
  if (situation.isAnswer && saysSomething(situation))
    return { do: 'open', text: 'this', why: 'answer to what is needed' };
  const followsTicket = situation.isRoot && situation.followsTicket && situation.hasContent;
  // A greeting does not continue the previous ticket; thanks are for its agents.
  const isHello = situation.isGreeting && !situation.fromBot;
  if (situation.isToBot && isHello && !(followsTicket && situation.isThanks)) return GREETED;
  if (followsTicket && !isExplicitRequest(situation))
    return { do: 'add-to-last', why: 'goes on with the ticket' };
  if (!situation.mentionsBot) return decideWithoutMention(situation);
  if (isHello && situation.hasContent) return GREETED;
  if (situation.isThanks && situation.hasContent) return THANKED;
  if (situation.isRoot && !saysSomething(situation))
    return situation.fromBot ? NOT_ASKED : { do: 'ask', why: 'nothing but a mention' };
  return situation.isRoot
    ? { do: 'open', text: 'root', why: 'mention' }
    : { do: 'open', text: 'root', why: 'mention in a thread' };
}

/** Returns whether a ticket could be about what a message says. */
function saysSomething({ hasContent, onlyNames }: MessageFacts): boolean {
  return hasContent && !onlyNames;
}

/** A user who mentions the bot in its own direct message asks for a new ticket. */
function isExplicitRequest({ isToBot, mentionsBot }: MessageFacts): boolean {
  return isToBot && mentionsBot;
}

/** Handles messages without a mention: direct messages to the bot, and channels that forward every message. */
function decideWithoutMention(situation: MessageFacts): MessageDecision {
  const { isRoot, isToBot, hasContent, isGreeting, isThanks } = situation;
  if (situation.fromBot) return { do: 'ignore', why: 'another app without a mention' };
  if (isToBot && hasContent) {
    if (isThanks) return THANKED;
    if (situation.onlyNames) return { do: 'ask', why: 'nothing but names' };
    return { do: 'open', text: isRoot ? 'root' : 'this', why: 'direct message' };
  }
  if (isRoot && situation.opensEveryMessage && hasContent)
    return isGreeting
      ? GREETED
      : isThanks
        ? THANKED
        : { do: 'open', text: 'root', why: 'every message of this channel' };
  return { do: 'ignore', why: 'no ticket in this thread' };
}

const GREETED = { do: 'greet', why: 'greeting' } as const;
const THANKED = { do: 'ignore', why: 'only thanks' } as const;

/** A bot that gets an answer may mention the bot in reply, forever. */
const NOT_ASKED = { do: 'ignore', why: 'no question and no answer to another app' } as const;

function decideInTicket({ isRoot, mentionsBot, hasContent, fromBot, tells }: MessageFacts): MessageDecision {
  if (isRoot) return { do: 'ignore', why: 'description of its ticket' };
  if (tells === 'before') return { do: 'ignore', why: `${COMMAND}: run before` };
  if (tells === 'now' && !fromBot) return { do: 'command', why: COMMAND };
  if (hasContent) return { do: 'append', why: 'reply' };
  if (mentionsBot && fromBot) return NOT_ASKED;
  if (mentionsBot) return { do: 'say-already', why: 'this thread has its ticket' };
  return { do: 'ignore', why: 'neither text nor files' };
}

/** Greetings in the languages of most workspaces, and questions about what this is. */
const GREETINGS = new Set(
  [
    'hi hello hey hiya howdy yo morning greetings help start',
    'hallo moin servus guten tag morgen abend hilfe',
    'hola buenos dias días buenas tardes ayuda bonjour salut aide ciao buongiorno aiuto',
    'olá oi bom dia ajuda hej hei hallå goddag dag hoi cześć ahoj privet привет',
    'good afternoon evening day there everyone all bot deskbridge',
  ].flatMap((line) => line.split(' ')),
);
/** A message with more words says something else. */
const WORDS_AT_MOST = 4;

/** Returns whether a message is only a greeting or a call for help (B8); the text has no markup. */
export function isGreeting(words: string): boolean {
  const plain = words.toLowerCase().replaceAll(/:[\w+-]+:/g, ' ');
  // A number may be a ticket's, a room's or an error's.
  if (/\p{N}/u.test(plain)) return false;
  const said = plain.match(/[\p{L}\p{M}]+/gu);
  if (!said) return words.trim() !== '';
  return said.length <= WORDS_AT_MOST && said.every((word) => GREETINGS.has(word));
}

/** The facts about a ticket message on which the bridge decides. */
export interface MirrorFacts {
  deleted: boolean;
  private: boolean;
  /** This place shows it, as long as it is not deleted (`isShownIn`). */
  shown: boolean;
  /** Its linked chat messages in this conversation. */
  links: readonly {
    origin: 'chat' | 'service';
    /** The `updatedAt` that it shows; null if it is to be shown anew. */
    version: string | null;
    deleted: boolean;
    /** Digest of its text; null if unknown. */
    digest: string | null;
  }[];
  /** The record itself names another message of this thread as its copy. */
  namedCopy: boolean;
  /** Its `updatedAt`; ISO 8601, so text order is time order. */
  version: string;
  /** Digest of its text. */
  digest: string;
}

/**
 * Returns whether a post was taken back because its place might not show it, or its ticket: it is posted anew once it
 * may.
 */
export function isTakenBack({
  origin,
  version,
  deleted,
}: Pick<MirrorFacts['links'][number], 'origin' | 'version' | 'deleted'>): boolean {
  return origin === 'service' && deleted && version === null;
}

type MirrorDecision =
  | { do: 'ignore'; why: string }
  | { do: 'post' }
  | { do: 'edit' }
  | { do: 'delete' }
  /** The message exists in this thread; only the link is missing. */
  | { do: 'adopt'; why: string };

/**
 * Returns whether a place shows a ticket message: the requester's thread and direct messages all but notes, the team's
 * thread notes, and of the rest what its channel is set to (B13, B14).
 */
export function isShownIn(
  { role, teamThread }: { role: ConversationRole; teamThread: TeamThread },
  message: { private: boolean; fromRequester: boolean },
): boolean {
  if (role !== 'triage') return !message.private;
  if (message.private || teamThread === 'everything') return true;
  return teamThread === 'answers' && !message.fromRequester;
}

/** Decides what chat shows of a ticket message (B13, B14, B16). An older state never replaces a newer one. */
export function decideMirror(situation: MirrorFacts): MirrorDecision {
  // What was taken back is posted anew.
  const links = situation.links.filter((link) => !isTakenBack(link));
  const [first] = links;
  if (!first) return decideUnknown(situation);
  if (first.origin === 'chat') return { do: 'ignore', why: 'it came from this thread' };
  if (links.every((link) => link.deleted)) return { do: 'ignore', why: 'deleted already' };
  // A message made private after it was posted is deleted as far as Slack allows (B14).
  if (situation.deleted || !situation.shown) return { do: 'delete' };
  if (links.every(({ version }) => version !== null && version >= situation.version))
    return { do: 'ignore', why: 'shown already' };
  // A reaction changes the message, but not its text.
  if (links.every((link) => link.deleted || link.digest === situation.digest))
    return { do: 'ignore', why: 'the same words' };
  return { do: 'edit' };
}

function decideUnknown({ deleted, private: isPrivate, shown, namedCopy }: MirrorFacts): MirrorDecision {
  if (namedCopy) return { do: 'adopt', why: 'it stands in this thread' };
  if (!shown) return { do: 'ignore', why: isPrivate ? 'a private note' : 'said in the request thread' };
  if (deleted) return { do: 'ignore', why: 'deleted before it was shown' };
  return { do: 'post' };
}

/** The properties that decide whether a user can follow a ticket. */
export interface Mentioned {
  user_id: string | null;
  is_bot: boolean;
  is_deleted: boolean;
}

/**
 * Returns the mentioned users who become followers (B23): active users who are not yet notified of the ticket. None in
 * `silentMode` (B28), and none on a private ticket, because followers can see it (B0).
 */
export function newFollowers(
  mentioned: readonly Mentioned[],
  ticket: {
    private: boolean;
    requesterId: string | null;
    assigneeId: string | null;
    followers: readonly { id: string }[];
  },
  silentMode: boolean,
): string[] {
  if (silentMode || ticket.private) return [];
  const known = new Set([ticket.requesterId, ticket.assigneeId, ...ticket.followers.map(({ id }) => id)]);
  const ids = mentioned.flatMap(({ user_id, is_bot, is_deleted }) =>
    user_id !== null && !is_bot && !is_deleted && !known.has(user_id) ? [user_id] : [],
  );
  return [...new Set(ids)];
}
