import { createHash } from 'node:crypto';

/**
 * The only place that builds or parses ids derived from Slack's. A place in chat is (team, channel, ts): a timestamp is
 * unique only within its channel.
 */

export interface ChatPlace {
  team: string;
  channel: string;
  ts: string;
}

/** The ordering key of a user's commands: they take effect in the order they were typed. */
export const userKey = (team: string, user: string) => `person:${team}:${user}`;

/** The ordering key of events about a message whose thread is unknown. */
export const messageKey = ({ team, channel, ts }: ChatPlace) => `message:${team}:${channel}:${ts}`;

/** The ordering key of a ticket without a conversation in chat. */
export const ticketKey = (ticketId: string) => `ticket:${ticketId}`;

/** The ordering key of the status reaction on one message: independent of everything else. */
export const markKey = ({ team, channel, ts }: ChatPlace) => `mark:${team}:${channel}:${ts}`;

/** Returns the `external_id` of a modal, for the trigger that opened it. */
export const modalId = (triggerId: string) => `modal ${fingerprint(triggerId)}`;

/** The ordering key of notices to admins in a channel: recovery must not be announced before the failure. */
export const adminKey = (team: string, channel: string) => `admin:${team}:${channel}`;

/** The ordering key of direct messages to one user: in the order of events. */
export const directKey = (team: string, channel: string) => `direct:${team}:${channel}`;

/** The ordering key of one question to one user: it changes in the order of its answers. */
export const askKey = (kind: string, ticketId: string, userId: string) => `ask:${kind}:${ticketId}:${userId}`;

/** The ordering key of a conversation's card: independent of the replies. */
export const cardKey = (conversationId: string) => `card:${conversationId}`;

/** The ordering key of the bot's other emoji on one message: they delay neither posts nor status reactions. */
export const reactionKey = ({ team, channel, ts }: ChatPlace) => `reaction:${team}:${channel}:${ts}`;

/** The ordering key of the status emoji on a conversation's parent message (B29). */
export const statusKey = (conversationId: string) => `status:${conversationId}`;

/** The ordering key of a copy of a ticket's card that is not posted yet: there is at most one per channel. */
export const copyKey = (ticketId: string, channel: string) => `copy:${ticketId}:${channel}`;

/** The ordering key of what a message shows of tickets beside their own places. */
export const shownKey = ({ team, channel, ts }: ChatPlace) => `shown:${team}:${channel}:${ts}`;

/** The ordering key of a user's Home. */
export const homeKey = (team: string, user: string) => `home:${team}:${user}`;

/** The key of a rate limit: calls of one kind to one channel. */
export const paceKey = (team: string, channel: string, kind: string) => `${team}:${channel}:${kind}`;

/** Keys under which reconciliation stores the progress of its reads. */
export const cursorKey = {
  /** The service's records, by `updatedAt`. */
  service: (team: string) => `service:${team}`,
  /** The messages of one channel. */
  channel: (team: string, channel: string) => `channel:${team}:${channel}`,
  /** The last scan of all channels: where a channel that is new to the bridge starts. */
  channels: (team: string) => `channels:${team}`,
  /** The users that the service has erased. */
  erased: (team: string) => `erased:${team}`,
  /** When a full reconciliation was last requested. */
  asked: (team: string) => `asked:${team}`,
};

/** The identity of a chat event, however often and under whichever event id it arrives (docs/architecture.md). */
export const eventKey = {
  message: ({ team, channel, ts }: ChatPlace) => `message:${team}:${channel}:${ts}:new`,
  /** Slack's edit timestamps have whole seconds: the content distinguishes two edits within one second. */
  edit: ({ team, channel, ts }: ChatPlace, editTs: string | undefined, content: unknown) =>
    `message:${team}:${channel}:${ts}:edited:${editTs ?? ''}:${fingerprint(content)}`,
  deletion: ({ team, channel, ts }: ChatPlace) => `message:${team}:${channel}:${ts}:deleted`,
  reaction: (place: ChatPlace, user: string, name: string, added: boolean, eventTs: string) =>
    `reaction:${place.team}:${place.channel}:${place.ts}:${user}:${name}:${added ? 'added' : 'removed'}:${eventTs}`,
  /** The prefix of the keys of all edits of a message. */
  edits: ({ team, channel, ts }: ChatPlace) => `message:${team}:${channel}:${ts}:edited:`,
  /** The prefix of the keys of all reactions to a message. */
  reactions: ({ team, channel, ts }: ChatPlace) => `reaction:${team}:${channel}:${ts}:`,
  /** Only a digest: a trigger opens windows in its person's Slack. */
  trigger: (triggerId: string) => `trigger:${fingerprint(triggerId)}`,
  /** A modal may be submitted again after a change: its hash distinguishes the two. */
  submission: (viewId: string, hash: string) => `view:${viewId}:${hash}`,
  unreadable: (body: unknown) => `unreadable:${fingerprint(body)}`,
  other: (eventId: string) => `event:${eventId}`,
};

