import { expect, test } from 'vitest';

import { shrink } from './shrink.ts';

const parts = Array.from({ length: 40 }, (_, at) => `part ${at}`);
const always = () => true;

test('what fails is left with only the parts that make it fail, in far fewer runs than there are ways', async () => {
  let runs = 0;
  const needed = ['part 3', 'part 17', 'part 39'];
  const without = await shrink(
    parts,
    async (left) => {
      runs += 1;
      return !needed.some((part) => left.has(part));
    },
    always,
  );
  expect(parts.filter((part) => !without.has(part))).toEqual(needed);
  expect(runs).toBeLessThan(50);
});

test('a part is left out that was needed only because of another one', async () => {
  // The fifth part hides the failure, unless the sixth is there.
  const fails = async (left: ReadonlySet<string>) =>
    !left.has('part 1') && (left.has('part 4') || !left.has('part 5'));
  const without = await shrink(parts, fails, always);
  expect(parts.filter((part) => !without.has(part))).toEqual(['part 1']);
});

test('when the time is over, what is left out so far still fails', async () => {
  let runs = 0;
  const fails = async (left: ReadonlySet<string>) => {
    runs += 1;
    return !left.has('part 30');
  };
  const without = await shrink(parts, fails, () => runs < 2);
  expect(runs).toBe(2);
  expect(without.size).toBe(20);
  expect(await fails(without)).toBe(true);
});
