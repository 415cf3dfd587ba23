import { isSpoken } from '../slack/message-kinds.ts';

/** What is known of a chat message when the bridge decides about it. */
export interface MessageSituation {
  /** The message stands at the top of the channel and would be (or is) a thread's root. */
  isRoot: boolean;
  /** The bot itself wrote it, by whatever name it was shown. */
  isOurs: boolean;
  /** Another app wrote it. */
  fromBot: boolean;
  /** Other apps' messages are allowed here. */
  botsAllowed: boolean;
  subtype: string | undefined;
  /** It names the bot. */
  mentionsBot: boolean;
  /** It has words or files beside the mention. */
  hasContent: boolean;
  /** It is recorded as (part of) a ticket message, or is the description. */
  isLinked: boolean;
  /** Chat has told already that it was deleted. */
  isDeleted: boolean;
  hasTicket: boolean;
  /** The bot asked this person what is needed and waits for the answer. */
  isAnswer: boolean;
  /** It stands in the direct conversation of one person with the bot. */
  isToBot: boolean;
  /** It says no more than hello, or asks for help, where it would open a ticket. */
  isGreeting: boolean;
  /** It only thanks, or is an emoji, where it would open a ticket or go on with one. */
  isThanks: boolean;
  /** The channel is a ticket's own, or something was said just now on an open ticket of this direct conversation. */
  followsTicket: boolean;
  /** The channel's queue wants a ticket for every message of the channel. */
  wantsAll: boolean;
  /** It tells the bot to do something to the ticket of its thread, now or before the bridge had its tables (B32). */
  tells: 'now' | 'before' | undefined;
}

export type MessageDecision =
  | { do: 'ignore'; why: string }
  /** Open a ticket on the thread's root; `text` says whose words describe it. */
  | { do: 'open'; text: 'root' | 'this'; why: string }
  | { do: 'append'; why: string }
  /** Do what it tells the bot to do to the ticket. */
  | { do: 'command'; why: string }
  /** Put it on the ticket that was talked about last in this direct conversation. */
  | { do: 'add-to-last'; why: string }
  | { do: 'help'; why: string }
  | { do: 'ask'; why: string }
  | { do: 'say-already'; why: string };

/** Whether the bot itself wrote a message, by whatever name it was shown (B16). */
export function isOurs(
  message: { botId: string | undefined; user: string | undefined },
  bot: { botId: string; userId: string },
): boolean {
  return message.botId === bot.botId || message.user === bot.userId;
}

/** What becomes of a new chat message (B1, B2, B4, B6, B8, B12, B16, B17). */
export function decideMessage(situation: MessageSituation): MessageDecision {
  if (situation.isOurs) return { do: 'ignore', why: 'B16 our own post' };
  if (!isSpoken(situation.subtype))
    return { do: 'ignore', why: `B21 a notice of chat (${situation.subtype ?? ''})` };
  if (situation.fromBot && !situation.botsAllowed) return { do: 'ignore', why: 'B17 another app’s message' };
  if (situation.isDeleted) return { do: 'ignore', why: 'B12 deleted before it could cross' };
  if (situation.isLinked) return { do: 'ignore', why: 'B12 on the ticket already' };
  if (situation.hasTicket) return decideInTicket(situation);
  if (situation.isAnswer && situation.hasContent)
    return { do: 'open', text: 'this', why: 'B6 the answer to what is needed' };
  const followsTicket = situation.isRoot && situation.followsTicket && situation.hasContent;
  // A hello to the bot is no message of the ticket before it; thanks are for its people.
  const isHello = situation.isGreeting && !situation.fromBot;
  if (situation.isToBot && isHello && !(followsTicket && situation.isThanks)) return GREETED;
  if (followsTicket && !isAskedAside(situation))
    return { do: 'add-to-last', why: 'B8, B11 it goes on with the ticket' };
  if (!situation.mentionsBot) return decideUnasked(situation);
  if (isHello && situation.hasContent) return GREETED;
  if (situation.isThanks && situation.hasContent) return THANKED;
  if (situation.isRoot && !situation.hasContent)
    return situation.fromBot ? NOT_ASKED : { do: 'ask', why: 'B6 nothing but a mention' };
  return situation.isRoot
    ? { do: 'open', text: 'root', why: 'B1 mention' }
    : { do: 'open', text: 'root', why: 'B4 mention in a thread' };
}

/** Who names the bot in their direct conversation with it asks for a ticket, whatever was said before. */
function isAskedAside({ isToBot, mentionsBot }: MessageSituation): boolean {
  return isToBot && mentionsBot;
}

/** Where one need not name the bot: with it alone, and where every message is wanted. */
function decideUnasked(situation: MessageSituation): MessageDecision {
  const { isRoot, isToBot, hasContent, isGreeting, isThanks } = situation;
  if (situation.fromBot) return { do: 'ignore', why: 'B17 an app opens a ticket by a mention alone' };
  if (isToBot && hasContent) {
    if (isThanks) return THANKED;
    return { do: 'open', text: isRoot ? 'root' : 'this', why: 'B8 direct message' };
  }
  if (isRoot && situation.wantsAll && hasContent)
    return isGreeting
      ? GREETED
      : isThanks
        ? THANKED
        : { do: 'open', text: 'root', why: 'B1 every message of this channel' };
  return { do: 'ignore', why: 'B12 no ticket in this thread' };
}

const GREETED = { do: 'help', why: 'B8 a greeting' } as const;
const THANKED = { do: 'ignore', why: 'B8 only thanks' } as const;

/** A bot that is asked may answer with a mention, and be asked again, for ever. */
const NOT_ASKED = { do: 'ignore', why: 'B17 an app is neither asked nor told anything' } as const;

function decideInTicket({
  isRoot,
  mentionsBot,
  hasContent,
  fromBot,
  tells,
}: MessageSituation): MessageDecision {
  if (isRoot) return { do: 'ignore', why: 'B6 the root is the description' };
  if (tells === 'before') return { do: 'ignore', why: 'B32 a command of before' };
  if (tells === 'now' && !fromBot) return { do: 'command', why: 'B32 a command in the thread' };
  if (hasContent) return { do: 'append', why: 'B12 reply' };
  if (mentionsBot && fromBot) return NOT_ASKED;
  if (mentionsBot) return { do: 'say-already', why: 'B2 this thread has its ticket' };
  return { do: 'ignore', why: 'B12 nothing to carry' };
}
