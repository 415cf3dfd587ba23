import { z } from 'zod';

import { filterCondition, LIMITS } from '../../contract/index.ts';

const text = z.string().max(LIMITS.analytics.filterText);
const filter = z.object({
  /** A field of the ticket, or `<stepId>.<output>`. */
  field: z.string().min(1).max(LIMITS.shortText),
  condition: filterCondition,
  /** `in` and `not_in` take several values, separated by commas or as an array. */
  value: z.union([text, z.array(text).max(LIMITS.arrayItems)]).nullish(),
  /** The second bound of `between`. */
  given: text.nullish(),
});
export type Filter = z.output<typeof filter>;

/** All filters of at least one group. */
const filterGroups = z
  .array(z.array(filter).min(1).max(LIMITS.analytics.filters))
  .min(1)
  .max(LIMITS.analytics.filterGroups);
export type FilterGroups = z.output<typeof filterGroups>;

/** When a connection is taken (docs/api.md, Workflows). */
export const criteria = z.union([
  z.null(),
  z.strictObject({ filterGroups }),
  z.strictObject({ otherwise: z.literal(true) }),
  z.strictObject({ failed: z.literal(true) }),
]);
export type Criteria = z.output<typeof criteria>;

/** Returns the value of a field; undefined and null: it has none. */
export type ValueOf = (field: string) => unknown;

export function matchesAny(groups: FilterGroups, valueOf: ValueOf): boolean {
  return groups.some((group) => group.every((each) => matches(each, valueOf(each.field))));
}

type Condition = Filter['condition'];

/** Negated conditions; a field without a value matches the negated one. */
const OPPOSITE: Partial<Record<Condition, Condition>> = {
  not_equals: 'equals',
  not_contains: 'contains',
  not_in: 'in',
  is_not_null: 'is_null',
};

/** Returns whether a value matches a filter; of several values, such as tags, one of them is enough. */
export function matches(
  { condition, value, given }: Pick<Filter, 'condition' | 'value' | 'given'>,
  actual: unknown,
): boolean {
  const opposite = OPPOSITE[condition];
  if (opposite) return !matches({ condition: opposite, value, given }, actual);
  const values = textsOf(actual);
  const wanted = Array.isArray(value) && condition !== 'in' ? (value[0] ?? '') : (value ?? '');
  const one = Array.isArray(wanted) ? '' : wanted;
  switch (condition) {
    case 'is_null':
      return values.length === 0;
    case 'equals':
      return values.some((each) => isEqual(each, one));
    case 'in': {
      const listed = Array.isArray(wanted) ? wanted : wanted.split(',');
      return values.some((each) => listed.some((other) => isEqual(each, other.trim())));
    }
    case 'contains':
      return one !== '' && values.some((each) => folded(each).includes(folded(one)));
    case 'gt':
      return values.some((each) => compare(each, one) > 0);
    case 'gte':
      return values.some((each) => compare(each, one) >= 0);
    case 'lt':
      return values.some((each) => compare(each, one) < 0);
    case 'lte':
      return values.some((each) => compare(each, one) <= 0);
    case 'between':
      return values.some((each) => compare(each, one) >= 0 && compare(each, given ?? '') <= 0);
    default:
      return false;
  }
}

/** The values as texts; none where there is nothing, also no empty text. */
function textsOf(actual: unknown): string[] {
  if (Array.isArray(actual)) return actual.flatMap(textsOf);
  if (typeof actual === 'string') return actual === '' ? [] : [actual];
  if (typeof actual === 'number' || typeof actual === 'boolean') return [String(actual)];
  return [];
}

/** Removes case and accents, as searches do. */
function folded(words: string): string {
  return words.normalize('NFKC').toLowerCase();
}

function isEqual(one: string, other: string): boolean {
  return one === other || compare(one, other) === 0;
}

const NUMBER = /^[+-]?\d{1,15}(\.\d{1,15})?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Compares two numbers or two instants (a day is its first instant in UTC); NaN for everything else. */
function compare(one: string, other: string): number {
  if (NUMBER.test(one) && NUMBER.test(other)) return Number(one) - Number(other);
  if (INSTANT.test(one) && INSTANT.test(other)) return Date.parse(one) - Date.parse(other);
  return Number.NaN;
}
