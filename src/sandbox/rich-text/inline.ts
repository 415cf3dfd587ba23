import type { JsonObject } from '../workspace/content.ts';

export interface Style {
  bold?: true;
  italic?: true;
  strike?: true;
  code?: true;
}

/** How names that a person types become mentions, and whether `&amp;` is one character or five. */
export interface Reading {
  /** Typed by a person (names are looked up, nothing is escaped), or sent by an app (mrkdwn, escaped). */
  typed: boolean;
  /** Marks (`*bold*`, code, quotes) are characters; references are read. */
  plain?: boolean;
  /** Addresses that are not marked up become links, unless false. */
  bareLinks?: boolean;
  userId(name: string): string | undefined;
  channelId(name: string): string | undefined;
  /** A user group by its handle. */
  groupId?(handle: string): string | undefined;
  /** The name of a channel, for `<#C…|name>`. */
  channelName(id: string): string | undefined;
}

export interface Inline {
  elements: JsonObject[];
  /** The same in mrkdwn, escaped: what stands in a message's `text`. */
  text: string;
}

interface Hit {
  element: JsonObject;
  text: string;
}
type Rule = [pattern: RegExp, make: (match: RegExpExecArray, reading: Reading) => Hit | undefined];

const BROADCASTS = new Set(['here', 'channel', 'everyone']);

/** The patterns of inline elements, tried in this order at each position. */
const RULES: readonly Rule[] = [
  [/^<@([UWB][A-Z0-9]+)(?:\|[^<>]*)?>/, ([, id = '']) => user(id)],
  [
    /^<#([CG][A-Z0-9]+)(?:\|([^<>]*))?>/,
    ([, id = '', name], reading) => channel(id, name ?? reading.channelName(id)),
  ],
  [/^<!subteam\^([A-Z0-9]+)(?:\|[^<>]*)?>/, ([, id = '']) => group(id)],
  [
    /^<!date\^(-?\d{1,12})\^([^<|>^]+)(?:\^([^<|>]*))?(?:\|([^<>]*))?>/,
    ([whole, seconds, format = '', url, fallback], reading) =>
      reading.typed ? undefined : date(whole, Number(seconds), format, url, fallback),
  ],
  [/^<!(here|channel|everyone)(?:\|[^<>]*)?>/, ([, range = '']) => broadcast(range)],
  [
    /^<((?:https?:\/\/|mailto:|tel:)[^<|>\s]+)(?:\|([^<>]*))?>/,
    ([, url = '', label], reading) => link(url, label, reading),
  ],
  [
    /^https?:\/\/[^\s<>|]*[^\s<>|.,:;!?)\]}'"*_~]/,
    ([url], reading) => (reading.bareLinks === false ? undefined : link(url, undefined, reading)),
  ],
  [
    /^:((?=[^:]*[a-z]|\+1:|-1:|100:)[a-z0-9_+'-]+)(?:::skin-tone-([2-6]))?:/,
    ([whole, name = '', tone]) => emoji(whole, name, tone),
  ],
];
/** Only in typed text, and only at the start of a word. */
const TYPED_RULES: readonly Rule[] = [
  [/^@([a-zA-Z0-9][a-zA-Z0-9._-]*)/, ([, name = ''], reading) => mention(name, reading)],
  [
    /^#([a-z0-9][a-z0-9_-]*)/,
    ([, name = ''], reading) => {
      const id = reading.channelId(name);
      return id === undefined ? undefined : channel(id, name);
    },
  ],
];

const STYLES = { '*': 'bold', _: 'italic', '~': 'strike' } as const;

/** Reads one run of text: styles, mentions, channels, links, emoji, code. Never fails: anything else is text. */
export function parseInline(source: string, reading: Reading, style: Style = {}): Inline {
  const elements: JsonObject[] = [];
  let text = '';
  let plain = '';
  const flush = () => {
    if (plain === '') return;
    const said = reading.typed ? plain : unescapeText(plain);
    elements.push(withStyle({ type: 'text', text: said }, style));
    text += escapeText(said);
    plain = '';
  };
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const before = at === 0 ? '' : source.charAt(at - 1);
    const hit = findHit(rest, before, reading);
    if (hit) {
      flush();
      elements.push(withStyle(hit.element, style));
      text += hit.text;
      at += hit.length;
      continue;
    }
    const span = reading.plain === true ? undefined : findSpan(rest, before);
    if (span) {
      flush();
      if (span.style === 'code') {
        const said = reading.typed ? span.inner : unescapeText(span.inner);
        elements.push(withStyle({ type: 'text', text: said }, { ...style, code: true }));
        text += `\`${escapeText(said)}\``;
      } else {
        const inner = parseInline(span.inner, reading, { ...style, [span.style]: true });
        elements.push(...inner.elements);
        text += `${span.mark}${inner.text}${span.mark}`;
      }
      at += span.length;
      continue;
    }
    plain += source.charAt(at);
    at += 1;
  }
  flush();
  return { elements, text };
}

