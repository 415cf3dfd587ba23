import type { MarkdownIt, StateInline } from 'markdown-it';

import { type Address, addressesIn, type Reading, withoutClosing } from './addresses.ts';
import { encodedUrl, isLinkable, shownUrl } from './clean.ts';
import { flankingOf } from './flanking.ts';

/** Adds to a parser how this program reads inline text where CommonMark leaves it open, or loses what was written. */
export function addInlineRules(parser: MarkdownIt): void {
  const Standard = parser.inline.State;
  parser.inline.State = class extends Standard {
    override scanDelims(start: number): ReturnType<StateInline['scanDelims']> {
      let end = start + 1;
      while (end < this.posMax && this.src.charAt(end) === this.src.charAt(start)) end += 1;
      const { canOpen, canClose } = flankingOf(this.src.slice(0, this.posMax), start, end);
      return { can_open: canOpen, can_close: canClose, length: end - start };
    }
  };
  const reading: Reading = { escapeAt: (source, at) => escapeAt(parser, source, at) };
  parser.inline.ruler.before('text', 'address', (state, silent) => readAddress(state, silent, reading));
  parser.inline.ruler.before('escape', 'backslash', readBackslash);
  parser.inline.ruler.at('autolink', readAngles);
}

/**
 * Reads a backslash that escapes nothing alone: the parser would take the letter behind it, which may start an address.
 */
function readBackslash(state: StateInline, silent: boolean): boolean {
  if (state.src.charAt(state.pos) !== '\\' || !/[\p{L}\p{N}]/u.test(state.src.charAt(state.pos + 1)))
    return false;
  if (!silent) state.pending += '\\';
  state.pos += 1;
  return true;
}

const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[a-f0-9]{1,6});/iy;

/** An escape of Markdown stands for its character in an address, too. */
function escapeAt(
  parser: MarkdownIt,
  source: string,
  at: number,
): { length: number; text: string } | undefined {
  const sign = source.charAt(at);
  if (sign !== '\\' && sign !== '&') return undefined;
  ESCAPE.lastIndex = at;
  const [written] = ESCAPE.exec(source) ?? [];
  if (written === undefined) return undefined;
  const text = parser.utils.unescapeAll(written);
  return text === written ? undefined : { length: written.length, text };
}

/** The addresses of the texts that are being read, and how far each text is read. */
const addresses = new WeakMap<StateInline, { all: Address[]; read: number }>();

/** Reads a bare address, before any other syntax in it. */
function readAddress(state: StateInline, silent: boolean, reading: Reading): boolean {
  let known = addresses.get(state);
  if (!known) {
    known = { all: addressesIn(state.src, reading), read: 0 };
    addresses.set(state, known);
  }
  if (!silent) known.read = state.pos;
  if (known.all.length === 0 || state.linkLevel > 0) return false;
  const found = addressAround(known.all, state.pos);
  if (!found) return false;
  const begun = state.src.slice(found.from, state.pos);
  // Elsewhere, other syntax has taken its beginning: code, for example.
  if (silent ? found.from < known.read : !state.pending.endsWith(begun)) return false;
  const address = withoutClosing(found, state.src, reading, (marker) => isStyleOpen(state, marker)) ?? found;
  if (address.to <= state.pos || address.to > state.posMax) return false;
  if (!silent) {
    state.pending = state.pending.slice(0, state.pending.length - begun.length);
    if (address.isLink) pushLink(state, address.words, address.words);
    else {
      state.pending += address.words;
      // What is pending stays short: to look at its end, all of it is copied.
      state.pushPending();
    }
  }
  state.pos = address.to;
  return true;
}

/** Returns the address that a place is in, by halving. */
function addressAround(all: readonly Address[], at: number): Address | undefined {
  let [low, high] = [0, all.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const address = all[middle];
    if (!address || address.from > at) high = middle - 1;
    else if (address.to <= at) low = middle + 1;
    else return address;
  }
  return undefined;
}

/** How many styles of each marker are open after the delimiters seen so far. */
const openStyles = new WeakMap<object, { seen: number; open: Map<number, number> }>();

function isStyleOpen({ delimiters }: StateInline, marker: string): boolean {
  const state = openStyles.get(delimiters) ?? { seen: 0, open: new Map<number, number>() };
  openStyles.set(delimiters, state);
  for (const { marker: code, open, close } of delimiters.slice(state.seen)) {
    const depth = state.open.get(code) ?? 0;
    if (close && depth > 0) state.open.set(code, depth - 1);
    else if (open) state.open.set(code, depth + 1);
  }
  state.seen = delimiters.length;
  return (state.open.get(marker.charCodeAt(0)) ?? 0) > 0;
}

function pushLink(state: StateInline, url: string, label: string): void {
  state.push('link_open', 'a', 1).attrs = [['href', url]];
  state.push('text', '', 0).content = label;
  state.push('link_close', 'a', -1);
}

const ANGLES = /<([^\s<>|]+)(?:\|([^<>\n]+))?>/y;
const MAIL = /^[\w.!#$%&'*+/=?^`{}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;

/**
 * Reads `<https://acme.example>` and `<ada@acme.example>`, as CommonMark does, and `<https://acme.example|label>`,
 * which programs write that were made for Slack. Anything else in angle brackets is text: `<!subteam^S1|@helpdesk>`.
 */
function readAngles(state: StateInline, silent: boolean): boolean {
  if (state.src.charAt(state.pos) !== '<' || state.linkLevel > 0) return false;
  ANGLES.lastIndex = state.pos;
  const [whole, inner = '', label] = ANGLES.exec(state.src) ?? [];
  if (whole === undefined || state.pos + whole.length > state.posMax) return false;
  const url = encodedUrl(MAIL.test(inner) ? `mailto:${inner}` : inner);
  if (!isLinkable(url)) return false;
  if (!silent) pushLink(state, url, label === undefined ? shownUrl(inner) : label.trim() || shownUrl(inner));
  state.pos += whole.length;
  return true;
}
