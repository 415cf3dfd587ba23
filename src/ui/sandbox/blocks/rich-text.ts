import { emojiNode } from '../emoji.ts';
import { dateText } from './date.ts';
import { type Child, h } from '../dom.ts';
import { store } from '../store.ts';
import type { RichElement, RichTextBlock } from '../types.ts';
import { channelChip, groupChip, link, userChip } from './inline.ts';

/** Draws a `rich_text` block. */
export function richText(block: RichTextBlock): HTMLElement {
  return h('div.rich', (block.elements ?? []).map(part));
}

function part(element: RichElement): HTMLElement {
  const inside = () => (element.elements ?? []).map(piece);
  switch (element.type) {
    case 'rich_text_list':
      return h(
        element.style === 'ordered' ? 'ol' : 'ul',
        {
          class: `indent-${Math.min(element.indent ?? 0, 4)}`,
          start: element.offset ? element.offset + 1 : undefined,
        },
        (element.elements ?? []).map((item) => h('li', (item.elements ?? []).map(piece))),
      );
    case 'rich_text_quote':
      return h('blockquote.lines', inside());
    case 'rich_text_preformatted':
      return h('pre', inside());
    default:
      return h('div.lines', trimEnd(element.elements ?? []).map(piece));
  }
}

/** A line break at the end of a section would show as an empty line. */
function trimEnd(elements: readonly RichElement[]): readonly RichElement[] {
  const last = elements.at(-1);
  if (last?.type !== 'text' || !last.text?.endsWith('\n')) return elements;
  return [...elements.slice(0, -1), { ...last, text: last.text.replace(/\n+$/, '') }];
}

function piece(element: RichElement): Child {
  return styled(element.style, bare(element));
}

function bare(element: RichElement): Child {
  switch (element.type) {
    case 'text':
      return element.text ?? '';
    case 'link':
      return link(element.url ?? '', element.text);
    case 'user':
      return userChip(element.user_id ?? '');
    case 'usergroup':
      return groupChip(element.usergroup_id ?? '');
    case 'channel':
      return channelChip(element.channel_id ?? '');
    case 'broadcast':
      return h('span.mention.loud', `@${element.range ?? ''}`);
    case 'emoji':
      return element.unicode ? fromCodes(element.unicode) : emojiNode(element.name ?? '');
    case 'date':
      return dateText(
        element.timestamp ?? Number.NaN,
        element.format ?? '{date} {time}',
        element.fallback,
        store.zone,
      );
    case 'color':
      return element.value ?? '';
    default:
      return `[${element.type}]`;
  }
}

function fromCodes(unicode: string): string {
  return String.fromCodePoint(...unicode.split('-').map((code) => Number.parseInt(code, 16)));
}

function styled(style: RichElement['style'], node: Child): Child {
  if (typeof style !== 'object') return node;
  let wrapped = node;
  if (style.code) wrapped = h('code', wrapped);
  if (style.strike) wrapped = h('s', wrapped);
  if (style.italic) wrapped = h('em', wrapped);
  if (style.bold) wrapped = h('strong', wrapped);
  return wrapped;
}
