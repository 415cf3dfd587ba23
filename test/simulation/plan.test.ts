import { expect, test } from 'vitest';

import { drawPlan, leftOut, partsOf } from './plan.ts';

test('whatever is left out of a seed, everything else stays as it was drawn', () => {
  const plan = drawPlan(7, 40);
  const parts = partsOf(plan);
  expect(new Set(parts).size).toBe(parts.length);
  const [third] = plan.acts.slice(2);
  const left = leftOut(plan, new Set([`act 3, ${third?.what ?? ''}`, 'further bridges']));
  expect(left).toEqual({
    ...plan,
    bridges: 1,
    acts: plan.acts.map((act) => (act === third ? { ...act, what: undefined } : act)),
  });
  expect(leftOut(plan, new Set())).toEqual(plan);
});

test('without any of its parts nothing happens in a seed, and more acts begin with those of fewer', () => {
  const plan = drawPlan(8, 60);
  const nothing = leftOut(plan, new Set(partsOf(plan)));
  expect(nothing).toMatchObject({ bridges: 1, skews: {}, chaos: undefined, failingCalls: undefined });
  expect(nothing.acts.filter(({ what, faults }) => what !== undefined || faults.length > 0)).toEqual([]);
  expect(drawPlan(8, 25).acts).toEqual(plan.acts.slice(0, 25));
});

test('seeds have one, two or three bridges', () => {
  const counts = Array.from({ length: 60 }, (_, seed) => drawPlan(seed, 0).bridges);
  expect([...new Set(counts)].toSorted()).toEqual([1, 2, 3]);
});
