/**
 * The one reader of mrkdwn, Slack's older syntax for texts, which apps write and people type: styles, code, quotes,
 * lists, references in angle brackets, emoji. It gives a tree; the bridge makes Markdown of it, the sandbox rich text,
 * and the sandbox's page what is seen. Source: https://docs.slack.dev/messaging/formatting-message-text
 */

export type MrkdwnStyle = 'bold' | 'italic' | 'strike';

export type MrkdwnInline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'styled'; style: MrkdwnStyle; mark: string; children: MrkdwnInline[] }
  /** @property tone from 2 (light) to 6 (dark); `raw` as it is written: `:wave::skin-tone-3:`. */
  | { kind: 'emoji'; name: string; tone: number | undefined; raw: string }
  | MrkdwnReference;

/** What stands in angle brackets. All texts are unescaped; a label is undefined if there is none, or an empty one. */
export type MrkdwnReference = { label: string | undefined } & (
  | { kind: 'user'; id: string }
  | { kind: 'channel'; id: string }
  | { kind: 'group'; id: string }
  | { kind: 'broadcast'; range: string }
  /** @property timestamp in seconds; the label is shown where the date cannot be. */
  | { kind: 'date'; timestamp: number; format: string; url: string | undefined; raw: string }
  | { kind: 'link'; url: string }
  /** Of no kind that is documented: `<foo>`, `<!new>`. */
  | { kind: 'unknown'; target: string; raw: string }
);

export interface MrkdwnItem {
  /** Undefined: a bullet. */
  number: number | undefined;
  line: MrkdwnInline[];
}

export type MrkdwnBlock =
  /** @property raw the text as it is written, with its last line break: Slack marks addresses in it as links. */
  | { kind: 'preformatted'; text: string; raw: string }
  | { kind: 'section'; lines: MrkdwnInline[][] }
  | { kind: 'quote'; lines: MrkdwnInline[][] }
  /** Items of one level and kind that follow each other. */
  | { kind: 'list'; isOrdered: boolean; level: number; items: MrkdwnItem[] };

export interface MrkdwnReading {
  /** Whether `&lt;` is one character, as everywhere but in what a person is typing. Default: true. */
  isEscaped?: boolean;
  /**
   * False: marks (`*bold*`, code, quotes, lists) are characters, and only references and emoji are read. Default: true.
   */
  marks?: boolean;
  /**
   * `bullets`: lines that begin with a bullet. `typed`: as Slack's composer reads them, `- a` and `1. a` too. Default:
   * none.
   */
  lists?: 'bullets' | 'typed';
  /** Whether addresses that are not in brackets are links. */
  addresses?: boolean;
  /** Returns what `@name` or `#name` at the start of a word names. */
  named?: (sign: string, name: string) => MrkdwnReference | undefined;
}

/** Slack escapes exactly these three. */
export function unescapeMrkdwn(escaped: string): string {
  return escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const FENCED = /\n?```\n?([\s\S]+?)```\n?/;

/** Reads a text of several lines. Never fails: what is no syntax is text. */
export function parseMrkdwn(text: string, reading: MrkdwnReading = {}): MrkdwnBlock[] {
  if (reading.marks === false) return linesOf(text, reading);
  // Every second part stands between fences.
  return text.split(FENCED).flatMap((part, at): MrkdwnBlock[] => {
    if (at % 2 === 1)
      return [{ kind: 'preformatted', text: unescaped(part.replace(/\n$/, ''), reading), raw: part }];
    return part === '' ? [] : linesOf(part, reading);
  });
}

function linesOf(text: string, reading: MrkdwnReading): MrkdwnBlock[] {
  const blocks: MrkdwnBlock[] = [];
  let isQuotedToEnd = false;
  for (const source of text.split('\n')) {
    const { quote, quotesAll, list, rest } = readLine(source, reading);
    isQuotedToEnd ||= quotesAll;
    const line = parseMrkdwnLine(rest, reading);
    const last = blocks.at(-1);
    const kind = quote || isQuotedToEnd ? 'quote' : list ? 'list' : 'section';
    if (kind === 'list' && list) {
      const isOrdered = list.number !== undefined;
      const item = { number: list.number, line };
      if (last?.kind === kind && last.level === list.level && last.isOrdered === isOrdered)
        last.items.push(item);
      else blocks.push({ kind, isOrdered, level: list.level, items: [item] });
    } else if (kind !== 'list') {
      if (last?.kind === kind) last.lines.push(line);
      else blocks.push({ kind, lines: [line] });
    }
  }
  return blocks;
}

interface LineParts {
  quote: boolean;
  /** `>>>`: all that follows is quoted too. */
  quotesAll: boolean;
  list: { level: number; number: number | undefined } | undefined;
  rest: string;
}

const QUOTED = /^>(>>)?[ ]?(.*)$/;
const QUOTED_ESCAPED = /^(?:&gt;|>)((?:&gt;|>){2})?[ ]?(.*)$/;
const BULLET = /^([ ]*)[•◦▪]\uFE0E?[ \t]+(.*)$/;
const TYPED_ITEM = /^([ \t]*)(?:(?:[-*•◦]|▪\uFE0E?)|(\d{1,9})[.)])[ \t]+(\S.*)$/;
/** Columns of leading space that make one more level of a list. */
const LEVEL_COLUMNS = 4;

