import { withSigns } from '../../platform/text/emoji.ts';
import {
  type MrkdwnBlock,
  type MrkdwnInline,
  type MrkdwnReference,
  parseMrkdwn,
  parseMrkdwnLine,
  unescapeMrkdwn,
} from '../../platform/text/mrkdwn.ts';
import type { Element, Inline, Style } from './rich-text.ts';

/**
 * Reads mrkdwn to rich text.
 * @param typed by a person, who also writes lists as Slack's composer reads them: `- a`, `1. a`.
 */
export function mrkdwnElements(text: string, typed = false): Element[] {
  return parseMrkdwn(text, { lists: typed ? 'typed' : 'bullets' }).map((block) => elementOf(block, typed));
}

/** Reads one line of mrkdwn to rich text. */
export function mrkdwnInlines(text: string): Inline[] {
  return inlinesOf(parseMrkdwnLine(text), undefined);
}

/** Returns the text of unparsed mrkdwn: code, and texts that would take too long. */
export function plainMrkdwn(text: string): string {
  // Code contains no references, but Slack still writes URLs as such.
  return unescapeMrkdwn(
    text.replaceAll(/<([^<>\n]+)>/g, (_, inner: string) => {
      const [target = '', label] = inner.split('|', 2);
      return label ?? target;
    }),
  );
}

function elementOf(block: MrkdwnBlock, typed: boolean): Element {
  switch (block.kind) {
    case 'preformatted':
      return {
        type: 'rich_text_preformatted',
        elements: [
          {
            type: 'text',
            text: plainMrkdwn(typed ? block.raw.replace(/\n$/, '') : block.raw),
            style: undefined,
          },
        ],
      };
    case 'list':
      return {
        type: 'rich_text_list',
        style: block.isOrdered ? 'ordered' : 'bullet',
        indent: block.level,
        offset: block.isOrdered ? Math.max(0, (block.items[0]?.number ?? 1) - 1) : undefined,
        elements: block.items.map(({ line }) => ({
          type: 'rich_text_section',
          elements: inlinesOf(line, undefined),
        })),
      };
    case 'section':
    case 'quote':
      return {
        type: `rich_text_${block.kind}`,
        elements: block.lines.flatMap((line, at): Inline[] => [
          ...(at > 0 ? [{ type: 'text' as const, text: '\n', style: undefined }] : []),
          ...inlinesOf(line, undefined),
        ]),
      };
  }
}

function inlinesOf(tree: readonly MrkdwnInline[], style: Style): Inline[] {
  const inlines: Inline[] = [];
  let words = '';
  // Emoji without a sign stay as they are written: whether one is meant depends on the text around it.
  const takeWords = () => {
    if (words !== '') inlines.push({ type: 'text', text: withSigns(words), style });
    words = '';
  };
  for (const inline of tree)
    if (inline.kind === 'text') words += inline.text;
    else if (inline.kind === 'emoji') words += inline.raw;
    else {
      takeWords();
      if (inline.kind === 'styled')
        inlines.push(...inlinesOf(inline.children, { ...style, [inline.style]: true }));
      else if (inline.kind === 'code')
        inlines.push({ type: 'text', text: inline.text, style: { ...style, code: true } });
      else inlines.push(referenceInline(inline, style));
    }
  takeWords();
  return inlines;
}

/** Returns a reference (`<@U1|ada>`, `<https://x.example|a page>`) as rich text. */
export function referenceInline(reference: MrkdwnReference, style: Style): Inline {
  const { label } = reference;
  switch (reference.kind) {
    case 'user':
      return { type: 'user', user_id: reference.id, style };
    case 'channel':
      return { type: 'channel', channel_id: reference.id, style };
    case 'group':
      return label === undefined
        ? { type: 'usergroup', usergroup_id: reference.id, style }
        : { type: 'text', text: label, style };
    case 'date':
      return { type: 'date', timestamp: reference.timestamp, fallback: label, url: reference.url, style };
    case 'broadcast':
      return { type: 'text', text: label ?? `@${reference.range}`, style };
    case 'link':
      return { type: 'link', url: reference.url, text: label, style };
    case 'unknown':
      return reference.target.startsWith('!')
        ? { type: 'text', text: label ?? `@${reference.target.slice(1)}`, style }
        : { type: 'link', url: reference.target, text: label, style };
  }
}
