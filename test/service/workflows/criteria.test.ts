import { expect, it } from 'vitest';

import { criteria, type Filter, matches, matchesAny } from '../../../src/service/workflow-config/criteria.ts';

type Row = [
  actual: unknown,
  condition: Filter['condition'],
  value: Filter['value'],
  holds: boolean,
  given?: string,
];

const ROWS: Row[] = [
  ['URGENT', 'equals', 'URGENT', true],
  ['URGENT', 'equals', 'urgent', false],
  ['URGENT', 'not_equals', 'LOW', true],
  [undefined, 'equals', 'LOW', false],
  [undefined, 'not_equals', 'LOW', true],
  [null, 'is_null', null, true],
  ['', 'is_null', null, true],
  [[], 'is_null', null, true],
  [['tag_1'], 'is_not_null', null, true],
  [['tag_1', 'tag_2'], 'equals', 'tag_2', true],
  [['tag_1', 'tag_2'], 'not_equals', 'tag_2', false],
  ['tag_1', 'in', 'tag_0, tag_1', true],
  ['tag_1', 'in', ['tag_0', 'tag_2'], false],
  ['tag_1', 'not_in', ['tag_0', 'tag_2'], true],
  ['An Invoice of März', 'contains', 'invoice', true],
  ['An Invoice of März', 'contains', 'MÄRZ', true],
  ['An invoice', 'contains', '', false],
  ['An invoice', 'not_contains', 'receipt', true],
  [3, 'lte', '3', true],
  [3, 'gt', '2.5', true],
  ['10', 'gt', '9', true],
  [[1, 5], 'lt', '2', true],
  [4, 'between', '3', true, '5'],
  [6, 'between', '3', false, '5'],
  ['2026-11-20T10:00:00.000Z', 'gte', '2026-11-20', true],
  ['2026-11-20T10:00:00.000Z', 'lt', '2026-11-20T11:00:00+02:00', false],
  ['2026-11-20T10:00:00.000Z', 'equals', '2026-11-20T11:00:00+01:00', true],
  ['a word', 'gt', 'another', false],
  [true, 'equals', 'true', true],
  [false, 'equals', 'true', false],
  [{ an: 'object' }, 'is_null', null, true],
];

it.each(ROWS)('%j %s %j: %s', (actual, condition, value, holds, given) => {
  expect(matches({ condition, value, given }, actual)).toBe(holds);
});

it('any group is enough, and all filters of it are needed', () => {
  const filter = (field: string, value: string): Filter => ({ field, condition: 'equals', value });
  const values: Record<string, unknown> = { a: '1', b: '2' };
  const holds = (...groups: Filter[][]) => matchesAny(groups, (field) => values[field]);
  expect(holds([filter('a', '1'), filter('b', '2')])).toBe(true);
  expect(holds([filter('a', '1'), filter('b', '3')])).toBe(false);
  expect(holds([filter('a', '0')], [filter('b', '2')])).toBe(true);
});

it.each([
  [null, true],
  [{ otherwise: true }, true],
  [{ failed: true }, true],
  [{ filterGroups: [[{ field: 'priority', condition: 'equals', value: 'LOW' }]] }, true],
  [{ filterGroups: [] }, false],
  [{ filterGroups: [[]] }, false],
  [{ filterGroups: [[{ field: 'priority', condition: 'resembles', value: 'LOW' }]] }, false],
  [{ otherwise: false }, false],
  [{ equals: 'x' }, false],
  ['always', false],
])('criteria %j can be read: %s', (given, readable) => {
  expect(criteria.safeParse(given).success).toBe(readable);
});
