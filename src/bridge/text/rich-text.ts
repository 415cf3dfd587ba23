import { z } from 'zod';
import type { Paragraph, PhrasingContent, Text } from 'mdast';

import { addressText, cleanText, encodedUrl, isLinkable, shownUrl } from '../../platform/text/clean.ts';
import { emojiSign } from '../../platform/text/emoji.ts';
import { labelOf } from './label.ts';

/**
 * Slack's `rich_text` block, the format of user messages and of ours: unlike mrkdwn it separates text from syntax, so
 * nothing can be mistaken for a mention or a style. Source:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
const Style = z
  .object({ bold: z.boolean(), italic: z.boolean(), strike: z.boolean(), code: z.boolean() })
  .partial()
  .optional()
  .catch(undefined);
export type Style = z.infer<typeof Style>;

const optional = z.string().optional().catch(undefined);
/** From 2 (light) to 6 (dark), as in `:wave::skin-tone-4:`. */
const tone = z.number().int().min(2).max(6).optional().catch(undefined);

export const Inline = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), style: Style }),
  z.object({ type: z.literal('link'), url: z.string(), text: optional, style: Style }),
  z.object({ type: z.literal('user'), user_id: z.string(), style: Style }),
  z.object({ type: z.literal('usergroup'), usergroup_id: z.string(), style: Style }),
  z.object({ type: z.literal('channel'), channel_id: z.string(), style: Style }),
  z.object({ type: z.literal('team'), team_id: z.string(), style: Style }),
  z.object({ type: z.literal('emoji'), name: z.string(), unicode: optional, skin_tone: tone, style: Style }),
  z.object({ type: z.literal('broadcast'), range: z.string(), style: Style }),
  z.object({ type: z.literal('color'), value: z.string(), style: Style }),
  z.object({
    type: z.literal('date'),
    timestamp: z.number(),
    fallback: optional,
    url: optional,
    style: Style,
  }),
]);
export type Inline = z.infer<typeof Inline>;

/** The possible texts of element types that Slack added later. */
const Readable = z.object({ text: optional, url: optional, style: Style });

const inlines = z.array(z.unknown()).transform((raw) =>
  raw.flatMap((element): Inline[] => {
    const parsed = Inline.safeParse(element);
    if (parsed.success) return [parsed.data];
    const { text, url, style } = Readable.safeParse(element).data ?? {};
    if (url) return [{ type: 'link', url, text, style }];
    return text ? [{ type: 'text', text, style }] : [];
  }),
);

const Section = z.object({ type: z.literal('rich_text_section'), elements: inlines });
const Preformatted = z.object({ type: z.literal('rich_text_preformatted'), elements: inlines });
const Quote = z.object({ type: z.literal('rich_text_quote'), elements: inlines });
const count = z.number().int().nonnegative().optional().catch(undefined);
const List = z.object({
  type: z.literal('rich_text_list'),
  style: z.enum(['bullet', 'ordered']).catch('bullet'),
  indent: count,
  offset: count,
  elements: z.array(Section),
});

const Element = z.discriminatedUnion('type', [Section, Preformatted, Quote, List]);
export type Element = z.infer<typeof Element>;
export type ListElement = z.infer<typeof List>;

/** An unknown element is skipped, never fatal. */
export const RichText = z.object({
  type: z.literal('rich_text'),
  elements: z.array(z.unknown()).transform((raw) =>
    raw.flatMap((element) => {
      const parsed = Element.safeParse(element);
      return parsed.success ? [parsed.data] : [];
    }),
  ),
});

export type RichTextBlock = z.infer<typeof RichText>;

export function textElement(text: string, style?: Style): Inline {
  return { type: 'text', text, style: style && Object.values(style).some(Boolean) ? style : undefined };
}

/** Slack rejects empty text and hides empty sections. */
export function sectionOf(inlines: readonly Inline[]): Element & { type: 'rich_text_section' } {
  const elements = inlines.filter((inline) => inline.type !== 'text' || inline.text !== '');
  return { type: 'rich_text_section', elements: elements.length > 0 ? elements : [textElement(' ')] };
}

