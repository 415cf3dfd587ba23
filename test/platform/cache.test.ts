import { expect, test } from 'vitest';

import { Cache } from '../../src/platform/cache.ts';

test('a cache reads a key once while its value is valid, also for concurrent callers, and again later', async () => {
  let at = Date.UTC(2026, 0, 1);
  const cache = new Cache<number>(10, { clock: { now: () => new Date(at) }, ms: 1_000 });
  let reads = 0;
  const read = () => Promise.resolve(++reads);
  expect(await Promise.all([cache.get('a', read), cache.get('a', read)])).toEqual([1, 1]);
  at += 999;
  expect([await cache.get('a', read), cache.peek('a'), cache.peek('b')]).toEqual([1, 1, undefined]);
  at += 2;
  expect(await cache.get('a', read)).toBe(2);
});

test('a value is valid from the start of its read, so a slow read is repeated sooner', async () => {
  let at = Date.UTC(2026, 0, 1);
  const cache = new Cache<string>(10, { clock: { now: () => new Date(at) }, ms: 1_000 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = cache.get('a', () => promise);
  at += 1_500;
  resolve('before');
  expect(await slow).toBe('before');
  at += 2;
  expect(await cache.get('a', () => Promise.resolve('after'))).toBe('after');
});

test('a cache with a time of 0 reads each time', async () => {
  const cache = new Cache<number>(10, { clock: { now: () => new Date(0) }, ms: 0 });
  let reads = 0;
  const read = () => Promise.resolve(++reads);
  expect([await cache.get('a', read), await cache.get('a', read)]).toEqual([1, 2]);
});

test('a cache does not keep a failure, keeps undefined, and a read that ends after clear still returns its value', async () => {
  const cache = new Cache<string | undefined>(10);
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', () => Promise.resolve(undefined))).toBeUndefined();
  expect(await cache.get('a', () => Promise.resolve('read again'))).toBeUndefined();
  const { promise, resolve } = Promise.withResolvers<string>();
  const late = cache.get('b', () => promise);
  cache.clear();
  resolve('late');
  expect(await late).toBe('late');
});

test('a full cache drops the entry that was used longest ago, and no other', async () => {
  const cache = new Cache<string>(2);
  for (const key of ['a', 'b', 'a', 'c']) await cache.get(key, () => Promise.resolve(key));
  expect(['a', 'b', 'c'].map((key) => cache.peek(key))).toEqual(['a', undefined, 'c']);
});