function findHit(rest: string, before: string, reading: Reading): (Hit & { length: number }) | undefined {
  const wordStart = !/[\w/]/.test(before);
  const rules = reading.typed && wordStart ? [...RULES, ...TYPED_RULES] : RULES;
  const first = rest.charAt(0);
  if (!'<h:@#'.includes(first)) return undefined;
  for (const [pattern, make] of rules) {
    const match = pattern.exec(rest);
    const hit = match && make(match, reading);
    if (hit) return { ...hit, length: match[0].length };
  }
  return undefined;
}

/** `*bold*`, `_italic_`, `~strike~`, `` `code` ``: the marks touch the words inside and no letter outside. */
function findSpan(
  rest: string,
  before: string,
): { style: 'bold' | 'italic' | 'strike' | 'code'; mark: string; inner: string; length: number } | undefined {
  const mark = rest.charAt(0);
  if (/\w/.test(before)) return undefined;
  if (mark === '`') {
    const match = /^`([^`\n]+)`/.exec(rest);
    return match ? { style: 'code', mark, inner: match[1] ?? '', length: match[0].length } : undefined;
  }
  if (mark !== '*' && mark !== '_' && mark !== '~') return undefined;
  const pattern = new RegExp(`^\\${mark}(?=\\S)([^\\n]*?\\S)\\${mark}(?!\\w)`);
  const match = pattern.exec(rest);
  const inner = match?.[1] ?? '';
  if (!match || inner.startsWith(mark)) return undefined;
  return { style: STYLES[mark], mark, inner, length: match[0].length };
}

/** `&`, `<`, `>` as Slack stores them (docs.slack.dev/messaging/formatting-message-text, "Escaping text"). */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function withStyle(element: JsonObject, style: Style): JsonObject {
  return Object.keys(style).length > 0 ? { ...element, style: { ...style } } : element;
}

function user(id: string): Hit {
  return { element: { type: 'user', user_id: id }, text: `<@${id}>` };
}

function channel(id: string, name: string | undefined): Hit {
  return { element: { type: 'channel', channel_id: id }, text: `<#${id}|${name ?? ''}>` };
}

function group(id: string): Hit {
  return { element: { type: 'usergroup', usergroup_id: id }, text: `<!subteam^${id}>` };
}

function broadcast(range: string): Hit {
  return { element: { type: 'broadcast', range }, text: `<!${range}>` };
}

/** docs.slack.dev/messaging/formatting-message-text, "Date formatting": the reader sees it in their own zone. */
function date(
  whole: string,
  timestamp: number,
  format: string,
  url: string | undefined,
  fallback: string | undefined,
): Hit {
  const element = {
    type: 'date',
    timestamp,
    format: unescapeText(format),
    ...(url ? { url: unescapeText(url) } : {}),
    ...(fallback ? { fallback: unescapeText(fallback) } : {}),
  };
  return { element, text: whole };
}

function mention(name: string, reading: Reading): Hit | undefined {
  if (BROADCASTS.has(name)) return broadcast(name);
  const id = reading.userId(name);
  if (id !== undefined) return user(id);
  const groupId = reading.groupId?.(name);
  return groupId === undefined ? undefined : group(groupId);
}

function link(url: string, label: string | undefined, reading: Reading): Hit {
  const address = reading.typed ? url : unescapeText(url);
  const said = label === undefined || label === '' ? undefined : reading.typed ? label : unescapeText(label);
  return {
    element: said === undefined ? { type: 'link', url: address } : { type: 'link', url: address, text: said },
    text: said === undefined ? `<${escapeText(address)}>` : `<${escapeText(address)}|${escapeText(said)}>`,
  };
}

function emoji(whole: string, name: string, tone: string | undefined): Hit {
  return {
    element: tone === undefined ? { type: 'emoji', name } : { type: 'emoji', name, skin_tone: Number(tone) },
    text: whole,
  };
}
