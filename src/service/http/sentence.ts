import type { z } from 'zod';

/** Describes the expected value in terms that an API client understands. */
const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Values of a list that are named one by one. */
const MAX_NAMED = 60;

/** The unit of a size limit. */
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

/**
 * Returns what is wrong with a value, where its schema has no sentence of its own; undefined leaves it to zod. Zod's
 * own sentences speak of types of TypeScript, which nobody meets who sends `?limit=ten`.
 */
export function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeSentence(issue.expected, issue.input);
    case 'invalid_value':
      return valuesSentence(issue.values);
    case 'too_big':
      return `Expected ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'This may not be empty';
      return `Expected ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_format':
      return issue.format === 'datetime' ? 'Expected a time such as 2026-11-20T09:30:00Z' : undefined;
    default:
      return undefined;
  }
}

function typeSentence(expected: string, input: unknown): string | undefined {
  if (input === undefined) return 'This is required';
  const value = EXPECTED[expected];
  if (value === undefined) return undefined;
  // Only a query can name something twice.
  const isRepeated = Array.isArray(input) && expected !== 'object' && expected !== 'record';
  return isRepeated ? `Expected ${value}, and only once` : `Expected ${value}`;
}

function valuesSentence(values: readonly z.core.util.Primitive[]): string | undefined {
  if (values.length > MAX_NAMED) return undefined;
  const named = values.map((value) => JSON.stringify(value)).join(', ');
  return values.length === 1 ? `Expected ${named}` : `Expected one of ${named}`;
}
