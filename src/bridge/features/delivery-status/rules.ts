import type { DeliveryMark } from '../../blocks/emoji.ts';
import { COMMAND } from '../../threads/rules.ts';

/** A user's action in chat that has not reached the ticket yet. */
export interface PendingFacts {
  dead: boolean;
  /** It, or an earlier event of its conversation, failed and is being retried. */
  held: boolean;
  waitedMs: number;
}

/** Returns the status reaction of a message: the worst of its pending events (its text, an edit). */
export function deliveryMark(pending: readonly PendingFacts[], afterMs: number): DeliveryMark | null {
  if (pending.some(({ dead }) => dead)) return 'failed';
  // An event that is merely queued is delivered in a moment; a reaction would only flicker.
  return pending.some(({ held, waitedMs }) => held && waitedMs >= afterMs) ? 'waiting' : null;
}

const MARKS: readonly DeliveryMark[] = ['waiting', 'failed'];

/**
 * Returns the calls that bring a message to the wanted status reaction; undefined if it has it. `started`: an earlier
 * attempt may have added any reaction, so all others are removed.
 */
export function reactionsFor({
  wanted,
  shown,
  begun,
}: {
  wanted: DeliveryMark | null;
  shown: DeliveryMark | null;
  begun: boolean;
}): { remove: readonly DeliveryMark[]; add: DeliveryMark | null } | undefined {
  if (wanted === shown && !begun) return undefined;
  return { remove: MARKS.filter((mark) => mark !== wanted && (begun || mark === shown)), add: wanted };
}

/** Slack's error codes that explain why a message was not delivered (reference pages of the methods). */
const CHAT: ReadonlyMap<string, string> = new Map([
  ['channel_not_found', 'The channel no longer exists or the app was removed from it.'],
  ['not_in_channel', 'The channel no longer exists or the app was removed from it.'],
  ['is_archived', 'The channel is archived.'],
  ['thread_not_found', 'The thread no longer exists.'],
  ['message_not_found', 'The message no longer exists.'],
  ['user_not_found', 'Its author is no longer in this workspace.'],
]);

const SERVICE: ReadonlyMap<string, string> = new Map([
  ['401', 'The help desk rejects the app’s key.'],
  ['403', 'The help desk does not allow it.'],
  ['404', 'Its ticket no longer exists.'],
  ['409', 'Its ticket no longer takes messages.'],
  ['413', 'It is too long for a ticket.'],
  ['500', 'The help desk fails at it.'],
]);

/**
 * Returns why something could not reach its ticket, for the person who wrote it (B54).
 * @param code as stored with the failed work: Slack's error code or the service's status
 */
export function failureReason(code: string | null): string {
  if (code !== null && /^\d{3}$/.test(code)) return SERVICE.get(code) ?? 'The help desk does not accept it.';
  return CHAT.get(code ?? '') ?? 'Something went wrong in deskbridge; its admins can see what.';
}

/** The meaning of an outcome, and what to change if another one was expected. */
interface Reason {
  says: string;
  change?: string;
}

const LINK = '`link <queue>` behind the command links it.';
const BOT_SETTING = 'An admin types `settings bots on` behind the command to let other apps take part.';
const OTHER_APP = 'another app wrote it, and other apps do not take part here';
const A_COMMAND = 'it is a command to me, and not a reply';

/**
 * What the outcomes of a message's events mean (B55): the chat rule that decided, a sentence, and what to change. An
 * outcome is found by its words before a colon or a semicolon; one without an entry is shown as it is.
 */
