import { createHash } from 'node:crypto';

/**
 * The only place that builds or splits an id made of chat's own ids. A place in chat is (team, channel, ts): a
 * timestamp alone is unique only within its channel.
 */

/** One message of chat. */
export interface ChatPlace {
  team: string;
  channel: string;
  ts: string;
}

/** The lane of a person's commands: they take effect in the order they were typed. */
export function userKey(team: string, user: string): string {
  return `person:${team}:${user}`;
}

/** The lane of what is told of a message whose thread is not known yet. */
export function messageKey({ team, channel, ts }: ChatPlace): string {
  return `message:${team}:${channel}:${ts}`;
}

/** The lane of a ticket that has no conversation in chat. */
export function ticketKey(ticketId: string): string {
  return `ticket:${ticketId}`;
}

/** The lane of the bot's marks on one message: they wait for nothing else, and nothing waits for them. */
export function markKey({ team, channel, ts }: ChatPlace): string {
  return `mark:${team}:${channel}:${ts}`;
}

/** What we call the modal that a trigger opened (`external_id`). */
export function modalId(triggerId: string): string {
  return `modal ${triggerId}`;
}

/** The lane of what admins are told in a channel: what turned well must not come before what turned bad. */
export function adminKey(team: string, channel: string): string {
  return `admin:${team}:${channel}`;
}

/** The lane of what one person is told by direct message: in the order in which it happened. */
export function directKey(team: string, channel: string): string {
  return `direct:${team}:${channel}`;
}

/** The lane of one question to one person: it is changed in the order in which its answers come. */
export function askKey(kind: string, ticketId: string, userId: string): string {
  return `ask:${kind}:${ticketId}:${userId}`;
}

/** The lane of a conversation's card: it waits for no reply, and no reply for it. */
export function cardKey(conversationId: string): string {
  return `card:${conversationId}`;
}

/** The lane of the bot's other emoji on one message: they hold up no post, and no mark. */
export function reactionKey({ team, channel, ts }: ChatPlace): string {
  return `reaction:${team}:${channel}:${ts}`;
}

/** The lane of the status' emoji on a conversation's first message (B29). */
export function statusKey(conversationId: string): string {
  return `status:${conversationId}`;
}

/** The lane of a copy of a ticket's card that does not stand yet: there is never more than one in a channel. */
export function copyKey(ticketId: string, channel: string): string {
  return `copy:${ticketId}:${channel}`;
}

/** The lane of somebody's Home. */
export function homeKey(team: string, user: string): string {
  return `home:${team}:${user}`;
}

/** The pace that calls of one kind to one channel share. */
export function paceKey(team: string, channel: string, kind: string): string {
  return `${team}:${channel}:${kind}`;
}

/** What each of reconciliation's reads keeps its place by. */
export const cursorKey = {
  /** The service's records, by `updatedAt`. */
  service: (team: string) => `service:${team}`,
  /** The messages of one channel. */
  channel: (team: string, channel: string) => `channel:${team}:${channel}`,
  /** The last look over all channels: where a channel that is new to the bridge begins. */
  channels: (team: string) => `channels:${team}`,
  /** When somebody last asked for everything to be compared at once. */
  asked: (team: string) => `asked:${team}`,
};

