import type { Link, Nodes, RootContent, Table } from 'mdast';

import { addressText, isLinkable } from './clean.ts';
import { withoutCopied } from './copied-files.ts';
import { withSigns } from './emoji.ts';
import { shownLabel } from './link-label.ts';
import { parseMarkdown, wordsOf } from './markdown.ts';
import { mentionOf } from './mentions.ts';

/** Returns HTML that shows exactly this text, also within an attribute's quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Returns the URL from which a page loads a picture. */
export type PictureAddress = (url: string) => string;

/**
 * Returns a ticket message's Markdown as HTML: only known elements, all text escaped. HTML in it is shown as text, and
 * links lead only to the web, mail and phone numbers. Images are links too, with the picture inside if the page has a
 * URL of its own for it.
 * @param files names of the files that are shown below the text: their lines at its end are left out.
 */
export function markdownToHtml(
  markdown: string,
  { picture, files = [] }: { picture?: PictureAddress; files?: readonly string[] } = {},
): string {
  return withoutCopied(parseMarkdown(markdown), files)
    .children.map((node) => htmlOf(node, picture))
    .join('\n');
}

function htmlOf(node: Nodes, picture?: PictureAddress): string {
  const all = (nodes: readonly Nodes[]) => nodes.map((each) => htmlOf(each, picture)).join('');
  /** A paragraph at the start of an item makes its list needlessly wide. */
  const inItem = (child: RootContent, at: number) =>
    child.type === 'paragraph' && at === 0 ? all(child.children) : htmlOf(child, picture);
  switch (node.type) {
    case 'text':
      // Line breaks are kept, as in chat and in comments elsewhere, though CommonMark would join the lines.
      return textHtml(node.value);
    case 'paragraph':
      return `<p>${all(node.children)}</p>`;
    case 'heading':
      // Headings of a message rank below those of the page.
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
      return tableHtml(node, all);
    case 'break':
      return '<br>';
    case 'thematicBreak':
      return '<hr>';
    case 'link': {
      if (mentionOf(node) !== undefined) return all(node.children);
      // What may not be a link is shown with its address, as in chat.
      if (!isLinkable(node.url)) return all(node.children) + escapeHtml(addressAfterLabel(node));
      const shown = node.data?.image && /^https?:/i.test(node.url) ? picture?.(node.url) : undefined;
      const content = shown
        ? `<img src="${escapeHtml(shown)}" alt="${escapeHtml(wordsOf(node))}" loading="lazy">`
        : labelHtml(node, all);
      return linkHtml(node.url, content);
    }
    default:
      return 'children' in node ? all(node.children) : 'value' in node ? escapeHtml(node.value) : '';
  }
}

/** Returns what stands behind the label of a link that is shown as text. */
function addressAfterLabel(link: Link): string {
  const label = wordsOf(link);
  return addressText(link.url, label).slice(label.length);
}

const textHtml = (text: string) => escapeHtml(withSigns(text)).replaceAll('\n', '<br>');

function labelHtml(link: Link, all: (nodes: readonly Nodes[]) => string): string {
  const label = wordsOf(link);
  if (label === '' || label === link.url) return escapeHtml(shownLabel(link.url, link.url));
  return all(link.children) + escapeHtml(shownLabel(link.url, label).slice(label.length));
}

const linkHtml = (url: string, content: string) =>
  `<a href="${escapeHtml(url)}" rel="noopener noreferrer nofollow">${content}</a>`;

function tableHtml({ children: [head, ...rows] }: Table, all: (nodes: readonly Nodes[]) => string): string {
  const cells = (row: Table['children'][number] | undefined, name: string) =>
    `<tr>${(row?.children ?? []).map((cell) => `<${name}>${all(cell.children)}</${name}>`).join('')}</tr>`;
  const body = rows.map((row) => cells(row, 'td')).join('');
  return `<div class="wide" tabindex="0"><table><thead>${cells(head, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}
