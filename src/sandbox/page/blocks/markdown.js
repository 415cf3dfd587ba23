import { emojiNode } from '../emoji.js';
import { h } from '../dom.js';
import { channelChip, link, userChip } from './inline.js';

const INLINE =
  /(`+)([\s\S]+?)\1|!?\[([^\]\n]*)\]\((\S+?)\)|\*\*(?=\S)([\s\S]+?\S)\*\*|__(?=\S)([\s\S]+?\S)__|(?<!\w)[*_](?=\S)([^\n]*?\S)[*_](?!\w)|~~(?=\S)([\s\S]+?\S)~~|<@([UW][A-Z0-9]+)>|<#(C[A-Z0-9]+)(?:\|[^>]*)?>|<(https?:[^>\s]+)>|(https?:\/\/[^\s<>()]+[^\s<>().,:;!?])|:([a-z0-9_+-]*[a-z+1][a-z0-9_+-]*):|\\([\\`*_{}[\]()#+\-.!~>|])/g;

/** Draws a `markdown` block: the parts of Markdown that Slack shows. */
export function markdown(text) {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const nodes = [];
  for (let at = 0; at < lines.length;) {
    const read = blockAt(lines, at);
    if (read.node) nodes.push(read.node);
    at = read.next;
  }
  return h('div.rich.markdown', nodes);
}

function blockAt(lines, at) {
  const line = lines[at];
  if (line.trim() === '') return { next: at + 1 };
  const fence = /^\s*(```+|~~~+)/.exec(line);
  if (fence) {
    const end = endWhere(lines, at + 1, (other) => other.trim().startsWith(fence[1]));
    return { node: h('pre', lines.slice(at + 1, end).join('\n')), next: end + 1 };
  }
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return { node: h('p.md-heading', inline(heading[2])), next: at + 1 };
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return { node: h('hr'), next: at + 1 };
  if (/^\s*>/.test(line)) {
    const end = endWhere(lines, at, (other) => !/^\s*>/.test(other));
    const quoted = lines.slice(at, end).map((other) => other.replace(/^\s*> ?/, ''));
    return { node: h('blockquote', markdown(quoted.join('\n'))), next: end };
  }
  if (line.includes('|') && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] ?? '')) return tableAt(lines, at);
  if (LIST.test(line)) return listAt(lines, at);
  const end = endWhere(
    lines,
    at + 1,
    (other) => other.trim() === '' || /^(\s*(>|```)|#{1,6}\s)/.test(other) || LIST.test(other),
  );
  return { node: h('p.lines', inline(lines.slice(at, end).join('\n'))), next: end };
}

const LIST = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;

function listAt(lines, at) {
  const first = LIST.exec(lines[at]);
  const ordered = first[2] !== undefined;
  const items = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const item = LIST.exec(lines[next]);
    if (!item || (item[2] !== undefined) !== ordered) break;
    const [, box, text = item[3]] = /^\[([ xX])\] (.*)$/.exec(item[3]) ?? [];
    items.push(
      h(
        'li',
        { class: `indent-${Math.min(Math.ceil(item[1].length / 2), 4)}${box === undefined ? '' : ' task'}` },
        box !== undefined &&
          h('span', { role: 'img', 'aria-label': box === ' ' ? 'open' : 'done' }, box === ' ' ? '☐ ' : '☑ '),
        inline(text),
      ),
    );
  }
  return { node: h(ordered ? 'ol' : 'ul', { start: ordered ? first[2] : undefined }, items), next };
}

function tableAt(lines, at) {
  const end = endWhere(lines, at + 2, (other) => !other.includes('|'));
  const cells = (line) =>
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
        cells(lines[at]).map((cell) => h('th', cell)),
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

function endWhere(lines, from, test) {
  const found = lines.slice(from).findIndex(test);
  return found === -1 ? lines.length : from + found;
}

function inline(text) {
  const nodes = [];
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
]) {
  if (code !== undefined) return h('code', code);
  if (url !== undefined) return link(url, label || url);
  if (bold ?? bold2) return h('strong', inline(bold ?? bold2));
  if (italic !== undefined) return h('em', inline(italic));
  if (strike !== undefined) return h('s', inline(strike));
  if (user) return userChip(user);
  if (channel) return channelChip(channel);
  if (auto ?? bare) return link(auto ?? bare);
  if (emoji !== undefined) return emojiNode(emoji);
  return escaped ?? whole;
}
