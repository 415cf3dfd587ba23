import { emojiKey } from '../../platform/text/emoji.ts';

/** The emoji that opens a ticket (B1). */
export const TICKET_EMOJI = 'ticket';

/** The emoji that opens a private ticket in a place of its own (B11). */
export const ASIDE_EMOJI = 'shushing_face';

/** How a ticket opens that an emoji asks for. */
export type EmojiOpening = 'open' | 'open-private' | 'open-aside';

/** What a workspace lets an emoji do (`chatEmojiActions`, docs/api.md, Configuration records). */
export interface EmojiAction {
  action: string;
  /** The status or priority to set; empty where the action takes none. */
  value: string;
}

/** A workspace's own actions that open a ticket. */
const OPENINGS = new Map<string, EmojiOpening>([
  ['create', 'open'],
  ['create-private', 'open-private'],
]);

/**
 * What a reaction opens (B1, B11): what the workspace says of this emoji goes before what the bridge brings along.
 * @param name as chat tells it, with a skin tone where it has one.
 * @param actions the workspace's own actions by emoji (`chatEmojiActions`).
 */
export function openingOf(
  name: string,
  actions: ReadonlyMap<string, EmojiAction> | undefined,
): EmojiOpening | undefined {
  const own = actionOf(name, actions);
  if (own !== undefined) return OPENINGS.get(own.action);
  const [plain = name] = name.split('::');
  if (plain === TICKET_EMOJI) return 'open';
  return plain === ASIDE_EMOJI ? 'open-aside' : undefined;
}

/** What an emoji changes of the ticket whose first message it is put on. */
export type EmojiChange =
  { kind: 'status'; status: string } | { kind: 'priority'; priority: string } | { kind: 'assign-me' };

/** What a reaction changes of a ticket (B1), by the workspace's own actions; undefined for most. */
export function changeOf(
  name: string,
  actions: ReadonlyMap<string, EmojiAction> | undefined,
): EmojiChange | undefined {
  const own = actionOf(name, actions);
  switch (own?.action) {
    case 'status':
      return { kind: 'status', status: own.value };
    case 'priority':
      return { kind: 'priority', priority: own.value };
    case 'assign-me':
      return { kind: 'assign-me' };
    default:
      return undefined;
  }
}

/** In a skin tone of its own, or in any. */
function actionOf(
  name: string,
  actions: ReadonlyMap<string, EmojiAction> | undefined,
): EmojiAction | undefined {
  const [plain = name] = name.split('::');
  return actions?.get(name) ?? actions?.get(plain);
}

/** How the bot marks a message that waits for the service, one that can never cross, and one that did (B47, B54). */
export const MARK_EMOJI = {
  waiting: 'hourglass_flowing_sand',
  failed: 'warning',
} as const;

export type ReceiptMark = keyof typeof MARK_EMOJI;

/** How the bot says on a ticket's first message how it stands, by the label of its status's group (B29). */
const STATUS_EMOJI = new Map([
  ['In Progress', 'eyes'],
  ['Waiting', 'double_vertical_bar'],
  ['Done', 'white_check_mark'],
  ['Closed', 'lock'],
]);

/** The emoji of a status's group; none for an open ticket, nor for a group that is not known here. */
export function statusEmoji(group: string): string | undefined {
  return STATUS_EMOJI.get(group);
}

/** Whether an emoji is one of those: there is never more than one on a message. */
export function isStatusEmoji(name: string): boolean {
  return [...STATUS_EMOJI.values()].includes(name);
}

/** Another spelling of waiting. */
const FURTHER_MARKS = ['pause_button'];

const RESERVED = new Set(
  [...Object.values(MARK_EMOJI), ...STATUS_EMOJI.values(), ...FURTHER_MARKS].map(emojiKey),
);

const DELIVERY_MARKS = new Set(Object.values(MARK_EMOJI).map(emojiKey));

/** Whether an emoji shows delivery status only: people's are never forwarded to the ticket (B54). */
export function isDeliveryMark(emoji: string): boolean {
  return DELIVERY_MARKS.has(emojiKey(emoji));
}

/**
 * Whether a person's reaction is forwarded to the ticket message. An emoji of a status is: the bot's own is known by its
 * user, and stands on first messages only (B64).
 */
export function isForwarded(emoji: string): boolean {
  return openingOf(emoji, undefined) === undefined && !isDeliveryMark(emoji);
}

/** Whether the bot keeps an emoji for its own marks: it never puts it on a ticket message (B12, B29, B54). */
export function isReserved(emoji: string): boolean {
  return RESERVED.has(emojiKey(emoji));
}

/** Whether the bot shows a ticket's reaction with this emoji in chat: it is neither a mark nor an act of its own (B1, B12). */
export function isSynced(emoji: string): boolean {
  return openingOf(emoji, undefined) === undefined && !isReserved(emoji);
}
