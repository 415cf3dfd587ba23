import { emojiNode } from '../emoji.ts';
import { type Child, h } from '../dom.ts';
import { channelChip, link, userChip } from './inline.ts';

const INLINE =
  /(`+)([\s\S]+?)\1|!?\[([^\]\n]*)\]\((\S+?)\)|\*\*(?=\S)([\s\S]+?\S)\*\*|__(?=\S)([\s\S]+?\S)__|(?<!\w)[*_](?=\S)([^\n]*?\S)[*_](?!\w)|~~(?=\S)([\s\S]+?\S)~~|<@([UW][A-Z0-9]+)>|<#(C[A-Z0-9]+)(?:\|[^>]*)?>|<(https?:[^>\s]+)>|(https?:\/\/[^\s<>()]+[^\s<>().,:;!?])|:([a-z0-9_+-]*[a-z+1][a-z0-9_+-]*):|\\([\\`*_{}[\]()#+\-.!~>|])/g;

/** Draws a `markdown` block: the parts of Markdown that Slack shows. */
export function markdown(text: string): HTMLElement {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const nodes: Node[] = [];
  for (let at = 0; at < lines.length;) {
    const read = blockAt(lines, at);
    if (read.node) nodes.push(read.node);
    at = read.next;
  }
  return h('div.rich.markdown', nodes);
}

interface Read {
  node?: Node;
  /** The next line. */
  next: number;
}

function blockAt(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { next: at + 1 };
  const fence = /^\s*(```+|~~~+)/.exec(line);
  if (fence) {
    const end = endWhere(lines, at + 1, (other) => other.trim().startsWith(fence[1] ?? '```'));
    return { node: h('pre', lines.slice(at + 1, end).join('\n')), next: end + 1 };
  }
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return { node: h('p.md-heading', inline(heading[2] ?? '')), next: at + 1 };
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return { node: h('hr'), next: at + 1 };
  if (/^\s*>/.test(line)) {
    const end = endWhere(lines, at, (other) => !/^\s*>/.test(other));
    const quoted = lines.slice(at, end).map((other) => other.replace(/^\s*> ?/, ''));
    return { node: h('blockquote', markdown(quoted.join('\n'))), next: end };
  }
  if (line.includes('|') && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] ?? '')) return tableAt(lines, at);
  const item = LIST.exec(line);
  if (item) return listAt(lines, at, item[2]);
  const end = endWhere(
    lines,
    at + 1,
    (other) => other.trim() === '' || /^(\s*(>|```)|#{1,6}\s)/.test(other) || LIST.test(other),
  );
  return { node: h('p.lines', inline(lines.slice(at, end).join('\n'))), next: end };
}

const LIST = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;

/** `number`: of its first item, if it is an ordered list. */
function listAt(lines: readonly string[], at: number, number: string | undefined): Read {
  const ordered = number !== undefined;
  const items: HTMLElement[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const item = LIST.exec(lines[next] ?? '');
    if (!item || (item[2] !== undefined) !== ordered) break;
    const [, indent = '', , content = ''] = item;
    const [, box, text = content] = /^\[([ xX])\] (.*)$/.exec(content) ?? [];
    items.push(
      h(
        'li',
        { class: `indent-${Math.min(Math.ceil(indent.length / 2), 4)}${box === undefined ? '' : ' task'}` },
        box !== undefined &&
          h('span', { role: 'img', 'aria-label': box === ' ' ? 'open' : 'done' }, box === ' ' ? '☐ ' : '☑ '),
        inline(text),
      ),
    );
  }
  return { node: h(ordered ? 'ol' : 'ul', { start: number }, items), next };
}

function tableAt(lines: readonly string[], at: number): Read {
  const end = endWhere(lines, at + 2, (other) => !other.includes('|'));
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => inline(cell.trim()));
  const table = h(
    'table',
    h(
      'thead',
      h(
        'tr',
        cells(lines[at] ?? '').map((cell) => h('th', cell)),
      ),
    ),
    h(
      'tbody',
      lines.slice(at + 2, end).map((line) =>
        h(
          'tr',
          cells(line).map((cell) => h('td', cell)),
        ),
      ),
    ),
  );
  return { node: h('div.table', table), next: end };
}

function endWhere(lines: readonly string[], from: number, test: (line: string) => boolean): number {
  const found = lines.slice(from).findIndex(test);
  return found === -1 ? lines.length : from + found;
}

function inline(text: string): Child[] {
  const nodes: Child[] = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(last, match.index), nodeOf(match));
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
]: RegExpMatchArray): Child {
  if (code !== undefined) return h('code', code);
  if (url !== undefined) return link(url, label || url);
  const strong = bold ?? bold2;
  if (strong) return h('strong', inline(strong));
  if (italic !== undefined) return h('em', inline(italic));
  if (strike !== undefined) return h('s', inline(strike));
  if (user) return userChip(user);
  if (channel) return channelChip(channel);
  const address = auto ?? bare;
  if (address) return link(address);
  if (emoji !== undefined) return emojiNode(emoji);
  return escaped ?? whole;
}
