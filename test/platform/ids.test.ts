import { expect, it } from 'vitest';

import { createIds } from '../../src/platform/ids.ts';

const stoppedAt = (time: number) => ({ now: () => new Date(time) });
const clock = stoppedAt(1_700_000_000_000);

it('ids sort by creation time, also within one millisecond', () => {
  const newId = createIds(clock);
  const made = Array.from({ length: 2_000 }, () => newId('tkt'));
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  expect(made[0]).toMatch(/^tkt_[0-9a-hjkmnp-tv-z]{26}$/);
});

it('each millisecond draws new random ids, evenly, and differently in each process', () => {
  let time = 1_700_000_000_000;
  const ticking = { now: () => new Date((time += 1)) };
  const [one, other] = [createIds(ticking), createIds(ticking)];
  const drawn = Array.from({ length: 4_000 }, () => [one('a'), other('a')]).flat();
  const chances = drawn.map((id) => id.slice(12));
  expect(new Set(chances).size).toBe(chances.length);
  // 128,000 characters of 32 kinds: 4,000 of each, with a deviation of 62.
  const counts = new Map<string, number>();
  for (const character of chances.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(32);
  for (const count of counts.values()) expect(Math.abs(count - 4_000)).toBeLessThan(500);
});

it('the same random source gives the same ids', () => {
  const newIds = () => createIds(clock, () => 0.5);
  expect(newIds()('tkt')).toBe(newIds()('tkt'));
});
