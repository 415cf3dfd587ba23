import { expect, test } from 'vitest';

import { appendPage, restOf, type Row, type Rows } from '../../src/ui/desk/api/append-page.ts';

const rowsOf = (ids: string, totalCount: number, nextCursor: string | null = null): Rows<Row> => ({
  items: ids.split('').map((id) => ({ id })),
  totalCount,
  nextCursor,
});

/** Reads pages of two rows by offset from a list that `change` reorders before each read. */
function readAll(lists: readonly string[]): string {
  const pageAt = (read: number, offset: number) => {
    const list = lists[Math.min(read, lists.length - 1)] ?? '';
    return rowsOf(list.slice(offset, offset + 2), list.length);
  };
  let rows = pageAt(0, 0);
  let read = 0;
  for (let rest = restOf(rows); rest; rest = restOf(rows)) {
    read += 1;
    if (read > 10) throw new Error('it reads for ever');
    rows = appendPage(rows, pageAt(read, 'offset' in rest ? rest.offset : 0));
  }
  return rows.items.map(({ id }) => id).join('');
}

test.each([
  ['that stays the same', ['abcde'], 'abcde'],
  ['whose row moves to a later page', ['abcd', 'bcad'], 'bad'],
  ['whose last row moves to its beginning, so that the last page repeats a row', ['abc', 'cab'], 'ab'],
  ['that is empty', [''], ''],
])('a list without cursors %s is read to its end, each row once', (_name, lists, all) => {
  expect(readAll(lists)).toBe(all);
});

test('a list with cursors goes on until there is none', () => {
  const rows = appendPage(rowsOf('ab', 5, 'second'), rowsOf('cd', 5, 'third'));
  expect(restOf(rows)).toEqual({ cursor: 'third' });
  expect(restOf(appendPage(rows, rowsOf('e', 5)))).toBeUndefined();
});
