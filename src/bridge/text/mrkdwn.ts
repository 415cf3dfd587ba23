import { withSigns } from '../../platform/text/emoji.ts';
import type { Element, Inline, Style } from './rich-text.ts';

/** Slack escapes exactly these three. */
export function unescapeChat(escaped: string): string {
  return escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/**
 * Parses mrkdwn, Slack's older syntax, which apps write, to rich text: references, styles, code, quotes and bullets.
 * Source: https://docs.slack.dev/messaging/formatting-message-text
 * @param typed by a person, who also writes lists as Slack's composer reads them: `- a`, `1. a`.
 */
export function mrkdwnElements(text: string, typed = false): Element[] {
  return text
    .split(typed ? /\n?```\n?([\s\S]*?)\n?```\n?/ : /```\n?([\s\S]*?)```/)
    .flatMap((part, at): Element[] => {
      if (at % 2 === 0) return linesOf(part, typed);
      return [
        {
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: plainMrkdwn(part), style: undefined }],
        },
      ];
    });
}

/** Returns the text of unparsed mrkdwn: code, and texts that would take too long. */
export function plainMrkdwn(text: string): string {
  // Code contains no references, but Slack still writes URLs as such.
  return unescapeChat(
    text.replaceAll(/<([^<>\n]+)>/g, (_, inner: string) => {
      const [target = '', label] = inner.split('|', 2);
      return label ?? target;
    }),
  );
}

type Kind = 'rich_text_section' | 'rich_text_quote' | 'rich_text_list';

const LINE = /^(?:(&gt;|>)((?:&gt;|>){2})?[ ]?|([ ]*)[•◦▪][ \t]+)?(.*)$/;
const TYPED_LINE = /^(?:(&gt;|>)((?:&gt;|>){2})?[ ]?|([ ]*)(?:[-*•◦▪]|(\d{1,9})[.)])[ \t]+(?=\S))?(.*)$/;

interface Group {
  kind: Kind;
  indent: number;
  /** The first number of an ordered list. */
  from: number | undefined;
  lines: string[];
}

function linesOf(text: string, typed: boolean): Element[] {
  const groups: Group[] = [];
  let quoteAll = false;
  for (const line of text.split('\n')) {
    const [quote, all, bullet, number, rest] = partsOf(line, typed);
    quoteAll ||= all !== undefined;
    const kind: Kind =
      quote !== undefined || quoteAll
        ? 'rich_text_quote'
        : bullet === undefined
          ? 'rich_text_section'
          : 'rich_text_list';
    const indent = Math.floor((bullet?.length ?? 0) / 4);
    const from = number === undefined ? undefined : Number(number);
    const last = groups.at(-1);
    const isSame =
      last?.kind === kind && last.indent === indent && (last.from === undefined) === (from === undefined);
    if (last && isSame) last.lines.push(rest);
    else groups.push({ kind, indent, from, lines: [rest] });
  }
  return groups.map(({ kind, indent, from, lines }): Element =>
    kind === 'rich_text_list'
      ? {
          type: kind,
          style: from === undefined ? 'bullet' : 'ordered',
          indent,
          offset: from === undefined ? undefined : Math.max(0, from - 1),
          elements: lines.map((line) => ({ type: 'rich_text_section', elements: mrkdwnInlines(line) })),
        }
      : {
          type: kind,
          elements: lines.flatMap((line, at): Inline[] => [
            ...(at > 0 ? [{ type: 'text' as const, text: '\n', style: undefined }] : []),
            ...mrkdwnInlines(line),
          ]),
        },
  );
}

type LineParts = [
  quote: string | undefined,
  all: string | undefined,
  bullet: string | undefined,
  number: string | undefined,
  rest: string,
];

function partsOf(line: string, typed: boolean): LineParts {
  if (typed) {
    const [, quote, all, bullet, number, rest = ''] = TYPED_LINE.exec(line) ?? [];
    return [quote, all, bullet, number, rest];
  }
  const [, quote, all, bullet, rest = ''] = LINE.exec(line) ?? [];
  return [quote, all, bullet, undefined, rest];
}

const STYLES = { '*': 'bold', _: 'italic', '~': 'strike' } as const;

