import type { z } from 'zod';

import { LIMITS } from '../../../src/contract/index.ts';

/** What the largest values are made of. */
export interface Filling {
  /** Returns a text of so many UTF-16 units, different for each number. */
  text: (length: number, number: number) => string;
  /** Returns the ids that exist for a field; none if it refers to nothing. */
  ids: (field: string) => readonly string[];
  /** The part of each limit that is used, from 0 to 1: with all of them, some bodies are larger than a body may be. */
  scale: number;
}

/** Where the schema of a text, an array or an object says no limit. */
const UNLIMITED = { text: 4_000, items: LIMITS.arrayItems, keys: LIMITS.objectKeys, depth: 60 };
/** Texts with a format; each may have a long one. */
const formatted = (number: number): string[] => [
  '2026-11-20T09:30:00.000Z',
  'America/Argentina/ComodRivadavia',
  '09:00',
  '#2f6f4f',
  'YWFh',
  `https://desk.example/${'a'.repeat(1_900)}/${number}`,
  `${'a'.repeat(460)}${number}@acme.example`,
  `a-${number}-${'b'.repeat(480)}`,
  `a-${number}-${'b'.repeat(30)}`,
  `a-${number}`,
  `Q${number}`.slice(0, 5),
  '2026-11-20',
  'day',
  'true',
  '1',
  '1795167000.000100',
];

/** The largest value that a schema takes; undefined for a field that nothing is known of. */
export function largestOf(schema: z.core.$ZodType, filling: Filling, field = '', number = 1): unknown {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod;
  const most = (unlimited: number) =>
    Math.max(1, Math.floor(Number(bag['maximum'] ?? unlimited) * filling.scale));
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([key, value]) => {
          // An id alone is of what the field around it names.
          const inner = largestOf(value, filling, key === 'id' && field !== '' ? field : key, number);
          return inner === undefined ? [] : [[key, inner]];
        }),
      );
    case 'array': {
      const known = filling.ids(field).length;
      const items = Math.min(most(UNLIMITED.items), known === 0 ? Infinity : known);
      const values = Array.from({ length: items }, (_, at) =>
        largestOf(def.element, filling, field, number * 1_000 + at),
      );
      return values.every((value) => value === undefined) ? undefined : values;
    }
    case 'record': {
      const keys =
        (def.keyType as z.core.$ZodTypes)._zod.def.type === 'enum'
          ? Object.values((def.keyType as z.core.$ZodEnum)._zod.def.entries).map(String)
          : Array.from(
              { length: Math.max(1, Math.floor(UNLIMITED.keys * filling.scale)) },
              (_, at) => `k${at}`,
            );
      return Object.fromEntries(
        keys.map((key, at) => [key, largestOf(def.valueType, filling, '', number * 1_000 + at)]),
      );
    }
    case 'nullable':
    case 'optional':
    case 'default':
    case 'prefault':
    case 'readonly':
      return largestOf(def.innerType, filling, field, number);
    case 'pipe':
      return largestOf(def.in, filling, field, number);
    case 'union':
      return largestOf(def.options[0] as z.core.$ZodType, filling, field, number);
    case 'tuple':
      return def.items.map((item, at) => largestOf(item, filling, field, number * 1_000 + at));
    case 'enum':
      return Object.values(def.entries)[number % Object.values(def.entries).length];
    case 'literal':
      return def.values[0];
    case 'boolean':
      return true;
    case 'number':
      return [(schema as z.ZodNumber).maxValue, 1_000, 1].find(
        (value) => (schema as z.ZodNumber).safeParse(value).success,
      );
    case 'string':
      return textOf(schema as z.ZodString, most(UNLIMITED.text), filling, field, number);
    default:
      return nested(filling.text(most(UNLIMITED.text), number));
  }
}

function textOf(
  schema: z.ZodString,
  length: number,
  filling: Filling,
  field: string,
  number: number,
): unknown {
  if (/(^id|Ids?|s)$/.test(field)) {
    const ids = filling.ids(field);
    if (ids.length > 0) return ids[number % ids.length];
    if (/(^id|Ids?)$/.test(field)) return undefined;
  }
  // Some schemas do not say how long a text may be.
  const lengths = [length, LIMITS.shortText, 100, 50, 20];
  return [...lengths.map((each) => filling.text(each, number)), ...formatted(number)].find(
    (text) => schema.safeParse(text).success,
  );
}

/** A text inside as many arrays and objects as a body may nest. */
function nested(text: string): unknown {
  let value: unknown = text;
  for (let depth = 0; depth < UNLIMITED.depth; depth += 2) value = { a: [value] };
  return value;
}

/** Texts that cost the most to read, for all that reads them: words, signs, Markdown, mentions. */
export const FILLS: Record<string, (length: number, number: number) => string> = {
  'different words': (length, number) => {
    const words: string[] = [];
    for (let at = 0, size = 0; size < length; at++) {
      const word = `w${number}x${at.toString(36)}`;
      words.push(word);
      size += word.length + 1;
    }
    return words.join(' ').slice(0, length).trimEnd();
  },
  CJK: (length, number) => repeated('漢字仮名交文', length, number),
  'families of emoji': (length, number) => repeated('👩‍👩‍👧‍👦 ', length, number),
  'open links': (length, number) => repeated('[a](<', length, number),
  mentions: (length, number) => repeated('<@U1|a> @[b](user:c) ', length, number),
  addresses: (length, number) => repeated('https://a.example/b?c=d e@f.example ', length, number),
  'nested styles': (length, number) => repeated('**_~~`a', length, number),
  tables: (length, number) => repeated('| a | b |\n', length, number),
  accents: (length, number) => repeated('e\u0301\u0323\u0308', length, number),
};

function repeated(piece: string, length: number, number: number): string {
  const begin = `${number} `;
  const text = begin + piece.repeat(Math.max(0, Math.floor((length - begin.length) / piece.length)));
  return text.slice(0, length).trimEnd();
}

/** Bodies of exactly so many bytes, whatever the schema: JSON that is large in one way each. */
export const SHAPES: Record<string, (bytes: number) => string> = {
  'deep arrays': (bytes) => '['.repeat(Math.floor(bytes / 2)) + ']'.repeat(Math.floor(bytes / 2)),
  'deep objects': (bytes) => {
    const depth = Math.floor(bytes / 6) - 1;
    return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  },
  'many keys': (bytes) => filled('{', (at) => `"${at.toString(36)}":0`, '}', bytes),
  'many numbers': (bytes) => filled('[', () => '0', ']', bytes),
  'many objects': (bytes) => filled('[', () => '{}', ']', bytes),
  'many escapes': (bytes) => `"${'\\u0000'.repeat(Math.floor(bytes / 6) - 1)}"`,
};

function filled(begin: string, part: (at: number) => string, end: string, bytes: number): string {
  const parts: string[] = [];
  for (let at = 0, size = 2; ; at++) {
    const next = part(at);
    size += next.length + 1;
    if (size > bytes) return `${begin}${parts.join(',')}${end}`;
    parts.push(next);
  }
}