/**
 * Returns the message of a permalink (`…/archives/C0123/p1700000000000100`); in a thread the link also contains the
 * parent. Undefined for any other link.
 */
export function parsePermalink(url: URL): { channel: string; ts: string } | undefined {
  const [, channel, seconds, rest] = /^\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})$/.exec(url.pathname) ?? [];
  return channel && seconds && rest ? { channel, ts: `${seconds}.${rest}` } : undefined;
}

/** Returns the permalink of a message in a workspace with the URL `https://acme.slack.com/`. */
export const permalinkOf = (workspace: string, { channel, ts }: { channel: string; ts: string }) =>
  new URL(`archives/${channel}/p${ts.replace('.', '')}`, workspace).href;

/** Returns a digest of any JSON: equal for equal content. */
export const fingerprint = (content: unknown) =>
  createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);

/** Separates a message's timestamp from its edit's, for edits that are separate ticket messages. */
const EDITED = ' edited ';

/** Returns the place of an edit that a service without editing stores as a separate message, once per edit. */
export const editPlace = (ts: string, editTs: string | undefined, content: unknown) =>
  `${ts}${EDITED}${editTs ?? ''} ${fingerprint(content)}`;

/** Returns the prefix of the places of all edits of a message. */
export const editPlaces = (ts: string) => `${ts}${EDITED}`;

/** Returns whether it is a message's own timestamp, so that something exists there in chat. */
export const isMessageTs = (place: string) => !place.includes(EDITED);

/** Returns a placeholder for the parent's timestamp of a thread that has no message yet. */
export const placeholderParent = (id: string) => `${NO_ROOT}${id}`;

const NO_ROOT = 'none:';

/** Returns whether a conversation's thread has no message yet. */
export const isPlaceholderParent = (root: string) => root.startsWith(NO_ROOT);

/** Returns the name of a ticket's private channel (B11): `it-42-private`; the `n`th one if others are taken. */
export const privateChannelName = (code: string, n: number) =>
  `${code.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, '-')}-private${n > 1 ? `-${n}` : ''}`;

/**
 * Returns whether a channel is the direct message channel of one user and the bot: group messages have another letter.
 */
export const isDirectOfTwo = (channel: string) => channel.startsWith('D');

/** Returns whether a user belongs to Slack (Slackbot or the system user), which writes and reacts without a bot id. */
export const isOfSlack = (user: string) => user === 'USLACKBOT' || user === 'USLACK';

/** Returns a timestamp between this one and every later one of Slack's, for messages found without an event (B50). */
export const justAfter = (ts: string) => `${ts}1`;

/** The timestamp of an event with unknown time: any real one is newer. */
export const NO_TIME = '0.';

/** Returns when a message was written, to the millisecond. */
export const writtenAt = (ts: string) => new Date(Number.parseFloat(ts) * 1000);

/** Compares two timestamps of one channel: negative if `a` is older. Compares text, because a float loses digits. */
export function compareTs(a: string, b: string): number {
  const [aSeconds = '', aRest = ''] = a.split('.');
  const [bSeconds = '', bRest = ''] = b.split('.');
  return aSeconds.length - bSeconds.length || aSeconds.localeCompare(bSeconds) || aRest.localeCompare(bRest);
}

/**
 * Compares two edits of one message by their timestamps: negative if `a` is older. A message without an edit is older
 * than any edit of it, although it may have been written in the same second: an edit's timestamp has whole seconds
 * only.
 */
export function compareEdits(a: string | null | undefined, b: string | null | undefined): number {
  if (typeof a !== 'string') return typeof b === 'string' ? -1 : 0;
  return typeof b === 'string' ? compareTs(a, b) : 1;
}
