import { type Child, h } from '../dom.ts';
import type { TableBlock, TableCell } from '../types.ts';
import { richText } from './rich-text.ts';

/** A `table` block (its first row is its head) or a `data_table` block with a caption. */
export function table(block: TableBlock): HTMLElement {
  const [first = [], ...rest] = block.rows ?? [];
  const align = (index: number) => block.column_settings?.[index]?.align;
  const wraps = (index: number) => block.column_settings?.[index]?.is_wrapped;
  const row = (cells: readonly TableCell[], tag: 'th' | 'td') =>
    h(
      'tr',
      cells.map((cell, index) =>
        h(
          index === block.row_header_column_index && tag === 'td' ? 'th' : tag,
          {
            class: `${align(index) ? `align-${align(index) ?? ''}` : ''}${wraps(index) ? ' wraps' : ''}`,
            scope: tag === 'th' ? 'col' : index === block.row_header_column_index ? 'row' : undefined,
          },
          inside(cell),
        ),
      ),
    );
  return h(
    'div.table',
    { tabindex: '0', role: 'group', 'aria-label': block.caption ?? 'Table' },
    h(
      'table',
      block.caption && h('caption', block.caption),
      h('thead', row(first, 'th')),
      h(
        'tbody',
        rest.map((cells) => row(cells, 'td')),
      ),
    ),
  );
}

function inside(cell: TableCell): Child {
  if (cell.type === 'rich_text') return richText(cell);
  if (cell.type === 'raw_number') return cell.text ?? cell.value;
  return cell.text;
}
