import { LIMITS } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { inSlices } from './in-slices.ts';
import type { Page } from './page.ts';

/** A page with more records or bytes is a large response; only a few of those are prepared at a time. */
const LARGE = { records: 1_000, bytes: 1024 * 1024 };

/** The response of a list. */
interface List<Item> {
  items: Item[];
  totalCount: number;
  nextCursor: string | null;
}

/**
 * Reads the records of a page. If the response would be too large, a page requested by cursor ends early, with the cursor
 * of its last record. A page requested by offset is refused with a limit that fits: a client that counts rows would miss
 * those left out.
 * @param read returns the records of these ids, in their order; records deleted meanwhile are left out.
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
      // A single record is always returned: none is larger than a response may be.
      if (items.length > 0 && total + bytes > LIMITS.listBytes) {
        const previous = rows[rows.findIndex(({ id }) => id === item.id) - 1];
        if (!cursorAfter || !previous) throw tooLarge(items.length);
        return { items, totalCount, nextCursor: cursorAfter(previous) };
      }
      items.push(item);
      total += bytes;
    }
  return { items, totalCount, nextCursor };
}

function tooLarge(fitting: number) {
  return unprocessable(
    'limit',
    `These records are larger than a response may be (${LIMITS.listBytes / 1024 / 1024} MiB). Send limit=${fitting}, or page with cursor`,
  );
}
