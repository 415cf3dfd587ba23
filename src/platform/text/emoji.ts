import { EMOJI_TABLE } from './emoji-table.ts';

const TONES = ['\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'];
const TONE_OR_VARIANT = /[\u{1F3FB}-\u{1F3FF}]|\uFE0F/gu;

export interface EmojiGroup {
  title: string;
  /** The character, then its names in Slack. */
  emoji: [sign: string, ...names: string[]][];
}

/** Characters by their names in Slack. */
const SIGNS = new Map<string, string>();
/** Characters by names used elsewhere (GitHub's `thinking`, `de`). */
const SIGNS_ELSEWHERE = new Map<string, string>();
/** Names in Slack by character, without skin tone or variation selector. */
const NAMES = new Map<string, string>();

/** All emoji of Slack, in their groups. */
export const EMOJI_GROUPS: readonly EmojiGroup[] = EMOJI_TABLE.map((line) => {
  const [title = '', ...entries] = line.split('|');
  return { title, emoji: entries.map(entryOf) };
});

function entryOf(entry: string): [sign: string, ...names: string[]] {
  const [sign = '', own = '', others] = entry.split(' ');
  const names = own.split(',');
  for (const name of names) SIGNS.set(name, sign);
  for (const name of others?.split(',') ?? []) SIGNS_ELSEWHERE.set(name, sign);
  NAMES.set(withoutTone(sign), names[0] ?? '');
  return [sign, ...names];
}

/** Returns whether Slack has an emoji of this name (with or without a skin tone); custom emoji are not included. */
export function isEmojiName(name: string): boolean {
  return SIGNS.has(name.replace(/::skin-tone-[2-6]$/, ''));
}

/** Returns an emoji's character by its code points (`1f44b-1f3fd`), else by its name; `:name:` for custom emoji. */
export function emojiSign(name: string, unicode?: string): string {
  return signOfPoints(unicode) ?? signOfName(name) ?? `:${name}:`;
}

/** Replaces the emoji names in a text with characters; unknown `:names:` and custom emoji stay. */
export function withSigns(text: string): string {
  // No look-ahead behind the repetition: it would be retried from each of the names.
  return text.replaceAll(/(?<![\w:])(?::[a-z0-9_+-]{1,50}:)+/g, (run: string, at: number) =>
    /[\w:]/.test(text.charAt(at + run.length))
      ? run
      : run.replaceAll(
          /:([a-z0-9_+-]+(?:::skin-tone-[2-6])?):/g,
          (shown: string, name: string) => signOfName(name) ?? shown,
        ),
  );
}

/** Returns an emoji's name in Slack, without colons and skin tone, for any of its names or its character. */
export function plainEmoji(emoji: string): string {
  const [name = ''] = emoji.replaceAll(/^:|:$/g, '').split('::skin-tone-', 1);
  if (SIGNS.has(name)) return name;
  return NAMES.get(withoutTone(SIGNS_ELSEWHERE.get(name) ?? name)) ?? name;
}

/**
 * Returns the same key for all names of one emoji (`+1`, `thumbsup`) in any skin tone; a custom emoji has only its
 * name.
 */
export function emojiKey(emoji: string): string {
  const name = plainEmoji(emoji);
  return signOfName(name) ?? name;
}

function withoutTone(sign: string): string {
  return sign.replaceAll(TONE_OR_VARIANT, '');
}

function signOfName(name: string): string | undefined {
  const [plain = '', tone] = name.split('::skin-tone-', 2);
  const sign = SIGNS.get(plain) ?? SIGNS_ELSEWHERE.get(plain);
  const colour = TONES[Number(tone) - 2];
  if (sign === undefined || colour === undefined) return sign;
  const [first = '', ...rest] = sign;
  return first + colour + rest.join('').replace(/^\uFE0F/, '');
}

function signOfPoints(unicode: string | undefined): string | undefined {
  if (!unicode || !/^[0-9a-f]{2,6}(-[0-9a-f]{2,6})*$/i.test(unicode)) return undefined;
  const points = unicode.split('-').map((hex) => Number.parseInt(hex, 16));
  return points.every((point) => point <= 0x10_ff_ff) ? String.fromCodePoint(...points) : undefined;
}
