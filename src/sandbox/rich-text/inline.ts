import {
  escapeMrkdwn,
  type MrkdwnInline,
  type MrkdwnReference,
  unescapeMrkdwn,
} from '../../platform/text/mrkdwn.ts';
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

const BROADCASTS = new Set(['here', 'channel', 'everyone']);

/** Returns what a typed name stands for: people, groups and channels that there are, and everybody. */
export function resolveName(sign: string, name: string, reading: Reading): MrkdwnReference | undefined {
  if (sign === '#') {
    const id = reading.channelId(name);
    return id === undefined ? undefined : { kind: 'channel', id, label: name };
  }
  if (BROADCASTS.has(name)) return { kind: 'broadcast', range: name, label: undefined };
  const id = reading.userId(name);
  if (id !== undefined) return { kind: 'user', id, label: undefined };
  const groupId = reading.groupId?.(name);
  return groupId === undefined ? undefined : { kind: 'group', id: groupId, label: undefined };
}

/** Returns one line as elements of rich text, and as the text that goes with it. */
export function richInline(tree: readonly MrkdwnInline[], reading: Reading, style: Style = {}): Inline {
  const elements: JsonObject[] = [];
  let text = '';
  for (const inline of tree)
    if (inline.kind === 'styled') {
      const inner = richInline(inline.children, reading, { ...style, [inline.style]: true });
      elements.push(...inner.elements);
      text += `${inline.mark}${inner.text}${inline.mark}`;
    } else if (inline.kind === 'code') {
      elements.push(withStyle({ type: 'text', text: inline.text }, { ...style, code: true }));
      text += `\`${escapeMrkdwn(inline.text)}\``;
    } else {
      const hit = elementOf(inline, reading);
      elements.push(withStyle(hit.element, style));
      text += hit.text;
    }
  return { elements: joinTexts(elements), text };
}

/** What is not read is text too: it runs together with the text around it. */
function joinTexts(elements: readonly JsonObject[]): JsonObject[] {
  const all: JsonObject[] = [];
  for (const element of elements) {
    const last = all.at(-1);
    const [before, text] = [last?.['text'], element['text']];
    const areTexts = last?.['type'] === 'text' && element['type'] === 'text';
    const isSame = areTexts && JSON.stringify(last['style']) === JSON.stringify(element['style']);
    if (isSame && typeof before === 'string' && typeof text === 'string')
      all[all.length - 1] = { ...last, text: before + text };
    else all.push(element);
  }
  return all;
}

function withStyle(element: JsonObject, style: Style): JsonObject {
  return Object.keys(style).length > 0 ? { ...element, style: { ...style } } : element;
}

interface Hit {
  element: JsonObject;
  text: string;
}

const plainHit = (text: string): Hit => ({ element: { type: 'text', text }, text: escapeMrkdwn(text) });

function elementOf(inline: Exclude<MrkdwnInline, { kind: 'styled' | 'code' }>, reading: Reading): Hit {
  switch (inline.kind) {
    case 'text':
      return plainHit(inline.text);
    case 'emoji': {
      const { name, tone, raw } = inline;
      const element = tone === undefined ? { type: 'emoji', name } : { type: 'emoji', name, skin_tone: tone };
      return { element, text: raw };
    }
    case 'user':
      return { element: { type: 'user', user_id: inline.id }, text: `<@${inline.id}>` };
    case 'channel': {
      const name = inline.label ?? reading.channelName(inline.id) ?? '';
      return { element: { type: 'channel', channel_id: inline.id }, text: `<#${inline.id}|${name}>` };
    }
    case 'group':
      return { element: { type: 'usergroup', usergroup_id: inline.id }, text: `<!subteam^${inline.id}>` };
    case 'broadcast':
      return { element: { type: 'broadcast', range: inline.range }, text: `<!${inline.range}>` };
    case 'date':
      return reading.typed || inline.format === '' ? plainHit(inline.raw) : date(inline);
    case 'link':
      return link(inline);
    case 'unknown':
      return plainHit(unescapeMrkdwn(inline.raw));
  }
}

/** docs.slack.dev/messaging/formatting-message-text, "Date formatting": the reader sees it in their own zone. */
function date({ timestamp, format, url, label, raw }: MrkdwnReference & { kind: 'date' }): Hit {
  const element = {
    type: 'date',
    timestamp,
    format,
    ...(url ? { url } : {}),
    ...(label ? { fallback: label } : {}),
  };
  return { element, text: raw };
}

function link({ url, label }: MrkdwnReference & { kind: 'link' }): Hit {
  const address = escapeMrkdwn(url);
  if (label === undefined) return { element: { type: 'link', url }, text: `<${address}>` };
  return { element: { type: 'link', url, text: label }, text: `<${address}|${escapeMrkdwn(label)}>` };
}
