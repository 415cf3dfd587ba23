import { fold, readWords } from './reader.ts';

/** Where words stand in a text, in UTF-16 units. */
export interface Mark {
  from: number;
  to: number;
  /** The word, as the reader reads it. */
  word: string;
}

/** Characters of a passage, about two lines, and of them before its first word. */
const LONGEST = 180;
const BEFORE = 40;

/** Folds a text and says for each folded character where its original begins. */
function foldWithPlaces(text: string): { folded: string; places: number[] } {
  let folded = '';
  const places: number[] = [];
  let at = 0;
  for (const sign of text) {
    // Most signs; folding each of a long text takes ten times as long.
    const part = sign <= '\u007f' ? sign.toLowerCase() : fold(sign);
    for (let unit = 0; unit < part.length; unit++) places.push(at);
    folded += part;
    at += sign.length;
  }
  places.push(at);
  return { folded, places };
}

/** Returns one line of a text, in one spelling of accents. */
export function oneLine(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}

/**
 * Returns where a text has words with these lexemes.
 * @param isWithin whether a word with a lexeme inside it counts too: `linestruckend`, of which a style made three
 *   words.
 */
export function marksIn(
  line: string,
  lexemes: ReadonlySet<string>,
  stems: ReadonlyMap<string, readonly string[]>,
  isWithin = false,
): Mark[] {
  const { folded, places } = foldWithPlaces(line);
  const marks: Mark[] = [];
  const isFound = (part: string) =>
    lexemes.has(part) || (stems.get(part)?.some((stem) => lexemes.has(stem)) ?? false);
  const add = (from: number, to: number, word: string) => {
    const mark = { from: places[from] ?? 0, to: places[to] ?? line.length, word };
    const last = marks.at(-1);
    if (last && mark.from < last.to) last.to = mark.to;
    else marks.push(mark);
  };
  for (const { from, to, text, parts, pairs, numbers, isDense } of readWords(folded)) {
    if (!isDense) {
      const whole = [...pairs, ...parts, ...numbers].find(isFound);
      const hit = whole ?? (isWithin ? [...lexemes].find((lexeme) => text.includes(lexeme)) : undefined);
      if (hit !== undefined) add(from, to, hit);
      continue;
    }
    let place = from;
    for (const [index, sign] of Array.from(text).entries()) {
      const pair = parts[index] ?? '';
      // The last sign stands alone.
      if (lexemes.has(pair)) add(place, place + pair.length, text);
      place += sign.length;
    }
  }
  return marks;
}

/** Returns the part of a line, short enough to be shown, that has most of the words that are marked. */
export function passageOf(
  line: string,
  marks: readonly Mark[],
): { text: string; marks: Omit<Mark, 'word'>[] } {
  const [from, to] = bestRange(line, marks);
  const text = line.slice(from, to);
  return {
    text,
    marks: marks
      .filter((mark) => mark.from >= from && mark.to <= to)
      .map((mark) => ({ from: mark.from - from, to: mark.to - from })),
  };
}

function bestRange(line: string, marks: readonly Mark[]): [number, number] {
  if (line.length <= LONGEST) return [0, line.length];
  let best = { from: 0, words: 0 };
  for (const [index, first] of marks.entries()) {
    const words = new Set<string>();
    for (const mark of marks.slice(index, index + LONGEST)) {
      if (mark.to > first.from + LONGEST - BEFORE) break;
      words.add(mark.word);
    }
    if (words.size > best.words) best = { from: first.from, words: words.size };
  }
  const [from, to] = [Math.max(0, best.from - BEFORE), Math.min(line.length, best.from + LONGEST - BEFORE)];
  // At a space, or at least not within a character.
  const space = line.indexOf(' ', from);
  const end = line.lastIndexOf(' ', to);
  return [
    from === 0 ? 0 : space >= 0 && space < best.from ? space + 1 : characterStart(line, from),
    to === line.length ? to : end > best.from + 20 ? end : characterStart(line, to),
  ];
}

function characterStart(line: string, place: number): number {
  return /[\uDC00-\uDFFF]/.test(line[place] ?? '') ? place + 1 : place;
}
