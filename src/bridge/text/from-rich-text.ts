import type { BlockContent, List, ListItem } from 'mdast';

import { type Names, paragraphs, plainOf } from './paragraphs.ts';
import type { Element, Inline, ListElement } from './rich-text.ts';

/** Returns Slack's rich text as Markdown blocks. */
export function richTextNodes(elements: readonly Element[], names: Names): BlockContent[] {
  return elements.flatMap((element, at) => nodesOf(element, elements, at, names));
}

function nodesOf(element: Element, all: readonly Element[], at: number, names: Names): BlockContent[] {
  switch (element.type) {
    case 'rich_text_section':
      return paragraphs(element.elements, names);
    case 'rich_text_preformatted': {
      const value = element.elements.map((inline) => plainOf(inline, names)).join('');
      return value.trim() === '' ? [] : [{ type: 'code', value }];
    }
    case 'rich_text_quote': {
      const children = paragraphs(element.elements, names);
      return children.length > 0 ? [{ type: 'blockquote', children }] : [];
    }
    case 'rich_text_list': {
      // Slack's nested lists are sibling lists with a growing indent: consecutive siblings become one tree.
      if (all[at - 1]?.type === 'rich_text_list') return [];
      const run = all.slice(at);
      const end = run.findIndex((sibling) => sibling.type !== 'rich_text_list');
      const lists = run.slice(0, end === -1 ? undefined : end);
      return listTree(
        lists.filter((sibling) => sibling.type === 'rich_text_list'),
        names,
      );
    }
  }
}

function listTree(run: readonly ListElement[], names: Names): List[] {
  const roots: List[] = [];
  const open: { indent: number; list: List }[] = [];
  for (const element of run) {
    const indent = element.indent ?? 0;
    while ((open.at(-1)?.indent ?? -1) > indent) open.pop();
    const ordered = element.style === 'ordered';
    const current = open.at(-1);
    let list = current?.indent === indent && current.list.ordered === ordered ? current.list : undefined;
    if (!list) {
      if (current?.indent === indent) open.pop();
      list = {
        type: 'list',
        ordered,
        spread: false,
        start: ordered ? (element.offset ?? 0) + 1 : null,
        children: [],
      };
      const parent = open.at(-1)?.list.children.at(-1);
      if (parent) parent.children.push(list);
      else roots.push(list);
      open.push({ indent, list });
    }
    list.children.push(...element.elements.map((section) => itemOf(section.elements, names)));
  }
  for (const root of roots) spread(root);
  return roots;
}

/** Checkboxes of task lists, which Slack does not have. */
export const TASK = { done: '☑ ', open: '☐ ' } as const;

function itemOf(elements: readonly Inline[], names: Names): ListItem {
  const [first, ...rest] = elements;
  const mark = Object.values(TASK).find(
    (box) => first?.type === 'text' && first.text.startsWith(box) && (first.text !== box || rest.length > 0),
  );
  if (mark !== undefined && first?.type === 'text') {
    const children = paragraphs([{ ...first, text: first.text.slice(mark.length) }, ...rest], names);
    if (children.length > 0)
      return { type: 'listItem', spread: false, checked: mark === TASK.done, children };
  }
  return { type: 'listItem', spread: false, children: paragraphs(elements, names) };
}

/**
 * A list right below a line of text is parsed as one only if its first item has text; otherwise an empty line must
 * separate them (https://spec.commonmark.org/0.31.2/#list-items).
 */
function spread(list: List): void {
  for (const item of list.children) {
    for (const child of item.children) {
      if (child.type !== 'list') continue;
      spread(child);
      if ((child.start ?? 1) !== 1 || child.children[0]?.children.length === 0) item.spread = true;
    }
  }
}
