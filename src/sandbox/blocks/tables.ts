import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import { id } from './composition.ts';
import { richText } from './rich-text.ts';

const raw = [
  z.looseObject({ type: z.literal('raw_text'), text: z.string().min(1) }),
  z.looseObject({ type: z.literal('raw_number'), value: z.number() }),
] as const;
const cell = z.discriminatedUnion('type', [...raw, richText]);
const row = z.array(cell).min(1).max(LIMITS.tableColumns);

/** docs.slack.dev/reference/block-kit/blocks/table-block */
export const table = z.looseObject({
  type: z.literal('table'),
  block_id: id.optional(),
  rows: z.array(row).min(1).max(LIMITS.tableRows),
  column_settings: z
    .array(
      z
        .looseObject({
          align: z.enum(['left', 'center', 'right']).optional(),
          is_wrapped: z.boolean().optional(),
        })
        .nullable(),
    )
    .max(LIMITS.tableColumns)
    .optional(),
});

/** docs.slack.dev/reference/block-kit/blocks/data-table-block: the first row is the header, and every row as long. */
export const dataTable = z
  .looseObject({
    type: z.literal('data_table'),
    block_id: id.optional(),
    caption: z.string().min(1),
    rows: z
      .array(row)
      .min(2)
      .max(LIMITS.tableRows + 1),
    page_size: z.int().min(1).max(100).optional(),
    row_header_column_index: z.int().min(0).optional(),
  })
  .refine(({ rows: [header, ...rest] }) => rest.every((one) => one.length === header?.length), {
    error: 'all rows must have the same number of cells',
    path: ['rows'],
  })
  .refine(({ rows: [header] }) => header?.every(({ type }) => type !== 'rich_text') === true, {
    error: 'header cells cannot be rich_text',
    path: ['rows', 0],
  });
