import { Fragment, type ReactNode } from 'react';

import { Emoji } from '../emoji.tsx';
import { ChannelChip, TextLink, UserChip } from './mrkdwn.tsx';

const INLINE =
  /(`+)([\s\S]+?)\1|!?\[([^\]\n]*)\]\((\S+?)\)|\*\*(?=\S)([\s\S]+?\S)\*\*|__(?=\S)([\s\S]+?\S)__|(?<!\w)[*_](?=\S)([^\n]*?\S)[*_](?!\w)|~~(?=\S)([\s\S]+?\S)~~|<@([UW][A-Z0-9]+)>|<#(C[A-Z0-9]+)(?:\|[^>]*)?>|<(https?:[^>\s]+)>|(https?:\/\/[^\s<>()]+[^\s<>().,:;!?])|:([a-z0-9_+-]*[a-z+1][a-z0-9_+-]*):|\\([\\`*_{}[\]()#+\-.!~>|])/g;

/** Draws a `markdown` block: the parts of Markdown that Slack shows. */
export function Markdown({ text }: { text: string }) {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: { key: number; node: ReactNode }[] = [];
  for (let at = 0; at < lines.length;) {
    const read = blockAt(lines, at);
    if (read.node) blocks.push({ key: at, node: read.node });
    at = read.next;
  }
  return (
    <div className="rich markdown">
      {blocks.map(({ key, node }) => (
        <Fragment key={key}>{node}</Fragment>
      ))}
    </div>
  );
}

interface Read {
  node?: ReactNode;
  /** The next line. */
  next: number;
}

function blockAt(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { next: at + 1 };
  const fence = /^\s*(```+|~~~+)/.exec(line);
  if (fence) {
    const end = endWhere(lines, at + 1, (other) => other.trim().startsWith(fence[1] ?? '```'));
    return { node: <pre>{lines.slice(at + 1, end).join('\n')}</pre>, next: end + 1 };
  }
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return { node: <p className="md-heading">{inline(heading[2] ?? '')}</p>, next: at + 1 };
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return { node: <hr />, next: at + 1 };
  if (/^\s*>/.test(line)) {
    const end = endWhere(lines, at, (other) => !/^\s*>/.test(other));
    const quoted = lines.slice(at, end).map((other) => other.replace(/^\s*> ?/, ''));
    return {
      node: (
        <blockquote>
          <Markdown text={quoted.join('\n')} />
        </blockquote>
      ),
      next: end,
    };
  }
  if (line.includes('|') && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] ?? '')) return tableAt(lines, at);
  const item = LIST.exec(line);
  if (item) return listAt(lines, at, item[2]);
  const end = endWhere(
    lines,
    at + 1,
    (other) => other.trim() === '' || /^(\s*(>|```)|#{1,6}\s)/.test(other) || LIST.test(other),
  );
  return { node: <p className="lines">{inline(lines.slice(at, end).join('\n'))}</p>, next: end };
}

const LIST = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;

/** `number`: of its first item, if it is an ordered list. */
function listAt(lines: readonly string[], at: number, number: string | undefined): Read {
  const isOrdered = number !== undefined;
  const items: ReactNode[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const item = LIST.exec(lines[next] ?? '');
    if (!item || (item[2] !== undefined) !== isOrdered) break;
    const [, indent = '', , content = ''] = item;
    const [, box, text = content] = /^\[([ xX])\] (.*)$/.exec(content) ?? [];
    const level = `indent-${Math.min(Math.ceil(indent.length / 2), 4)}`;
    items.push(
      <li key={next} className={box === undefined ? level : `${level} task`}>
        {box !== undefined && (
          <span role="img" aria-label={box === ' ' ? 'open' : 'done'}>
            {box === ' ' ? '☐ ' : '☑ '}
          </span>
        )}
        {inline(text)}
      </li>,
    );
  }
  return { node: isOrdered ? <ol start={Number(number)}>{items}</ol> : <ul>{items}</ul>, next };
}

function tableAt(lines: readonly string[], at: number): Read {
  const end = endWhere(lines, at + 2, (other) => !other.includes('|'));
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => inline(cell.trim()));
  const node = (
    <div className="table">
      <table>
        <thead>
          <tr>
            {cells(lines[at] ?? '').map((cell, index) => (
              <th key={index}>{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.slice(at + 2, end).map((line, row) => (
            <tr key={row}>
              {cells(line).map((cell, index) => (
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  return { node, next: end };
}

function endWhere(lines: readonly string[], from: number, test: (line: string) => boolean): number {
  const found = lines.slice(from).findIndex(test);
  return found === -1 ? lines.length : from + found;
}

function inline(text: string): ReactNode[] {
  const nodes: ReactNode[] = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(last, match.index), <Fragment key={match.index}>{nodeOf(match)}</Fragment>);
    last = match.index + match[0].length;
  }
  nodes.push(text.slice(last));
  return nodes;
}

function nodeOf([
  whole,
  ,
  code,
  label,
  url,
  bold,
  bold2,
  italic,
  strike,
  user,
  channel,
  auto,
  bare,
  emoji,
  escaped,
]: RegExpMatchArray): ReactNode {
  if (code !== undefined) return <code>{code}</code>;
  if (url !== undefined) return <TextLink url={url} label={label || url} />;
  const strong = bold ?? bold2;
  if (strong) return <strong>{inline(strong)}</strong>;
  if (italic !== undefined) return <em>{inline(italic)}</em>;
  if (strike !== undefined) return <s>{inline(strike)}</s>;
  if (user) return <UserChip id={user} />;
  if (channel) return <ChannelChip id={channel} />;
  const address = auto ?? bare;
  if (address) return <TextLink url={address} />;
  if (emoji !== undefined) return <Emoji name={emoji} />;
  return escaped ?? whole;
}