/** Names of references in a chat message; unknown ones are shown by id. */
export interface Names {
  /** Returns the name of a chat user, and the id of the service's user if there is one. */
  user(id: string): { name: string; userId?: string | undefined } | undefined;
  channel(id: string): string | undefined;
  /** A user group's handle, without `@`. */
  group?(id: string): string | undefined;
}

interface Piece {
  node: PhrasingContent;
  style: Style;
}
type Line = Piece[];

/** Splits a section's text: an empty line separates paragraphs, a single newline is a hard break. */
export function paragraphs(elements: readonly Inline[], names: Names): Paragraph[] {
  const groups: Line[][] = [[]];
  for (const line of linesOf(elements, names).map(trimmed)) {
    if (line.length > 0) groups.at(-1)?.push(line);
    else groups.push([]);
  }
  return groups
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      type: 'paragraph',
      children: lines.flatMap((line, at): PhrasingContent[] => [
        ...(at > 0 ? [{ type: 'break' as const }] : []),
        ...nested(line, ['bold', 'italic', 'strike']),
      ]),
    }));
}

/** Returns the text of inline elements without styles: for code and labels. */
export function plainOf(element: Inline, names: Names): string {
  switch (element.type) {
    case 'text':
      return cleanText(element.text);
    case 'link':
      return cleanText(element.text || shownUrl(element.url));
    case 'emoji':
      return emojiOf(cleanText(element.name), element.unicode, element.skin_tone);
    case 'color':
      return cleanText(element.value);
    case 'date':
      return dateText(element.timestamp, element.fallback);
    case 'user':
      return `@${cleanText(names.user(element.user_id)?.name ?? element.user_id)}`;
    case 'usergroup':
      return `@${cleanText(names.group?.(element.usergroup_id) ?? element.usergroup_id)}`;
    case 'channel':
      return `#${cleanText(names.channel(element.channel_id) ?? element.channel_id)}`;
    case 'team':
      return `@${cleanText(element.team_id)}`;
    case 'broadcast':
      return `@${cleanText(element.range)}`;
  }
}

function emojiOf(name: string, unicode: string | undefined, skinTone: number | undefined): string {
  return emojiSign(
    skinTone === undefined ? name : `${name.split('::', 1)[0]}::skin-tone-${skinTone}`,
    unicode,
  );
}

