import { emojiToName, nameToEmoji } from 'gemoji';

const TONES = ['\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'];

/** An emoji's sign by its code points (`1f44b-1f3fd`), else by its name; `:name:` where it is a workspace's own. */
export function emojiSign(name: string, unicode?: string): string {
  return signOfPoints(unicode) ?? signOfName(name) ?? `:${name}:`;
}

/** A text with the signs of the emoji that are named in it; `:names:` that are nobody's, or a workspace's own, stay. */
export function withSigns(text: string): string {
  return text.replaceAll(
    /(?<![\w:])((?::[a-z0-9_+-]{1,50}:(?::skin-tone-[2-6]:)?)+)(?![\w:])/g,
    (found: string) =>
      found.replaceAll(
        /:([a-z0-9_+-]+(?:::skin-tone-[2-6])?):/g,
        (shown: string, name: string) => signOfName(name) ?? shown,
      ),
  );
}

/** An emoji's name without colons and without a skin tone; a sign is named where it has a name. */
export function plainEmoji(emoji: string): string {
  const [name = ''] = emoji.replaceAll(/^:|:$/g, '').split('::skin-tone-', 1);
  const sign = TONES.reduce((rest, tone) => rest.replaceAll(tone, ''), name);
  return emojiToName[sign] ?? emojiToName[`${sign}\uFE0F`] ?? name;
}

/** The same for all names of one emoji (`+1`, `thumbsup`), in whatever tone; a workspace's own has its name alone. */
export function emojiKey(emoji: string): string {
  const name = plainEmoji(emoji);
  return signOfName(name) ?? name;
}

function signOfName(name: string): string | undefined {
  const [plain = '', tone] = name.split('::skin-tone-', 2);
  const sign = Object.hasOwn(nameToEmoji, plain) ? nameToEmoji[plain] : undefined;
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