function readLine(line: string, { isEscaped = true, marks = true, lists }: MrkdwnReading): LineParts {
  const parts: LineParts = { quote: false, quotesAll: false, list: undefined, rest: line };
  if (!marks) return parts;
  // An app may send the quote character escaped or unescaped.
  const quote = (isEscaped ? QUOTED_ESCAPED : QUOTED).exec(line);
  if (quote) return { ...parts, quote: true, quotesAll: quote[1] !== undefined, rest: quote[2] ?? '' };
  if (lists === 'typed') {
    const [found, space = '', number, rest = ''] = TYPED_ITEM.exec(line) ?? [];
    if (found === undefined) return parts;
    const level = Math.ceil(space.replaceAll('\t', '    ').length / LEVEL_COLUMNS);
    return { ...parts, list: { level, number: number === undefined ? undefined : Number(number) }, rest };
  }
  const [found, space = '', rest = ''] = (lists === 'bullets' && BULLET.exec(line)) || [];
  if (found === undefined) return parts;
  return { ...parts, list: { level: Math.floor(space.length / LEVEL_COLUMNS), number: undefined }, rest };
}

const STYLES: Partial<Record<string, MrkdwnStyle>> = { '*': 'bold', _: 'italic', '~': 'strike' };

/** What may begin something else than text. */
const SIGNS = /[<`*_~:@#]|https?:\/\//g;
const BRACKETS = /[^<>\n]+(?=>)/y;
const CODE = /[^`\n]+(?=`)/y;
const EMOJI = /:((?=[^:]*[a-z]|\+1:|-1:|100:)[a-z0-9_+'-]+)(?:::skin-tone-([2-6]))?:/y;
const ADDRESS = /https?:\/\/[^\s<>|]*[^\s<>|.,:;!?)\]}'"*_~]/y;
const NAME = { '@': /@([a-zA-Z0-9][a-zA-Z0-9._-]*)/y, '#': /#([a-z0-9][a-z0-9_-]*)/y };

/** Characters that may not precede a mark: `snake_case` has no style. */
const BEFORE_MARK = /[\p{L}\p{N}*_~`]/u;
const AFTER_MARK = /[\p{L}\p{N}*_~]/u;

/**
 * Reads one line. A hand-written scanner, because a regular expression would search for the end of each mark from its
 * start again, in quadratic time.
 */
export function parseMrkdwnLine(text: string, reading: MrkdwnReading = {}): MrkdwnInline[] {
  return inlinesOf(text, reading, new Set());
}

interface Found {
  inline: MrkdwnInline;
  length: number;
}

function inlinesOf(text: string, reading: MrkdwnReading, open: ReadonlySet<MrkdwnStyle>): MrkdwnInline[] {
  const inlines: MrkdwnInline[] = [];
  const ends = new Map<string, number[]>();
  let last = 0;
  const takeText = (to: number) => {
    if (to > last) inlines.push({ kind: 'text', text: unescaped(text.slice(last, to), reading) });
  };
  for (const { 0: sign, index: at } of text.matchAll(SIGNS)) {
    if (at < last) continue;
    const found = findAt(text, at, sign, reading) ?? findStyled(text, at, { reading, open, ends });
    if (!found) continue;
    takeText(at);
    inlines.push(found.inline);
    last = at + found.length;
  }
  takeText(text.length);
  return inlines;
}

