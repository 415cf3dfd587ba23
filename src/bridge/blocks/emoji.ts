import { emojiKey } from '../../platform/text/emoji.ts';

/** The emoji that opens a ticket (B1). */
export const TICKET_EMOJI = 'ticket';

/** The emoji that opens a private ticket in its own place (B11). */
const ASIDE_EMOJI = 'shushing_face';

/** How an emoji opens a ticket. */
export type EmojiOpening = 'open' | 'open-private' | 'open-aside';

type EmojiActions = ReadonlyMap<string, EmojiAction> | undefined;

/** A workspace's action for an emoji (`chatEmojiActions`, docs/api.md, Configuration records). */
export interface EmojiAction {
  action: string;
  /** The status or priority to set; empty for other actions. */
  value: string;
}

/** A workspace's own actions that open a ticket. */
const OPENINGS = new Map<string, EmojiOpening>([
  ['create', 'open'],
  ['create-private', 'open-private'],
]);

/**
 * Returns what a reaction opens (B1, B11): the workspace's setting overrides the bridge's default.
 * @param name Slack's name, with a skin tone if it has one.
 * @param actions the workspace's own actions by emoji (`chatEmojiActions`).
 */
export function openingOf(name: string, actions: EmojiActions): EmojiOpening | undefined {
  const own = actionOf(name, actions);
  if (own !== undefined) return OPENINGS.get(own.action);
  const key = emojiKey(name);
  if (key === emojiKey(TICKET_EMOJI)) return 'open';
  return key === emojiKey(ASIDE_EMOJI) ? 'open-aside' : undefined;
}

const CHANGES = ['status', 'priority', 'assign-me'] as const;

/** The change of a ticket by an emoji on its parent message; `value` is the status or priority. */
export interface EmojiChange {
  kind: (typeof CHANGES)[number];
  value: string;
}

/** Returns what a reaction changes on a ticket (B1), by the workspace's own actions; usually undefined. */
export function changeOf(name: string, actions: EmojiActions): EmojiChange | undefined {
  const own = actionOf(name, actions);
  const kind = CHANGES.find((one) => one === own?.action);
  return own && kind && { kind, value: own.value };
}

/** For this skin tone, else for any; a setting and a reaction may use different names of one emoji. */
function actionOf(name: string, actions: EmojiActions): EmojiAction | undefined {
  if (!actions) return undefined;
  const ofEmoji = [...actions].filter(([own]) => emojiKey(own) === emojiKey(name));
  const inTone = ofEmoji.find(([own]) => toneOf(own) === toneOf(name));
  const inAny = ofEmoji.find(([own]) => toneOf(own) === undefined);
  return (inTone ?? inAny)?.[1];
}

/** Returns the skin tone in an emoji's name (`skin-tone-3`); undefined if it has none. */
function toneOf(name: string): string | undefined {
  return name.split('::')[1];
}

/** Status reactions: a message waits for the service, could not be delivered, or was delivered (B47, B54). */
export const MARK_EMOJI = {
  waiting: 'hourglass_flowing_sand',
  failed: 'warning',
} as const;

export type DeliveryMark = keyof typeof MARK_EMOJI;

/** The status emoji on a ticket's parent message, by the label of its status's group (B29). */
const STATUS_EMOJI = new Map([
  ['In Progress', 'eyes'],
  ['Waiting', 'double_vertical_bar'],
  ['Done', 'white_check_mark'],
  ['Closed', 'lock'],
]);

/** Returns the emoji of a status's group; none for an open ticket or an unknown group. */
export function statusEmoji(group: string): string | undefined {
  return STATUS_EMOJI.get(group);
}

/** Returns whether an emoji is one of those: there is never more than one on a message. */
export function isStatusEmoji(name: string): boolean {
  return [...STATUS_EMOJI.values()].includes(name);
}

/** Emoji of the bot, with another name of that for Waiting. */
const RESERVED = new Set(
  [...Object.values(MARK_EMOJI), ...STATUS_EMOJI.values(), 'pause_button'].map(emojiKey),
);

const DELIVERY_MARKS = new Set(Object.values(MARK_EMOJI).map(emojiKey));

/** Returns whether an emoji shows delivery status only: users' own are never forwarded (B54). */
export function isDeliveryMark(emoji: string): boolean {
  return DELIVERY_MARKS.has(emojiKey(emoji));
}

/**
 * Returns whether a user's reaction is forwarded to the ticket message. Status emoji are: the bot's own are recognised
 * by their user, and are only on parent messages (B64).
 */
export function isForwarded(emoji: string): boolean {
  return openingOf(emoji, undefined) === undefined && !isDeliveryMark(emoji);
}

/** Returns whether the bot uses an emoji for its own purposes: it never adds it to a ticket message (B12, B29, B54). */
export function isReserved(emoji: string): boolean {
  return RESERVED.has(emojiKey(emoji));
}

/**
 * Returns whether the bot shows a ticket's reaction with this emoji in chat: it is neither a status nor an action (B1,
 * B12).
 */
export function isSynced(emoji: string): boolean {
  return openingOf(emoji, undefined) === undefined && !isReserved(emoji);
}
