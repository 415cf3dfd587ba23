import type { Nodes, RootContent, Table } from 'mdast';

import { isLinkable } from './clean.ts';
import { parseMarkdown } from './markdown.ts';

/** Text as HTML that shows just this text, also within an attribute's quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/**
 * A ticket message's Markdown as HTML: its own elements only, every text escaped. What was HTML in it is shown as the
 * text it is, images are links, and links lead only to the web, mail and telephones.
 */
export function markdownToHtml(markdown: string): string {
  return parseMarkdown(markdown).children.map(htmlOf).join('\n');
}

const all = (nodes: readonly Nodes[]) => nodes.map(htmlOf).join('');

function htmlOf(node: Nodes): string {
  switch (node.type) {
    case 'text':
      return escapeHtml(node.value);
    case 'paragraph':
      return `<p>${all(node.children)}</p>`;
    case 'heading':
      // Headings of a message stand below those of the page.
      return `<p><strong>${all(node.children)}</strong></p>`;
    case 'strong':
      return `<strong>${all(node.children)}</strong>`;
    case 'emphasis':
      return `<em>${all(node.children)}</em>`;
    case 'delete':
      return `<del>${all(node.children)}</del>`;
    case 'inlineCode':
      return `<code>${escapeHtml(node.value)}</code>`;
    case 'code':
      return `<pre tabindex="0"><code>${escapeHtml(node.value)}</code></pre>`;
    case 'blockquote':
      return `<blockquote>${all(node.children)}</blockquote>`;
    case 'list': {
      const name = node.ordered ? 'ol' : 'ul';
      const start = node.ordered && typeof node.start === 'number' && node.start !== 1;
      return `<${name}${start ? ` start="${node.start}"` : ''}>${all(node.children)}</${name}>`;
    }
    case 'listItem': {
      const mark = typeof node.checked === 'boolean' ? (node.checked ? '☑ ' : '☐ ') : '';
      return `<li>${mark}${node.children.map(inItem).join('')}</li>`;
    }
    case 'table':
      return tableHtml(node);
    case 'break':
      return '<br>';
    case 'thematicBreak':
      return '<hr>';
    case 'link': {
      const words = all(node.children) || escapeHtml(node.url);
      // `user:` is a mention: the name alone.
      if (!isLinkable(node.url)) return words;
      return `<a href="${escapeHtml(node.url)}" rel="noopener noreferrer nofollow">${words}</a>`;
    }
    default:
      return 'children' in node ? all(node.children) : 'value' in node ? escapeHtml(node.value) : '';
  }
}

/** A paragraph in an item makes its list needlessly wide. */
function inItem(node: RootContent): string {
  return node.type === 'paragraph' ? all(node.children) : htmlOf(node);
}

function tableHtml({ children: [head, ...rows] }: Table): string {
  const cells = (row: Table['children'][number] | undefined, name: string) =>
    `<tr>${(row?.children ?? []).map((cell) => `<${name}>${all(cell.children)}</${name}>`).join('')}</tr>`;
  const body = rows.map((row) => cells(row, 'td')).join('');
  return `<div class="wide" tabindex="0"><table><thead>${cells(head, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}
