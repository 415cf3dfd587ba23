import { expect, test } from 'vitest';

import { inGroups, Turns } from '../../src/platform/database/in-groups.ts';

/** A store whose groups end when the test says so. */
function stepwise(begun: string[], turns?: Turns) {
  const ends: (() => void)[] = [];
  const store = inGroups<string, string>(
    async (items) => {
      begun.push(items.join(' '));
      await new Promise<void>((resolve) => ends.push(resolve));
      return items;
    },
    100,
    turns,
  );
  return { store, end: () => ends.shift()?.() };
}

test('what comes while a group is stored is the next group', async () => {
  const begun: string[] = [];
  const { store, end } = stepwise(begun);
  const first = store('a');
  await expect.poll(() => begun).toEqual(['a']);
  const others = [store('b'), store('c')];
  end();
  await first;
  await expect.poll(() => begun).toEqual(['a', 'b c']);
  end();
  expect(await Promise.all(others)).toEqual(['b', 'c']);
});

test('groups of two kinds that share their turns are stored one after the other', async () => {
  const begun: string[] = [];
  const turns = new Turns();
  const one = stepwise(begun, turns);
  const other = stepwise(begun, turns);
  const first = one.store('a');
  const second = other.store('b');
  await expect.poll(() => begun).toEqual(['a']);
  const third = other.store('c');
  one.end();
  await first;
  await expect.poll(() => begun).toEqual(['a', 'b c']);
  other.end();
  expect(await Promise.all([second, third])).toEqual(['b', 'c']);
});

test('a group does not wait for one that is held up', async () => {
  const begun: string[] = [];
  const turns = new Turns();
  const held = stepwise(begun, turns);
  const other = stepwise(begun, turns);
  const first = held.store('a');
  const second = other.store('b');
  await expect.poll(() => begun).toEqual(['a', 'b']);
  other.end();
  expect(await second).toBe('b');
  held.end();
  expect(await first).toBe('a');
});
