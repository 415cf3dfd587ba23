import type { DeliveryMark } from '../../blocks/emoji.ts';

/** A user's action in chat that has not reached the ticket yet. */
export interface PendingFacts {
  dead: boolean;
  /** It, or an earlier event of its conversation, failed and is being retried. */
  held: boolean;
  waitedMs: number;
}

/** Returns the status reaction of a message: the worst of its pending events (its text, an edit). */
export function markOf(pending: readonly PendingFacts[], afterMs: number): DeliveryMark | null {
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

const BOT_SETTING = 'An admin types `settings bots on` behind the command to let other apps take part.';

/**
 * Outcomes as stored with events (B55), by prefix, the longest first. A rule without an entry is shown with its number
 * and outcome.
 */
const REASONS: readonly [begin: string, says: string, change?: string][] = [
  ['B1 mention', 'it mentions me, so a ticket was opened on it'],
  [
    'B1 every message of this channel',
    'every message at the top of this channel opens a ticket',
    'That is the queue’s setting `autoCreateTickets`, at the help desk.',
  ],
  ['B1 reaction: opened', 'an emoji on it opened a ticket'],
  ['B1 shortcut: opened', '*Create ticket* in its menu opened a ticket'],
  ['B1 command: opened', 'a command opened a ticket on it'],
  ['B2 ', 'its thread had its ticket already, and one thread is one ticket'],
  ['B4 ', 'it mentions me in a thread, so a ticket was opened on the thread, with its earlier replies'],
  [
    'B5 the channel is not linked',
    'emoji open tickets in linked channels only, and this one is not linked',
    '`link <queue>` behind the command links it.',
  ],
  [
    'B5 emoji are for the team here',
    'in this channel only the team’s emoji open tickets',
    'That is the queue’s setting `enableUserEmojis`, at the help desk.',
  ],
  ['B5 on a reply', 'emoji open tickets on first messages only, and this is a reply'],
  ['B6 nothing but a mention', 'it says nothing but my name, so I asked what is needed'],
  ['B6 the root is the description', 'it is the description of its thread’s ticket'],
  ['B6 the answer', 'it is the answer to what I asked, so it opened the ticket'],
  ['B6 the description was edited', 'the ticket’s description was changed with it'],
  [
    'B7 ',
    'no ticket could be opened, and the user was shown why',
    '`link <queue>` behind the command links this channel to a queue.',
  ],
  ['B8 a greeting', 'it only says hello, so I answered with what I can do'],
  ['B8 only thanks', 'it only thanks, so no ticket was opened'],
  ['B8 ', 'it is a direct message to me, about a private ticket of its author'],
  [
    'B9 ',
    'guests may not open tickets here',
    'That is the queue’s setting `allowGuestUsers`, at the help desk.',
  ],
  ['B12 reply', 'it is a reply in a ticket’s thread, so it is a message on the ticket'],
  ['B12 edit', 'the message on the ticket was changed with it'],
  ['B12 deletion', 'the message on the ticket was deleted with it'],
  [
    'B12 no ticket in this thread',
    'there was no ticket in its thread, and nothing asked for one',
    'Mention me in the thread, or react to its first message with :ticket:, and a ticket opens.',
  ],
  ['B12 on the ticket already', 'it was on the ticket already'],
  ['B12 deleted before', 'it was deleted before it could be put on the ticket'],
  ['B12 nothing to forward', 'it has neither text nor files'],
  ['B15 ', 'it is in the team’s thread, so it is an internal note'],
  ['B16 ', 'I posted it myself'],
  ['B17 an app opens', 'other apps open a ticket by mentioning me only'],
  ['B17 ', 'another app wrote it, and other apps do not take part here', BOT_SETTING],
  ['B21 ', 'it is a system message of Slack'],
  ['B32 ', 'it is a command to me, and not a reply'],
  ['B49 ', 'it could not be added to its ticket, and an admin discarded it'],
  [
    'B56 ',
    'this channel is only observed, so nothing was written',
    '`link <queue>` behind the command links it.',
  ],
];

export function reasonOf(outcome: string): Reason {
  const reason = REASONS.find(([begin]) => outcome.startsWith(begin));
  if (!reason) return { says: outcome.replace(/^(?:B\d+a?(?:, | or |; )?)+\s*/, '') };
  const [, says, change] = reason;
  // Further effects follow after a semicolon.
  const [, ...more] = outcome.split('; ');
  const opened = more.some((part) => part.startsWith('B22')) ? '; and it opened the ticket again' : '';
  return { says: `${says}${opened}`, ...(change !== undefined && { change }) };
}

export function rulesOf(outcome: string): string[] {
  return [...new Set(outcome.match(/\bB\d+a?\b/g) ?? [])];
}
