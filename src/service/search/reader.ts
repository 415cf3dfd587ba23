/**
 * Changes with what the functions below return, and with who may read which text (index/texts.ts): an index that another
 * version wrote is written again in the background (index/rebuild.ts).
 */
export const READER_VERSION = 3;

/** A word of a text, with everything that finds it. */
export interface Word {
  /** The word as it stands in the folded text: `printer/scanner`. */
  text: string;
  /** Where it stands in the folded text: from the first character to before the last. */
  from: number;
  to: number;
  /** Its parts between punctuation: `printer`, `scanner`. Of a script without spaces: every two consecutive signs. */
  parts: string[];
  /** Every two parts with the punctuation between them: a longer word is found by all of its pairs. */
  pairs: string[];
  /**
   * The number at the end of each part, behind its letters, alone and in its pair with the next part: `v5.2` is found
   * by `5.2`, and `INC0012` by `0012`.
   */
  numbers: string[];
  /** Whether its script has no spaces between words. */
  isDense: boolean;
}

/** Characters of a part that count: a line of Base64 is one part, and the index holds no lexeme of any length. */
const LONGEST_PART = 100;
/** Punctuation that may stand within a word, as in `https://x.example/a?b=1`, `IT-42` and `ada@x.example`. */
const JOINER = /^[-_./\\:@'&+=?#%~$]{1,3}$/;
const PART = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** Scripts that write no spaces between words. Hangul has spaces, but its words end in particles. */
const DENSE_SIGN =
  '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{scx=Hang}\\p{scx=Yi}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]';
const DENSE = new RegExp(DENSE_SIGN, 'u');
const PIECES = new RegExp(`${DENSE_SIGN}+|(?:(?!${DENSE_SIGN}).)+`, 'gsu');
const LETTERS = /^[\p{L}\p{M}]+$/u;
const NUMBER_AT_END = /[\p{L}\p{M}](\p{N}+)$/u;

/**
 * Returns a text so that two spellings of one word are equal: compatible characters (`ﬁ`, full width), composed and
 * decomposed accents, case, dashes and apostrophes; without characters that nobody sees.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/[’‘ʼ＇]/g, "'")
    .replaceAll('⁄', '/')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

/** Returns whether a part has only letters of a script with spaces, so that it has a stem and may be a typing error. */
export function isOfLetters(part: string): boolean {
  return LETTERS.test(part) && !DENSE.test(part);
}

/** Returns the words of a folded text, in its order; in linear time. */
export function readWords(folded: string): Word[] {
  const words: Word[] = [];
  let open: Word | undefined;
  for (const match of folded.matchAll(PART)) {
    const pieces = DENSE.test(match[0]) ? (match[0].match(PIECES) ?? []) : [match[0]];
    let from = match.index;
    for (const piece of pieces) {
      const to = from + piece.length;
      // One character more than a joiner may have.
      const gap = open && folded.slice(open.to, Math.min(from, open.to + 4));
      if (DENSE.test(piece)) {
        words.push({ text: piece, from, to, parts: signPairs(piece), pairs: [], numbers: [], isDense: true });
        open = undefined;
      } else if (open && gap !== undefined && JOINER.test(gap)) addPart(open, gap, piece, to);
      else {
        const part = cutPart(piece);
        open = { text: part, from, to, parts: [part], pairs: [], numbers: numbersOf(part), isDense: false };
        words.push(open);
      }
      from = to;
    }
  }
  return words;
}

function addPart(word: Word, gap: string, piece: string, to: number): void {
  const part = cutPart(piece);
  word.to = to;
  // `Quimby's` is found by `Quimby`.
  if (gap === "'" && part === 's') return;
  const last = word.parts.at(-1) ?? '';
  word.parts.push(part);
  word.pairs.push(`${last}${gap}${part}`);
  word.numbers.push(...numbersOf(last).map((number) => `${number}${gap}${part}`), ...numbersOf(part));
  word.text += gap + part;
}

/** Returns the number at the end of a part, behind its letters, or none. */
function numbersOf(part: string): string[] {
  const [, number] = NUMBER_AT_END.exec(part) ?? [];
  return number === undefined ? [] : [number];
}

/** Returns every two consecutive signs, and the last one: each is found as the beginning of a pair. */
function signPairs(run: string): string[] {
  const signs = Array.from(run);
  return signs.map((sign, place) => sign + (signs[place + 1] ?? ''));
}

function cutPart(part: string): string {
  return part.length <= LONGEST_PART
    ? part
    : Array.from(part.slice(0, 2 * LONGEST_PART))
        .slice(0, LONGEST_PART)
        .join('');
}

/** Returns everything by which a word of a record is found, besides its stem. */
export function lexemesOf({ parts, pairs, numbers }: Word): string[] {
  return [...parts, ...pairs, ...numbers];
}