export const REASONS: Readonly<Record<string, readonly [rules: string, says: string, change?: string]>> = {
  mention: ['B1', 'it mentions me, so a ticket was opened on it'],
  'every message of this channel': [
    'B1',
    'every message at the top of this channel opens a ticket',
    'That is the queue’s setting `autoCreateTickets`, at the help desk.',
  ],
  emoji: ['B1', 'an emoji on it opened a ticket'],
  'change by emoji': ['B1', 'an emoji on it changed its ticket'],
  'change by emoji refused': [
    'B1',
    'the emoji should have changed its ticket, and the user was shown why it did not',
  ],
  'this thread has its ticket': ['B2', 'its thread had its ticket already, and one thread is one ticket'],
  'mention in a thread': [
    'B4',
    'it mentions me in a thread, so a ticket was opened on the thread, with its earlier replies',
  ],
  'the channel is not linked': [
    'B5',
    'emoji open tickets in linked channels only, and this one is not linked',
    LINK,
  ],
  'emoji are for the team here': [
    'B5',
    'in this channel only the team’s emoji open tickets',
    'That is the queue’s setting `enableUserEmojis`, at the help desk.',
  ],
  'emoji on a reply': ['B5', 'emoji open tickets on first messages only, and this is a reply'],
  'the message is gone, or is a reply': [
    'B5',
    'emoji open tickets on first messages only, and this was not there as one',
  ],
  'it opens tickets, and does nothing here': ['B5', 'the emoji opens tickets, and does nothing here'],
  'nothing but a mention': ['B6', 'it says nothing but my name, so I asked what is needed'],
  'nothing but names': ['B6', 'it says nothing but names, so I asked what is needed'],
  'description of its ticket': ['B6', 'it is the description of its thread’s ticket'],
  'answer to what is needed': ['B6', 'it is the answer to what I asked, so it opened the ticket'],
  'edit of the description': ['B6', 'the ticket’s description was changed with it'],
  'older edit of the description': ['B6', 'a newer edit is the ticket’s description already'],
  'no ticket opened': [
    'B2, B7, B9',
    'no ticket could be opened, and the user was shown why',
    '`link <queue>` behind the command links this channel to a queue.',
  ],
  greeting: ['B8', 'it only says hello, so I answered with what I can do'],
  'only thanks': ['B8', 'it only thanks, so no ticket was opened'],
  'direct message': ['B8', 'it is a direct message to me, about a private ticket of its author'],
  'guest refused': [
    'B9',
    'guests may not open tickets here',
    'That is the queue’s setting `allowGuestUsers`, at the help desk.',
  ],
  'reaction of a person without a user': [
    'B10',
    'who reacted is no user of the help desk, so it stays in Slack',
  ],
  reply: ['B12', 'it is a reply in a ticket’s thread, so it is a message on the ticket'],
  edit: ['B12', 'the message on the ticket was changed with it'],
  'older edit': ['B12', 'a newer edit is on the ticket already'],
  'edit of a message that was missed': [
    'B12',
    'the message was missed before, so it is on the ticket as edited',
  ],
  'its ticket message is gone': ['B12', 'the message on the ticket was deleted at the help desk'],
  deletion: ['B12', 'the message on the ticket was deleted with it'],
  'no ticket in this thread': [
    'B12',
    'there was no ticket in its thread, and nothing asked for one',
    'Mention me in the thread, or react to its first message with :ticket:, and a ticket opens.',
  ],
  'not a message of a ticket': ['B12', 'the message is not on a ticket'],
  'on the ticket already': ['B12', 'it was on the ticket already'],
  'deleted before it was on the ticket': ['B12', 'it was deleted before it could be put on the ticket'],
  'neither text nor files': ['B12', 'it has neither text nor files'],
  reaction: ['B12', 'the message on the ticket has it too'],
  'reaction taken back': ['B12', 'it was taken back from the message on the ticket too'],
  'a ticket itself bears no reactions': ['B12', 'the message is the ticket itself, which bears no reactions'],
  'a mark that is kept for the bot': ['B12', 'this emoji is kept for my own marks'],
  'own post deleted': ['B13', 'I had posted it for a message that was written elsewhere, which stays'],
  'internal note': ['B15', 'it is in the team’s thread, so it is an internal note'],
  'own post': ['B16', 'I posted it myself'],
  'own reaction': ['B16', 'it is my own'],
  'another app without a mention': ['B17', 'other apps open a ticket by mentioning me only', BOT_SETTING],
  'message of another app': ['B17', OTHER_APP, BOT_SETTING],
  'reaction of another app': ['B17', 'another app reacted, and the reactions of apps stay in Slack'],
  'no question and no answer to another app': ['B17', 'another app wrote it, and other apps get no answer'],
  'notice of Slack': ['B21', 'it is a system message of Slack'],
  'copy of the card deleted': [
    'B24',
    'it was a copy of the ticket’s card, which is posted again if it is wanted at the ticket’s next change',
  ],
  [COMMAND]: ['B32', A_COMMAND],
  'edit of a command': ['B32', A_COMMAND],
  discarded: ['B49', 'it could not be added to its ticket, and an admin discarded it'],
  'only observed': ['B56', 'this channel is only observed, so nothing was written', LINK],
  'first message deleted': ['B58', 'it was the first message of a ticket, which stays'],
  'first message deleted before a reply': ['B59', 'nobody else had replied, so its ticket was closed'],
};

/** The answer of *Why?* for a post of the bot, which has no event. */
export const OWN_POST = byRule('B16', 'I posted it myself, so I ignore it');
export const WRITTEN_ELSEWHERE = byRule('B13', 'which was written elsewhere');

function byRule(rules: string, sentence: string): string {
  return `${sentence} (rule ${rules})`;
}

export function reasonOf(outcome: string): Reason {
  // Details follow after a colon, further effects after a semicolon.
  const [decided = ''] = outcome.split(/[:;]/, 1);
  const reason = REASONS[decided];
  if (!reason) return { says: outcome };
  const [rules, sentence, change] = reason;
  const reopened = outcome.endsWith('; reopened');
  return {
    says: reopened
      ? byRule(`${rules}, B22`, `${sentence}; and it opened the ticket again`)
      : byRule(rules, sentence),
    ...(change !== undefined && { change }),
  };
}
