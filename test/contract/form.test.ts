import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  askedOf,
  askedWhere,
  type FormFieldShape,
  formParts,
  SOMETHING_ELSE,
} from '../../src/contract/index.ts';

interface Link {
  id: string;
  parentId: string | null;
}

function field({ id, parentId }: Link, dependsOnValue: string | null = null, order = 0): FormFieldShape {
  const customField = {
    label: id,
    description: null,
    required: false,
    type: 'TEXT',
    config: {},
    options: [],
  };
  return { id, parentId, dependsOnValue, order, required: false, ticketField: null, customField };
}

/** Fields that hang on each other in every way that could be slow. */
const SHAPES: Record<string, (count: number) => Link[]> = {
  'a chain': (count) => linked(count, (at) => at - 1),
  'a chain from its end': (count) => linked(count, (at) => at + 1),
  'a star': (count) => linked(count, () => 0),
  'a cycle': (count) => linked(count, (at) => (at + 1) % count),
  'a tail that ends in a cycle': (count) => linked(count, (at) => (at < 2 ? 1 - at : at - 1)),
  'two chains that meet': (count) =>
    linked(count, (at) => (at < count / 2 ? at - 1 : Math.max(0, at - count / 2))),
  'parents that are not there': (count) =>
    linked(count, () => -1).map((one) => ({ ...one, parentId: 'none' })),
  'one id for all': (count) => linked(count, () => 0).map((one) => ({ ...one, id: 'f0' })),
};
const linked = (count: number, parent: (at: number) => number): Link[] =>
  Array.from({ length: count }, (_, at) => {
    const above = parent(at);
    return { id: `f${at}`, parentId: above < 0 || above >= count ? null : `f${above}` };
  });

/** How often the fields of a form are looked at while it is worked out. */
function looksAt(links: readonly Link[]): number {
  let looks = 0;
  const watched = links.map((link) => {
    const of = field(link);
    return Object.defineProperties(of, {
      id: { get: () => (looks++, link.id) },
      parentId: { get: () => (looks++, link.parentId) },
    });
  });
  const form = { ...SOMETHING_ELSE, customFields: watched };
  formParts({ kinds: [], chosen: form, answers: () => (looks++, 'x'), menus: { statuses: [], tags: [] } });
  return looks;
}

describe('the questions of a form', () => {
  test.each(Object.entries(SHAPES))('twice the fields are twice the work: %s', (_, shape) => {
    expect(looksAt(shape(4_000))).toBeLessThanOrEqual(looksAt(shape(2_000)) * 2.1);
    expect(looksAt(shape(2_000))).toBeLessThan(2_000 * 20);
  });

  test.each([
    ['all of a chain whose answers fit', 'a chain', () => 'x', 5],
    ['only the first of a chain without answers', 'a chain', () => undefined, 1],
    ['all fields of a cycle, although nobody can answer', 'a cycle', () => undefined, 5],
    ['all but what hangs on a cycle without an answer', 'a tail that ends in a cycle', () => undefined, 2],
    ['all whose parents are not there', 'parents that are not there', () => undefined, 5],
  ])('are %s', (_, shape, answers, count) => {
    expect(
      askedOf(
        (SHAPES[shape]?.(5) ?? []).map((link) => field(link)),
        answers,
      ),
    ).toHaveLength(count);
  });

  test('are those that a plain reading of the rule gives, for any links and answers', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const links = fc.tuple(...ids.map(() => fc.option(fc.constantFrom(...ids))));
    fc.assert(
      fc.property(links, fc.subarray(ids), (parents, met) => {
        const fields = ids.map((id, at) => ({ id, parentId: parents[at] ?? null }));
        const parentOf = ({ parentId }: Link) => fields.find(({ id }) => id === parentId);
        const isInCycle = (one: Link) => {
          let at = parentOf(one);
          for (let step = 0; at && at !== one && step < ids.length; step++) at = parentOf(at);
          return at === one;
        };
        const isAsked = (one: Link): boolean => {
          const parent = parentOf(one);
          return !parent || isInCycle(one) || (isAsked(parent) && met.includes(one.id));
        };
        const asked = askedWhere(fields, ({ id }) => met.includes(id));
        expect([...asked].map(({ id }) => id)).toEqual(fields.filter(isAsked).map(({ id }) => id));
      }),
    );
  });
});
