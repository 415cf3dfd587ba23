import type { ReactNode } from 'react';

import { classNames } from '../parts/class-names.ts';
import type { TableBlock, TableCell } from '../types.ts';
import { RichText } from './rich-text.tsx';

/** A `table` block (its first row is its head) or a `data_table` block with a caption. */
export function Table({ block }: { block: TableBlock }) {
  const [first = [], ...rest] = block.rows ?? [];
  const classOf = (index: number) => {
    const { align, is_wrapped: isWrapped } = block.column_settings?.[index] ?? {};
    return classNames(align !== undefined && `align-${align}`, isWrapped && 'wraps');
  };
  return (
    <div className="table" tabIndex={0} role="group" aria-label={block.caption ?? 'Table'}>
      <table>
        {block.caption && <caption>{block.caption}</caption>}
        <thead>
          <tr>
            {first.map((cell, index) => (
              <th key={index} scope="col" className={classOf(index)}>
                <Cell cell={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rest.map((cells, at) => (
            <tr key={at}>
              {cells.map((cell, index) =>
                index === block.row_header_column_index ? (
                  <th key={index} scope="row" className={classOf(index)}>
                    <Cell cell={cell} />
                  </th>
                ) : (
                  <td key={index} className={classOf(index)}>
                    <Cell cell={cell} />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell }: { cell: TableCell }): ReactNode {
  if (cell.type === 'rich_text') return <RichText block={cell} />;
  return cell.type === 'raw_number' ? (cell.text ?? cell.value) : cell.text;
}
