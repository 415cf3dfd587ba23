import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';

import { expect, it } from 'vitest';

import { LIMITS } from '../../src/contract/index.ts';
import { ownTurn } from '../../src/platform/own-turn.ts';
import type { Caller } from '../../src/service/handler.ts';
import { LargeAnswers } from '../../src/service/http/large-answers.ts';
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
  ['a page ends before it is too large', many(100, 99_000), 'x', 42, 'after r41'],
  ['signs of several bytes count as such', many(100, 99_000), '語', 42, 'after r41'],
  ['large records after small ones', [...many(500, 10), ...many(20, MIB)], 'x', 503, 'after r502'],
  ['a record that is alone too large is a page', [9 * MIB, 10], 'x', 1, 'after r0'],
  ['and comes alone after others', [10, 9 * MIB, 10], 'x', 1, 'after r0'],
  ['an empty page', [], 'x', 0, 'next page'],
])('%s', async (_, sizes, sign, count, cursor) => {
  for (const known of [sizes, sizes.map(() => 0)]) {
    const { read } = reader(sizes, sign);
    const { items, nextCursor } = await readPage({}, pageOf(known), read);
    expect([items.length, nextCursor]).toEqual([count, cursor]);
    if (count > 1) expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(LIMITS.listBytes + count);
  }
});

it('a page that was not asked for by cursor is refused with a limit that fits', async () => {
  const sizes = many(100, 99_000);
  const { cursorAfter: _, ...byOffset } = pageOf(sizes, { nextCursor: null });
  const { read } = reader(sizes);
  await expect(readPage({}, byOffset, read)).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    issues: [{ path: 'limit', message: expect.stringContaining('limit=42') as string }],
  });
  const fitting = { ...byOffset, rows: byOffset.rows.slice(0, 42) };
  expect((await readPage({}, fitting, read)).items).toHaveLength(42);
});

it('never reads more than about a megabyte at once where the sizes are known, and little more where they are not', async () => {
  const mixed = [...many(500, 10), ...many(60, 400_000)];
  const known = reader(mixed);
  await readPage({}, pageOf(mixed), known.read);
  expect(known.slices.slice(0, 4)).toEqual([100, 200, 202, 2]);
  const large = reader(many(300, 90_000));
  await readPage({}, pageOf(many(300, 0)), large.read);
  expect(large.slices).toEqual([100]);
  const medium = reader(many(3_000, 3_000));
  await readPage({}, pageOf(many(3_000, 0)), medium.read);
  expect(Math.max(...medium.slices)).toBeLessThanOrEqual(348);
});

const person = (personId: string) => ({ personId, keyId: null, session: {} }) as unknown as Caller;
const key = (keyId: string) => ({ personId: null, keyId }) as unknown as Caller;

it('makes few large answers at once, of a caller and of all, until their clients have read them', async () => {
  const answers = new LargeAnswers();
  const begun: string[] = [];
  const ask = (caller: Caller, name: string) => {
    const response = new PassThrough();
    const take = answers.of(caller, response as unknown as ServerResponse);
    const began = async () => {
      await take();
      begun.push(name);
    };
    void began();
    return { take, response };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (response: PassThrough) => {
    response.destroy();
    await once(response, 'close');
    await settled();
  };
  const asked = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask(person('a'), name));
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  // One request takes one place, whatever it reads.
  await asked[0]?.take();
  for (const who of ['b', 'c', 'd', 'e']) for (const at of [1, 2, 3]) ask(key(who), `${who}${at}`);
  await settled();
  expect(begun.slice(3)).toEqual(['b1', 'b2', 'b3', 'c1', 'c2', 'c3', 'd1', 'd2', 'd3']);
  // Who waits longest comes next, unless they have their share; a client that gave up leaves its place at once.
  asked[3]?.response.destroy();
  await end(asked[0]?.response as PassThrough);
  expect(begun.slice(12)).toEqual(['a4', 'a5']);
  await end(asked[1]?.response as PassThrough);
  expect(begun.slice(14)).toEqual(['e1']);
});

it('a large page waits for its place, by bytes or by records, and a small one does not', async () => {
  const waitsFor = async (sizes: number[]) => {
    let waited = false;
    const takeLargeAnswer = async () => void (waited = true);
    await readPage({ takeLargeAnswer }, pageOf(sizes), reader(sizes).read);
    return waited;
  };
  expect(await waitsFor(many(12, 99_000))).toBe(true);
  expect(await waitsFor(many(1_001, 0))).toBe(true);
  expect(await waitsFor(many(100, 1_000))).toBe(false);
});

it('pieces of work that wait for a turn of their own never share one', async () => {
  let turn = 0;
  let counting = true;
  const count = () => {
    turn++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  const work = async () => {
    for (let piece = 0; piece < 4; piece++) {
      await ownTurn();
      turns.push(turn);
    }
  };
  await Promise.all([work(), work(), work()]);
  counting = false;
  expect(new Set(turns).size).toBe(12);
});
