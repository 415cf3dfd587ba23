import { LIMITS } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { inSlices } from './in-slices.ts';
import type { Page } from './page.ts';

/** A page with more records or bytes than these makes a large answer, of which few are made at once. */
const LARGE = { records: 1_000, bytes: 1024 * 1024 };

/** The answer of a list. */
interface List<Item> {
  items: Item[];
  totalCount: number;
  nextCursor: string | null;
}

/**
 * Reads the records of a page, until the answer would be too large: then the page ends early, and its cursor leads on.
 * A page that was not asked for by cursor is refused instead, naming a limit that fits, because whoever counts rows
 * would miss those left out.
 * @param read returns records by id, in that order, without those deleted meanwhile.
 * @throws ServiceProblem 422
 */
export async function readPage<Item extends { id: string }>(
  { takeLargeAnswer }: Pick<Caller, 'takeLargeAnswer'>,
  { rows, totalCount, nextCursor, cursorAfter }: Page,
  read: (ids: readonly string[]) => Promise<Item[]>,
): Promise<List<Item>> {
  const expected = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  if (rows.length > LARGE.records || expected > LARGE.bytes) await takeLargeAnswer?.();
  const items: Item[] = [];
  let total = 0;
  for await (const slice of inSlices(rows, read))
    for (const { item, bytes } of slice) {
      // One record alone is always returned: none is larger than an answer may be.
      if (items.length > 0 && total + bytes > LIMITS.listBytes) {
        const last = rows[rows.findIndex(({ id }) => id === item.id) - 1];
        if (!cursorAfter || !last) throw tooLarge(items.length);
        return { items, totalCount, nextCursor: cursorAfter(last) };
      }
      items.push(item);
      total += bytes;
    }
  return { items, totalCount, nextCursor };
}

function tooLarge(fitting: number) {
  return unprocessable(
    'limit',
    `These records are larger than an answer may be (${LIMITS.listBytes / 1024 / 1024} MiB). Send limit=${fitting}, or page with cursor`,
  );
}
