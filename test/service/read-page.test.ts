import { expect, it } from 'vitest';

import { LIMITS } from '../../src/contract/index.ts';
import type { Page } from '../../src/service/lists/page.ts';
import { readPage } from '../../src/service/lists/read-page.ts';

const MIB = 1024 * 1024;
const pageOf = (sizes: readonly number[], more: Partial<Page> = {}): Page => ({
  rows: sizes.map((bytes, at) => ({ id: `r${at}`, bytes, keys: [] })),
  totalCount: sizes.length,
  nextCursor: 'next page',
  cursorAfter: ({ id }) => `after ${id}`,
  ...more,
});
/** Records of these sizes as JSON; in UTF-8 each sign has as many bytes as `sign`. */
const reader = (sizes: readonly number[], sign = 'x') => {
  const slices: number[] = [];
  const read = async (ids: readonly string[]) => {
    slices.push(ids.length);
    return ids.map((id) => ({
      id,
      text: sign.repeat(Math.floor((sizes[Number(id.slice(1))] ?? 0) / Buffer.byteLength(sign))),
    }));
  };
  return { slices, read };
};
const many = (count: number, bytes: number) => Array.from({ length: count }, () => bytes);

it.each<[string, number[], string, number, string | null]>([
  ['small records are all shown', many(3_000, 100), 'x', 3_000, 'next page'],
  ['a page ends before it is too large', many(100, 99_000), 'x', 84, 'after r83'],
  ['signs of several bytes count as such', many(100, 99_000), '語', 84, 'after r83'],
  ['large records after small ones', [...many(500, 10), ...many(20, MIB)], 'x', 507, 'after r506'],
  ['a record that is alone too large is a page', [9 * MIB, 10], 'x', 1, 'after r0'],
  ['and comes alone after others', [10, 9 * MIB, 10], 'x', 1, 'after r0'],
  ['an empty page', [], 'x', 0, 'next page'],
])('%s', async (_, sizes, sign, count, cursor) => {
  for (const known of [sizes, sizes.map(() => 0)]) {
    const { read } = reader(sizes, sign);
    const { items, nextCursor } = await readPage(pageOf(known), read);
    expect([items.length, nextCursor]).toEqual([count, cursor]);
    if (count > 1) expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(LIMITS.listBytes + count);
  }
});

it('a page that was not asked for by cursor is refused with a limit that fits', async () => {
  const sizes = many(100, 99_000);
  const { cursorAfter: _, ...byOffset } = pageOf(sizes, { nextCursor: null });
  const { read } = reader(sizes);
  await expect(readPage(byOffset, read)).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    issues: [{ path: 'limit', message: expect.stringContaining('limit=84') as string }],
  });
  const fitting = { ...byOffset, rows: byOffset.rows.slice(0, 84) };
  expect((await readPage(fitting, read)).items).toHaveLength(84);
});

it('never reads more than about a megabyte at once where the sizes are known, and little more where they are not', async () => {
  const mixed = [...many(500, 10), ...many(60, 400_000)];
  const known = reader(mixed);
  await readPage(pageOf(mixed), known.read);
  expect(known.slices.slice(0, 4)).toEqual([100, 200, 202, 2]);
  const large = reader(many(300, 90_000));
  await readPage(pageOf(many(300, 0)), large.read);
  expect(large.slices).toEqual([100]);
  const medium = reader(many(3_000, 3_000));
  await readPage(pageOf(many(3_000, 0)), medium.read);
  expect(Math.max(...medium.slices)).toBeLessThanOrEqual(348);
});
