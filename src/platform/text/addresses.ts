import { isLinkable } from './clean.ts';
import { characterBefore } from './flanking.ts';

/** A bare address in a text: what stays as it was written, whatever syntax it contains. */
export interface Address {
  /** Code units of the source, from the first to behind the last. */
  from: number;
  to: number;
  /** The address itself: the source without its escapes. */
  words: string;
  /** Whether it may be a link. Others (`ftp:`, `www.`) stay text. */
  isLink: boolean;
}

/** How a source is read: Markdown has escapes, plain text has none. */
export interface Reading {
  /** Returns how long the escape at a place is, and for which text it stands; undefined if there is none. */
  escapeAt?: (source: string, at: number) => { length: number; text: string } | undefined;
}

/** One character of an address, with the place behind it in the source. */
interface Unit {
  text: string;
  to: number;
  isEscaped: boolean;
}

/** A longer run is not searched for its end: no URL of this length may be a link. */
const LONGEST = 4_000;

/** Scripts that are written without spaces between words. */
const CJK = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}|\p{Script=Hangul}/u;
const WORD = /[\p{L}\p{N}]/u;
const STARTS = /:\/\/|\bwww\.(?=[\p{L}\p{N}])/giu;
const BEFORE_STARTS = 40;

/** Never part of an address: a browser writes them with `%`. */
const NEVER = /[\s<>|"\p{Cc}。、，！？；：]/u;
/** Between the addresses of a list; in a path it may also be a part of one. */
const BETWEEN = /[,;]/;
const NEXT = /^(?:https?:\/\/|www\.)/i;
/** Characters of a source in which the start of the next address can be seen. */
const NEXT_STARTS = 8;
const PAIRS: Record<string, string> = {
  ')': '(',
  ']': '[',
  '}': '{',
  '）': '（',
  '］': '［',
  '」': '「',
  '』': '『',
  '】': '【',
  '》': '《',
  '〉': '〈',
};
const OPENERS = new Set(Object.values(PAIRS));
/** In `https://acme.example/`; `www.acme.example/` has one. */
const HOST_SLASHES = 3;
/** At its end these belong to the sentence. */
const STOP =
  /[?!.,:;'’‘“”»«›‹…–—،؛؟۔([{（［「『【《〈]|\u200B|\u200D|\uFE0F|\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;
/** At its end these belong to a style, if one is open. */
const MARKERS = '*_~';

/**
 * Returns the bare addresses in a text, in order: what starts with a scheme and `//`, or with `www.`. An address ends
 * at white space, at a bracket that it did not open, and before the punctuation of its sentence. Takes time in
 * proportion to the text.
 */
export function addressesIn(source: string, reading: Reading = {}): Address[] {
  const found: Address[] = [];
  let last = 0;
  for (const { index } of source.matchAll(STARTS)) {
    if (index < last) continue;
    const from = addressStart(source, index, last);
    if (from === undefined) continue;
    const units = unitsFrom(source, from, reading);
    // In `**https://acme.example/a**` of a text without styles, too.
    const address = addressOf(from, units, ({ text }) => source.charAt(from - 1) === text);
    if (!address) continue;
    found.push(address);
    last = address.to;
  }
  return found;
}

/**
 * Returns an address again without the markers at its end that close a style, as in `**https://x.example/a**`.
 * @param isOpen returns whether a style of this marker is open where the address stands.
 */
export function withoutClosing(
  address: Address,
  source: string,
  reading: Reading,
  isOpen: (marker: string) => boolean,
): Address | undefined {
  const { from } = address;
  return addressOf(from, unitsFrom(source, from, reading), ({ text, isEscaped }) =>
    // Escaped markers around an address are the markers of a text without styles.
    isEscaped ? source.slice(Math.max(0, from - 2), from) === `\\${text}` : isOpen(text),
  );
}

/** Returns where the address around `://` or `www.` starts. */
function addressStart(source: string, at: number, last: number): number | undefined {
  const isWeb = source.charAt(at) !== ':';
  const before = source.slice(Math.max(last, at - BEFORE_STARTS), at);
  const scheme = isWeb ? '' : (/https?$/i.exec(before)?.[0] ?? /[a-z][a-z0-9+-]*$/i.exec(before)?.[0]);
  if (scheme === undefined) return undefined;
  const previous = characterBefore(before, before.length - scheme.length);
  return WORD.test(previous) && !CJK.test(previous) ? undefined : at - scheme.length;
}

function unitsFrom(source: string, from: number, { escapeAt }: Reading): Unit[] {
  const units: Unit[] = [];
  const open = new Map<string, number>();
  let slashes = 0;
  const hostSlashes = /^www\./i.test(source.slice(from, from + 4)) ? 1 : HOST_SLASHES;
  for (let at = from; at < source.length && units.length < LONGEST;) {
    const escape = escapeAt?.(source, at);
    const text = escape?.text ?? String.fromCodePoint(source.codePointAt(at) ?? 0);
    const next = at + (escape?.length ?? text.length);
    if (NEVER.test(text) || (text === '\\' && source.charAt(next) === '\n')) break;
    const isHost = slashes < hostSlashes;
    // A browser would read it as a slash, so that two people read the host differently.
    if (isHost && text === '\\') break;
    if (BETWEEN.test(text) && (isHost || NEXT.test(source.slice(next, next + NEXT_STARTS)))) break;
    const isOpener = OPENERS.has(text);
    // No host contains a bracket, but for `https://[::1]/`.
    if (isHost && isOpener && !(text === '[' && units.at(-1)?.text === '/')) break;
    if (!escape && isOpener) open.set(text, (open.get(text) ?? 0) + 1);
    const opener = PAIRS[text];
    if (opener !== undefined && (isHost || !escape)) {
      const left = (open.get(opener) ?? 0) - 1;
      // A bracket around the address, or around a link's label.
      if (left < 0 && (isHost || text === ']' || !/[\w/]/.test(source.charAt(next)))) break;
      open.set(opener, left);
    }
    if (text === '/') slashes += 1;
    units.push({ text, to: next, isEscaped: escape !== undefined });
    at = next;
  }
  return units;
}

function addressOf(
  from: number,
  all: readonly Unit[],
  closes: (marker: Unit) => boolean,
): Address | undefined {
  let end = all.length;
  for (; end > 0; end -= 1) {
    const last = all[end - 1];
    if (!last || !(STOP.test(last.text) || (MARKERS.includes(last.text) && closes(last)))) break;
  }
  const words = all
    .slice(0, end)
    .map(({ text }) => text)
    .join('');
  const to = all[end - 1]?.to;
  if (to === undefined || !/^(?:[a-z][a-z0-9+-]*:\/\/|www\.)./iu.test(words)) return undefined;
  return { from, to, words, isLink: /^https?:/i.test(words) && isLinkable(words) };
}
