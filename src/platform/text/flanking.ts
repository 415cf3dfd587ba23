/** What a run of markers may do to a style. */
export interface Flanking {
  canOpen: boolean;
  canClose: boolean;
}

/**
 * Returns whether a run of `*`, `_` or `~` may open or close a style, by the characters around it.
 *
 * CommonMark decides by white space and punctuation only
 * (https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run). That fails where no spaces separate words:
 * `**標籤：**正文` would show its asterisks. So a run may also
 *
 * - close behind punctuation and open before it, where a sign of a script without spaces is next to it, or the run has
 *   two markers, or (closing only) the punctuation ends a phrase; but never close behind an opening bracket, or open
 *   before a closing one;
 * - as `_` close between two signs of such a script: `_日本語_です`.
 *
 * A run that belongs to an address, a path or a file name is text: `src/__tests__/a.js`, `ada_@acme.example`,
 * `/tmp/*.log`.
 * @param from of the run in the source; `to` is behind its last marker.
 */
export function flankingOf(source: string, from: number, to: number): Flanking {
  const marker = source.charAt(from);
  const before = characterBefore(source, from);
  const after = String.fromCodePoint(source.codePointAt(to) ?? SPACE);
  const twoAfter = source.slice(to, to + 2);
  const [previous, next] = [characterKind(before), characterKind(after)];
  const left = next !== 'space' && (next !== 'punctuation' || previous !== 'word');
  const right = previous !== 'space' && (previous !== 'punctuation' || next !== 'word');
  if (marker === '_') {
    const mayClose = !left || next === 'punctuation' || (isCjk(before) && isCjk(after));
    return {
      canOpen: left && (!right || previous === 'punctuation') && !isPathBefore(source, from),
      canClose: right && mayClose && !PATH_AFTER.test(twoAfter),
    };
  }
  if (before === '/' && GLOB_AFTER.test(twoAfter)) return { canOpen: false, canClose: false };
  const isLong = to - from > 1;
  const isWide = isCjk(before) || isCjk(after);
  const opensAtPunctuation = isWide || (isLong && LETTER.test(before));
  const closesAtPunctuation = isWide || isLong || (PHRASE_END.test(before) && LETTER.test(after));
  return {
    canOpen: left || (next === 'punctuation' && opensAtPunctuation && !CLOSING_BRACKET.test(after)),
    canClose: right || (previous === 'punctuation' && closesAtPunctuation && !OPENING_BRACKET.test(before)),
  };
}

const SPACE = 0x20;
const LETTER = /\p{L}/u;
const OPENING_BRACKET = /\p{Ps}/u;
const CLOSING_BRACKET = /\p{Pe}/u;
const PHRASE_END = /[:!?…"”’»]/u;
/** What joins the parts of addresses and paths; a dot does where no space follows. */
const PATH_AFTER = /^(?:[/\\@=&#]|\.[\p{L}\p{N}])/u;
const GLOB_AFTER = /^(?:\/|\.[\p{L}\p{N}])/u;

function isPathBefore(source: string, at: number): boolean {
  return /(?:[/\\@=&#]|[\p{L}\p{N}]\.)$/u.test(source.slice(Math.max(0, at - 3), at));
}

/** Returns the character before a place, a blank at the start. */
export function characterBefore(source: string, at: number): string {
  if (at === 0) return ' ';
  const two = source.codePointAt(at - 2) ?? 0;
  return two > 0xff_ff ? String.fromCodePoint(two) : source.charAt(at - 1);
}

/** Signs beyond the basic plane, emoji among them, count as words, as in the parser. */
function characterKind(character: string): 'space' | 'punctuation' | 'word' {
  if (/^\s/.test(character)) return 'space';
  return character.length === 1 && /[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word';
}

/** Returns whether a sign belongs to a script that is written without spaces, its punctuation included. */
function isCjk(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\u3000-\u303F\uFE30-\uFE4F\uFF00-\uFFEF]/u.test(
    character,
  );
}
