import { Fragment, type ReactNode } from 'react';

import { signOf } from './emoji.ts';

const FENCE = /^```/;
const BULLET = /^\s*[-*+] +(.*)$/;
const NUMBER = /^\s*\d+[.)] +(.*)$/;
const QUOTE = /^> ?(.*)$/;
const HEADING = /^#{1,6} +(.*)$/;
const ADDRESS = /^(https?:|mailto:|tel:)/i;

/** Code, link, bold, italic, struck, address, emoji: the first that begins is taken. */
const INLINE =
  /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|(?<![*\w])\*([^*\s](?:[^*]*[^*\s])?)\*(?!\w)|(?<!\w)_([^_]+)_(?!\w)|~~(.+?)~~|(https?:\/\/[^\s<>)]+)|:([a-z0-9_+-]+):/;

/**
 * Markdown as it will look, for a preview and for a message that is being sent. The service's own HTML takes its place
 * once the message is stored; this knows the common forms only, and shows everything else as text.
 */
export function Markdown({ text }: { text: string }) {
  return <>{blocksOf(text.split('\n'))}</>;
}

function blocksOf(lines: readonly string[]): ReactNode[] {
  const blocks: ReactNode[] = [];
  let at = 0;
  const take = (fits: RegExp) => {
    const taken: string[] = [];
    for (let found; (found = fits.exec(lines[at] ?? '')) && at < lines.length; at++)
      taken.push(found[1] ?? '');
    return taken;
  };
  const items = (texts: readonly string[]) => texts.map((text, key) => <li key={key}>{inline(text)}</li>);
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const key = at;
    if (FENCE.test(line)) {
      const end = lines.findIndex((each, index) => index > at && FENCE.test(each));
      const to = end < 0 ? lines.length : end;
      blocks.push(
        <pre key={key}>
          <code>{lines.slice(at + 1, to).join('\n')}</code>
        </pre>,
      );
      at = to + 1;
    } else if (BULLET.test(line)) blocks.push(<ul key={key}>{items(take(BULLET))}</ul>);
    else if (NUMBER.test(line)) blocks.push(<ol key={key}>{items(take(NUMBER))}</ol>);
    else if (QUOTE.test(line)) blocks.push(<blockquote key={key}>{blocksOf(take(QUOTE))}</blockquote>);
    else if (HEADING.test(line)) {
      blocks.push(
        <p key={key}>
          <strong>{inline(HEADING.exec(line)?.[1] ?? '')}</strong>
        </p>,
      );
      at++;
    } else if (line.trim() === '') at++;
    else {
      const paragraph: string[] = [];
      const isText = (each: string | undefined) =>
        each !== undefined &&
        each.trim() !== '' &&
        ![FENCE, BULLET, NUMBER, QUOTE, HEADING].some((other) => other.test(each));
      while (isText(lines[at])) paragraph.push(lines[at++] ?? '');
      blocks.push(
        <p key={key}>
          {paragraph.map((each, index) => (
            <Fragment key={index}>
              {index > 0 && <br />}
              {inline(each)}
            </Fragment>
          ))}
        </p>,
      );
    }
  }
  return blocks;
}

function inline(text: string): ReactNode {
  const found = INLINE.exec(text);
  if (!found) return text;
  const [whole, code, label, target = '', bold, starred, underlined, struck, address, emoji] = found;
  const italic = starred ?? underlined;
  const node =
    code !== undefined ? (
      <code>{code}</code>
    ) : label !== undefined ? (
      ADDRESS.test(target) ? (
        <a href={target} target="_blank" rel="noopener noreferrer">
          {inline(label)}
        </a>
      ) : // A mention shows its name; any other target is text.
      target.startsWith('user:') ? (
        <strong>{label}</strong>
      ) : (
        whole
      )
    ) : bold !== undefined ? (
      <strong>{inline(bold)}</strong>
    ) : italic !== undefined ? (
      <em>{inline(italic)}</em>
    ) : struck !== undefined ? (
      <del>{inline(struck)}</del>
    ) : address !== undefined ? (
      <a href={address} target="_blank" rel="noopener noreferrer">
        {address}
      </a>
    ) : (
      (signOf(emoji ?? '') ?? whole)
    );
  return (
    <>
      {text.slice(0, found.index)}
      {node}
      {inline(text.slice(found.index + whole.length))}
    </>
  );
}