/** Characters that may not precede a mark: `snake_case` has no style. */
const BEFORE_MARK = /[\p{L}\p{N}*_~`]/u;
const AFTER_MARK = /[\p{L}\p{N}*_~]/u;

/**
 * Parses references, code and styled text in one line of mrkdwn. A hand-written scanner, because a regular expression would
 * search for the end of each mark from its start again, in quadratic time.
 */
export function mrkdwnInlines(text: string, style?: Style): Inline[] {
  const result: Inline[] = [];
  let last = 0;
  const add = (at: number, found: Inline[], next: number) => {
    const raw = text.slice(last, at);
    if (raw) result.push({ type: 'text', text: withSigns(unescapeChat(raw)), style });
    result.push(...found);
    last = next;
  };
  const ends = new Map<string, number[]>();
  for (const { 0: character, index: at } of text.matchAll(/[<`*_~]/g)) {
    if (at < last) continue;
    if (character === '<' || character === '`') {
      const [inner] = matchAt(text, at + 1, character === '<' ? /[^<>]+(?=>)/y : /[^`]+(?=`)/y);
      if (!inner) continue;
      const code: Inline = { type: 'text', text: unescapeChat(inner), style: { ...style, code: true } };
      add(at, [character === '<' ? reference(inner, style) : code], at + inner.length + 2);
      continue;
    }
    const name = STYLES[character as keyof typeof STYLES];
    if (style?.[name] || !opens(text, at)) continue;
    const after = ends.get(character) ?? endsOf(text, character);
    ends.set(character, after);
    while (after.length > 0 && (after.at(-1) ?? 0) < at + 2) after.pop();
    const end = after.at(-1);
    if (end !== undefined)
      add(at, mrkdwnInlines(text.slice(at + 1, end), { ...style, [name]: true }), end + 1);
  }
  add(text.length, [], text.length);
  return result;
}

/** Returns whether styled text may start after the mark at this position. */
function opens(text: string, at: number): boolean {
  const two = text.codePointAt(at - 2) ?? 0;
  const before = two > 0xff_ff ? String.fromCodePoint(two) : text.charAt(at - 1);
  return !BEFORE_MARK.test(before) && /\S/.test(text.charAt(at + 1)) && text[at + 1] !== text[at];
}

/** Returns where styled text may end, in reverse order. */
function endsOf(text: string, mark: string): number[] {
  const ends: number[] = [];
  for (let at = text.lastIndexOf(mark); at > 0; at = text.lastIndexOf(mark, at - 1)) {
    const after = text.codePointAt(at + 1);
    const isEnd = after === undefined || !AFTER_MARK.test(String.fromCodePoint(after));
    if (isEnd && /\S/.test(text.charAt(at - 1))) ends.push(at);
  }
  return ends;
}

function matchAt(text: string, at: number, sticky: RegExp): RegExpExecArray | [] {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? [];
}

/** Returns what stands in angle brackets (`@U1|ada`, `https://x.example|a page`). */
export function reference(inner: string, style: Style): Inline {
  const at = inner.indexOf('|');
  const target = at === -1 ? inner : inner.slice(0, at);
  const label = at === -1 ? undefined : unescapeChat(inner.slice(at + 1));
  if (/^@[A-Z0-9]+$/.test(target)) return { type: 'user', user_id: target.slice(1), style };
  if (/^#[A-Z0-9]+$/.test(target)) return { type: 'channel', channel_id: target.slice(1), style };
  const [, group] = /^!subteam\^([A-Z0-9]+)$/.exec(target) ?? [];
  if (group)
    return label ? { type: 'text', text: label, style } : { type: 'usergroup', usergroup_id: group, style };
  const [, seconds, , url] = /^!date\^(-?\d{1,12})\^([^^]*)(?:\^(.*))?$/.exec(target) ?? [];
  if (seconds)
    return {
      type: 'date',
      timestamp: Number(seconds),
      fallback: label,
      url: url ? unescapeChat(url) : undefined,
      style,
    };
  if (target.startsWith('!'))
    return { type: 'text', text: label ?? `@${unescapeChat(target.slice(1))}`, style };
  return { type: 'link', url: unescapeChat(target), text: label, style };
}
