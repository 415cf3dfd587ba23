import { readFile, writeFile } from 'node:fs/promises';

import { format, resolveConfig } from 'prettier';
import { z } from 'zod';

/** Writes the emoji table: run `node test/harness/write-emoji.ts` after an update of `emojibase-data`. */
export const EMOJI_TABLE = new URL('../../src/platform/text/emoji-table.ts', import.meta.url);

const names = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const entry = z.object({
  hexcode: z.string(),
  emoji: z.string(),
  /** 1 for emoji with a default colour presentation. */
  type: z.number(),
  group: z.number().optional(),
  order: z.number().optional(),
});
const TITLES = new Map([
  [0, 'Smileys & Emotion'],
  [1, 'People & Body'],
  [3, 'Animals & Nature'],
  [4, 'Food & Drink'],
  [5, 'Travel & Places'],
  [6, 'Activities'],
  [7, 'Objects'],
  [8, 'Symbols'],
  [9, 'Flags'],
]);

/** The source of the table, from the data set of Slack's own names, and GitHub's names. */
export async function emojiTable(): Promise<string> {
  const [all, slack, github] = [
    z.array(entry).parse(await data('data')),
    names.parse(await data('shortcodes/iamcal')),
    names.parse(await data('shortcodes/github')),
  ];
  const taken = new Set(Object.values(slack).flat());
  const ordered = all.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const groups = [...TITLES].map(([group, title]) => {
    const entries = ordered.flatMap((one) => {
      const own = [slack[one.hexcode] ?? []].flat();
      if (one.group !== group || own.length === 0) return [];
      // Ten flags have their country's letters as another name, which Slack's documentation does not have.
      const flag = own.filter((name) => name.startsWith('flag-'));
      const canonical = flag.length > 0 ? flag : own;
      const others = [github[one.hexcode] ?? []].flat().filter((name) => !taken.has(name));
      const aliases = [...own.filter((name) => !canonical.includes(name)), ...others];
      return [
        [signOf(one), canonical.join(','), ...(aliases.length > 0 ? [aliases.join(',')] : [])].join(' '),
      ];
    });
    return [title, ...entries].join('|');
  });
  const source = `// Written by test/harness/write-emoji.ts from emojibase-data; do not edit.

/** One group per line: its title, then for each emoji the character, Slack's names, and other names if any. */
export const EMOJI_TABLE: readonly string[] = ${JSON.stringify(groups)};
`;
  const path = EMOJI_TABLE.pathname;
  return format(source, { ...(await resolveConfig(path)), filepath: path });
}

function signOf({ emoji, hexcode, type }: z.infer<typeof entry>): string {
  if (type === 0) return emoji;
  return String.fromCodePoint(...hexcode.split('-').map((point) => Number.parseInt(point, 16)));
}

async function data(name: string): Promise<unknown> {
  const path = new URL(import.meta.resolve(`emojibase-data/en/${name}.json`));
  return JSON.parse(await readFile(path, 'utf8')) as unknown;
}

if (import.meta.main) await writeFile(EMOJI_TABLE, await emojiTable());