/** Returns the fallback text for readers without local times, else the time itself in UTC. */
function dateText(seconds: number, fallback: string | undefined): string {
  if (fallback) return cleanText(fallback);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function linesOf(elements: readonly Inline[], names: Names): Line[] {
  const lines: Line[] = [[]];
  for (const element of joinedTexts(oneCode(elements.map((inline) => asText(inline, names))))) {
    if (element.type !== 'text') {
      lines.at(-1)?.push(pieceOf(element, names));
      continue;
    }
    element.text.split('\n').forEach((line, at) => {
      if (at > 0) lines.push([]);
      lines.at(-1)?.push(...styledPieces(line, element.style));
    });
  }
  return lines;
}

type TextElement = Extract<Inline, { type: 'text' }>;
type NodeElement = Extract<Inline, { type: 'user' | 'link' }>;

/** Only links and user mentions are more than text in a ticket. */
function asText(element: Inline, names: Names): TextElement | NodeElement {
  if (element.type === 'user' && names.user(element.user_id)?.userId) return element;
  if (element.type === 'date' && element.url && isLinkable(element.url))
    return { type: 'link', url: element.url, text: plainOf(element, names), style: element.style };
  if (element.type === 'link') {
    const url = encodedUrl(cleanText(element.url));
    const text = cleanText(element.text ?? '');
    if (isLinkable(url)) return { ...element, url, text };
    return { type: 'text', text: addressText(url, text), style: element.style };
  }
  return { type: 'text', text: plainOf(element, names), style: element.style };
}

/**
 * Two pieces of code side by side would be read as one with backticks in it: they lose their other styles, and join.
 */
function oneCode(elements: readonly (TextElement | NodeElement)[]): (TextElement | NodeElement)[] {
  const shown = elements.filter((each) => each.type !== 'text' || each.text !== '');
  const isCode = (at: number) => shown[at]?.type === 'text' && shown[at].style?.code === true;
  return shown.map((each, at) =>
    each.type === 'text' && isCode(at) && (isCode(at - 1) || isCode(at + 1))
      ? { ...each, style: { code: true } }
      : each,
  );
}

/** Joins texts of one style that are neighbours, and drops empty ones. */
export function joinedTexts<Item extends Inline>(elements: readonly Item[]): Item[] {
  const result: Item[] = [];
  for (const element of elements) {
    const last = result.at(-1);
    if (element.type === 'text' && last?.type === 'text' && isSameStyle(element.style, last.style))
      result.splice(-1, 1, { ...last, text: last.text + element.text });
    else if (element.type !== 'text' || element.text !== '') result.push(element);
  }
  return result;
}

function isSameStyle(a: Style, b: Style): boolean {
  return (['bold', 'italic', 'strike', 'code'] as const).every((name) => !a?.[name] === !b?.[name]);
}

function pieceOf(element: NodeElement, names: Names): Piece {
  const { style } = element;
  if (element.type === 'link') {
    const label = labelOf(element.text ?? '') || shownUrl(element.url);
    return {
      node: { type: 'link', url: element.url, children: [{ type: 'text', value: label }] },
      style,
    };
  }
  const label = plainOf(element, names).replaceAll(/\s+/g, ' ').trimEnd();
  const url = `user:${names.user(element.user_id)?.userId ?? ''}`;
  return { node: { type: 'link', url, children: [{ type: 'text', value: label }] }, style };
}

/** Markdown cannot open or close a style next to a space, so spaces at the edges stay outside. */
function styledPieces(line: string, style: Style): Piece[] {
  const inner = line.trim();
  const from = line.length - line.trimStart().length;
  const [before, after] = [line.slice(0, from), line.slice(from + inner.length)];
  const blank = (value: string): Piece[] =>
    value ? [{ node: { type: 'text', value }, style: undefined }] : [];
  if (!inner) return blank(line);
  const node: PhrasingContent = style?.code
    ? { type: 'inlineCode', value: inner }
    : { type: 'text', value: inner };
  return [...blank(before), { node, style }, ...blank(after)];
}

/** Markdown drops spaces at the ends of a line. Within it, neighbouring spaces become one piece. */
function trimmed(line: Line): Line {
  const from = line.findIndex((piece) => !isSpace(piece));
  if (from === -1) return [];
  const result: Line = [];
  for (const piece of line.slice(from, line.findLastIndex((each) => !isSpace(each)) + 1)) {
    const last = result.at(-1);
    if (last && isSpace(last) && isSpace(piece)) last.node.value += piece.node.value;
    else result.push(piece);
  }
  return result;
}

type StyleName = 'bold' | 'italic' | 'strike';

function hasStyle(piece: Piece | undefined, name: StyleName): boolean {
  return piece?.style?.[name] === true;
}

function isSpace(piece: Piece): piece is Piece & { node: Text } {
  return piece.node.type === 'text' && piece.node.value.trim() === '';
}

/** Neighbours with a common style share one node of it, with the space between them. */
function nested(line: Line, [name, ...rest]: StyleName[]): PhrasingContent[] {
  if (name === undefined) return joinedText(line.map(({ node }) => node));
  const runs: { on: boolean; pieces: Line }[] = [];
  for (const [at, piece] of line.entries()) {
    const on =
      hasStyle(piece, name) ||
      (isSpace(piece) && hasStyle(line[at - 1], name) && hasStyle(line[at + 1], name));
    const last = runs.at(-1);
    if (last?.on === on) last.pieces.push(piece);
    else runs.push({ on, pieces: [piece] });
  }
  return runs.flatMap(({ on, pieces }): PhrasingContent[] => {
    const children = nested(pieces, rest);
    if (!on) return children;
    if (name === 'bold') return [{ type: 'strong', children }];
    return [name === 'italic' ? { type: 'emphasis', children } : { type: 'delete', children }];
  });
}

function joinedText(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const result: PhrasingContent[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (node.type === 'text' && last?.type === 'text')
      result.splice(-1, 1, { type: 'text', value: last.value + node.value });
    else result.push(node);
  }
  return result;
}