/** What makes a chat event the same event, however often and under whatever event id it comes (docs/architecture.md). */
export const eventKey = {
  message: ({ team, channel, ts }: ChatPlace) => `message:${team}:${channel}:${ts}:new`,
  /** Chat's edit timestamps have whole seconds: what the edit says tells two edits of one second apart. */
  edit: ({ team, channel, ts }: ChatPlace, editTs: string, content: unknown) =>
    `message:${team}:${channel}:${ts}:edited:${editTs}:${fingerprint(content)}`,
  deletion: ({ team, channel, ts }: ChatPlace) => `message:${team}:${channel}:${ts}:deleted`,
  reaction: (place: ChatPlace, user: string, name: string, added: boolean, eventTs: string) =>
    `reaction:${place.team}:${place.channel}:${place.ts}:${user}:${name}:${added ? 'added' : 'removed'}:${eventTs}`,
  /** How the keys of all edits of a message begin. */
  edits: ({ team, channel, ts }: ChatPlace) => `message:${team}:${channel}:${ts}:edited:`,
  /** How the keys of all reactions to a message begin. */
  reactions: ({ team, channel, ts }: ChatPlace) => `reaction:${team}:${channel}:${ts}:`,
  trigger: (triggerId: string) => `trigger:${triggerId}`,
  /** A modal may be submitted again after it was changed: its hash tells the two apart. */
  submission: (viewId: string, hash: string) => `view:${viewId}:${hash}`,
  other: (eventId: string) => `event:${eventId}`,
};

/**
 * The message that a link of chat names (`…/archives/C0123/p1700000000000100`); in a thread the link also names the
 * root. Undefined for any other link.
 */
export function parsePermalink(url: URL): { channel: string; ts: string } | undefined {
  const [, channel, seconds, rest] = /^\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})$/.exec(url.pathname) ?? [];
  return channel && seconds && rest ? { channel, ts: `${seconds}.${rest}` } : undefined;
}

/** The address of a message in a workspace whose own address is `https://acme.slack.com/`. */
export function permalinkOf(workspace: string, { channel, ts }: { channel: string; ts: string }): string {
  return new URL(`archives/${channel}/p${ts.replace('.', '')}`, workspace).href;
}

/** A digest of any JSON: equal where the content is. */
export function fingerprint(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}

/** Stands between a message's timestamp and its edit's where the edit is a ticket message of its own. */
const EDITED = ' edited ';

/** In place of a timestamp: an edit that a service without editing keeps as a message of its own, once per edit. */
export function editPlace(ts: string, editTs: string, content: unknown): string {
  return `${ts}${EDITED}${editTs} ${fingerprint(content)}`;
}

/** How the places of all edits of a message begin. */
export function editPlaces(ts: string): string {
  return `${ts}${EDITED}`;
}

/** Whether it is a message's own timestamp, at which something stands in chat. */
export function isMessageTs(place: string): boolean {
  return !place.includes(EDITED);
}

/** In place of a root's timestamp: the thread of this ticket's or conversation's talk has no first message yet. */
export function noRoot(id: string): string {
  return `${NO_ROOT}${id}`;
}

const NO_ROOT = 'none:';

/** Whether a conversation's thread has no first message yet. */
export function isNoRoot(root: string): boolean {
  return root.startsWith(NO_ROOT);
}

/** The name of a ticket's private channel (B11): `it-42-private`; the `n`th one where the first were taken. */
export function roomName(code: string, n: number): string {
  return `${code.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, '-')}-private${n > 1 ? `-${n}` : ''}`;
}

/** Whether a channel is the direct conversation of one person with the bot: those of several have another letter. */
export function isDirectOfTwo(channel: string): boolean {
  return channel.startsWith('D');
}

/** Sorts behind a timestamp and before every later one of chat's: of what is found, and was never told (B50). */
export function justAfter(ts: string): string {
  return `${ts}1`;
}

/** The timestamp of news whose time nobody knows: any that is told is newer. */
export const NO_TIME = '0.';

/** When a message of chat was written, to the millisecond. */
export function writtenAt(ts: string): Date {
  return new Date(Number.parseFloat(ts) * 1000);
}

/** Compares two timestamps of one channel: negative when `a` is older. Compared as text parts, for a float loses digits. */
export function compareTs(a: string, b: string): number {
  const [aSeconds = '', aRest = ''] = a.split('.');
  const [bSeconds = '', bRest = ''] = b.split('.');
  return aSeconds.length - bSeconds.length || aSeconds.localeCompare(bSeconds) || aRest.localeCompare(bRest);
}