/** Returns what begins with this sign, if it is no style. */
function findAt(text: string, at: number, sign: string, reading: MrkdwnReading): Found | undefined {
  if (sign === '<') {
    const inner = matchAt(text, at + 1, BRACKETS)?.[0];
    const inline = inner === undefined ? undefined : parseReference(inner, reading);
    // In what is typed, a bracket may be one: `a < b and c > d`.
    if (inline === undefined || (inline.kind === 'unknown' && reading.isEscaped === false)) return undefined;
    return { inline, length: (inner?.length ?? 0) + 2 };
  }
  if (sign === '`' && reading.marks !== false) {
    const inner = matchAt(text, at + 1, CODE)?.[0];
    if (inner === undefined) return undefined;
    return { inline: { kind: 'code', text: unescaped(inner, reading) }, length: inner.length + 2 };
  }
  if (sign === ':') {
    const [raw, name = '', tone] = matchAt(text, at, EMOJI) ?? [];
    if (raw === undefined) return undefined;
    const inline = { kind: 'emoji', name, tone: tone === undefined ? undefined : Number(tone), raw } as const;
    return { inline, length: raw.length };
  }
  if (sign === '@' || sign === '#') {
    if (!reading.named || /[\w/]/.test(text.charAt(at - 1))) return undefined;
    const [whole = '', name] = matchAt(text, at, NAME[sign]) ?? [];
    const inline = name === undefined ? undefined : reading.named(sign, name);
    return inline && { inline, length: whole.length };
  }
  if (!sign.startsWith('http') || reading.addresses !== true) return undefined;
  const address = matchAt(text, at, ADDRESS)?.[0];
  if (address === undefined) return undefined;
  return {
    inline: { kind: 'link', url: unescaped(address, reading), label: undefined },
    length: address.length,
  };
}

interface Marks {
  reading: MrkdwnReading;
  /** The styles around this text: none is in itself. */
  open: ReadonlySet<MrkdwnStyle>;
  /** Where the styled texts of each mark may end, in reverse order; those that are behind are dropped. */
  ends: Map<string, number[]>;
}

function findStyled(text: string, at: number, { reading, open, ends }: Marks): Found | undefined {
  const mark = text.charAt(at);
  const style = STYLES[mark];
  if (!style || reading.marks === false || open.has(style) || !opens(text, at)) return undefined;
  const left = ends.get(mark) ?? possibleEnds(text, mark);
  ends.set(mark, left);
  while (left.length > 0 && (left.at(-1) ?? 0) < at + 2) left.pop();
  const end = left.at(-1);
  if (end === undefined) return undefined;
  const children = inlinesOf(text.slice(at + 1, end), reading, new Set([...open, style]));
  return { inline: { kind: 'styled', style, mark, children }, length: end + 1 - at };
}

/** Returns whether styled text may start after the mark at this position. */
function opens(text: string, at: number): boolean {
  const two = text.codePointAt(at - 2) ?? 0;
  const before = two > 0xff_ff ? String.fromCodePoint(two) : text.charAt(at - 1);
  return !BEFORE_MARK.test(before) && /\S/.test(text.charAt(at + 1)) && text[at + 1] !== text[at];
}

/** Returns where styled text may end, in reverse order. */
function possibleEnds(text: string, mark: string): number[] {
  const ends: number[] = [];
  for (let at = text.lastIndexOf(mark); at > 0; at = text.lastIndexOf(mark, at - 1)) {
    const after = text.codePointAt(at + 1);
    const isEnd = after === undefined || !AFTER_MARK.test(String.fromCodePoint(after));
    if (isEnd && /\S/.test(text.charAt(at - 1))) ends.push(at);
  }
  return ends;
}

function matchAt(text: string, at: number, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}

function unescaped(text: string, { isEscaped = true }: MrkdwnReading): string {
  return isEscaped ? unescapeMrkdwn(text) : text;
}

const BROADCASTS: ReadonlySet<string> = new Set(['here', 'channel', 'everyone']);

/** Reads what stands in angle brackets (`@U1|ada`, `https://x.example|a page`). */
export function parseReference(inner: string, reading: MrkdwnReading = {}): MrkdwnReference {
  const at = inner.indexOf('|');
  const target = at === -1 ? inner : inner.slice(0, at);
  const label = at === -1 ? undefined : unescaped(inner.slice(at + 1), reading) || undefined;
  const raw = `<${inner}>`;
  const [, sign, id] = /^([@#]|!subteam\^)([A-Z0-9]+)$/.exec(target) ?? [];
  if (id !== undefined)
    return { kind: sign === '@' ? 'user' : sign === '#' ? 'channel' : 'group', id, label };
  const [, seconds, format = '', url] = /^!date\^(-?\d{1,12})\^([^^]*)(?:\^(.*))?$/.exec(target) ?? [];
  if (seconds !== undefined)
    return {
      kind: 'date',
      timestamp: Number(seconds),
      format: unescaped(format, reading),
      url: url ? unescaped(url, reading) : undefined,
      label,
      raw,
    };
  if (target.startsWith('!') && BROADCASTS.has(target.slice(1)))
    return { kind: 'broadcast', range: target.slice(1), label };
  if (/^(?:https?:\/\/|mailto:|tel:)\S+$/.test(target))
    return { kind: 'link', url: unescaped(target, reading), label };
  return { kind: 'unknown', target: unescaped(target, reading), label, raw };
}
