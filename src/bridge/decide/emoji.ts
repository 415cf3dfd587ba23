import { emojiKey } from '../text/emoji.ts';

/** The emoji that opens a ticket (B1). */
export const TICKET_EMOJI = 'ticket';

/** The emoji that opens a private ticket in a place of its own (B11). */
export const ASIDE_EMOJI = 'shushing_face';

/** How a ticket opens that an emoji asks for. */
export type EmojiOpening = 'open' | 'open-private' | 'open-aside';

/** A workspace's own actions that open a ticket; those that change one are not among them yet. */
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
  actions: ReadonlyMap<string, string> | undefined,
): EmojiOpening | undefined {
  const [plain = name] = name.split('::');
  const action = actions?.get(name) ?? actions?.get(plain);
  if (action !== undefined) return OPENINGS.get(action);
  if (plain === TICKET_EMOJI) return 'open';
  return plain === ASIDE_EMOJI ? 'open-aside' : undefined;
}

/** How the bot marks a message that waits for the service, and one that can never cross (B47, B54). */
export const MARK_EMOJI = { waiting: 'hourglass_flowing_sand', failed: 'warning' } as const;

export type ReceiptMark = keyof typeof MARK_EMOJI;

/** The sign that a message crossed after all (B54), and those of a ticket's status on its first message (B29). */
const FURTHER_MARKS = [
  'heavy_check_mark',
  'eyes',
  'pause_button',
  'double_vertical_bar',
  'white_check_mark',
  'lock',
];

const RESERVED = new Set([...Object.values(MARK_EMOJI), ...FURTHER_MARKS].map(emojiKey));

/** Whether an emoji is kept for the bot's own marks: it is never synced, whoever gives it (B12, B29, B54). */
export function isReserved(emoji: string): boolean {
  return RESERVED.has(emojiKey(emoji));
}

/** Whether a reaction with this emoji is one on both sides: it is neither a mark nor an act of its own (B1, B12). */
export function isSynced(emoji: string): boolean {
  return openingOf(emoji, undefined) === undefined && !isReserved(emoji);
}
