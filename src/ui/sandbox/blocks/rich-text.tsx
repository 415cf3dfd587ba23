import type { ReactNode } from 'react';

import { Emoji } from '../emoji.tsx';
import { store } from '../store.ts';
import type { RichElement, RichTextBlock } from '../types.ts';
import { dateText } from './date.ts';
import { Broadcast, ChannelChip, GroupChip, TextLink, UserChip } from './mrkdwn.tsx';

/** Draws a `rich_text` block. */
export function RichText({ block }: { block: RichTextBlock }) {
  return (
    <div className="rich">
      {(block.elements ?? []).map((element, at) => (
        <Part key={at} element={element} />
      ))}
    </div>
  );
}

function Part({ element }: { element: RichElement }) {
  const { elements = [] } = element;
  switch (element.type) {
    case 'rich_text_list': {
      const className = `indent-${Math.min(element.indent ?? 0, 4)}`;
      const items = elements.map((item, at) => (
        <li key={at}>
          <Pieces elements={item.elements ?? []} />
        </li>
      ));
      return element.style === 'ordered' ? (
        <ol className={className} start={element.offset ? element.offset + 1 : undefined}>
          {items}
        </ol>
      ) : (
        <ul className={className}>{items}</ul>
      );
    }
    case 'rich_text_quote':
      return (
        <blockquote className="lines">
          <Pieces elements={elements} />
        </blockquote>
      );
    case 'rich_text_preformatted':
      return (
        <pre>
          <Pieces elements={elements} />
        </pre>
      );
    default:
      return (
        <div className="lines">
          <Pieces elements={trimEnd(elements)} />
        </div>
      );
  }
}

/** A line break at the end of a section would show as an empty line. */
function trimEnd(elements: readonly RichElement[]): readonly RichElement[] {
  const last = elements.at(-1);
  if (last?.type !== 'text' || !last.text?.endsWith('\n')) return elements;
  return [...elements.slice(0, -1), { ...last, text: last.text.replace(/\n+$/, '') }];
}

function Pieces({ elements }: { elements: readonly RichElement[] }) {
  return elements.map((element, at) => <Piece key={at} element={element} />);
}

function Piece({ element }: { element: RichElement }): ReactNode {
  const { style } = element;
  let drawn = <Bare element={element} />;
  if (typeof style !== 'object') return drawn;
  if (style.code) drawn = <code>{drawn}</code>;
  if (style.strike) drawn = <s>{drawn}</s>;
  if (style.italic) drawn = <em>{drawn}</em>;
  if (style.bold) drawn = <strong>{drawn}</strong>;
  return drawn;
}

function Bare({ element }: { element: RichElement }): ReactNode {
  switch (element.type) {
    case 'text':
      return element.text ?? '';
    case 'link':
      return <TextLink url={element.url ?? ''} label={element.text} />;
    case 'user':
      return <UserChip id={element.user_id ?? ''} />;
    case 'usergroup':
      return <GroupChip id={element.usergroup_id ?? ''} />;
    case 'channel':
      return <ChannelChip id={element.channel_id ?? ''} />;
    case 'broadcast':
      return <Broadcast range={element.range ?? ''} />;
    case 'emoji':
      return element.unicode ? fromCodes(element.unicode) : <Emoji name={element.name ?? ''} />;
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
