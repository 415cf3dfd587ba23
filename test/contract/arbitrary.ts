import fc from 'fast-check';
import type { z } from 'zod';

/**
 * Random values of a contract schema, generated from the schema itself, so that no samples have to be
 * maintained.
 */
export function valueOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return withRest(
        fc.record(Object.fromEntries(Object.entries(def.shape).map(([key, value]) => [key, valueOf(value)]))),
        def.catchall,
      );
    case 'array':
      return fc.array(valueOf(def.element), { maxLength: 3 });
    case 'nullable':
      return fc.option(valueOf(def.innerType), { nil: null });
    case 'optional':
      return fc.option(valueOf(def.innerType), { nil: undefined });
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'null':
      return fc.constant(null);
    case 'number':
      return fc.integer({ min: 1, max: 500_000 });
    case 'string':
      return isTimestamp(schema) ? instants : fc.string({ minLength: 1, maxLength: 40 });
    case 'record':
      return fc.dictionary(keyOf(def.keyType), valueOf(def.valueType), { maxKeys: 3 });
    case 'tuple':
      return fc.tuple(...def.items.map(valueOf));
    case 'union':
      return fc.oneof(...def.options.map(valueOf));
    case 'unknown':
      return fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    default:
      throw new TypeError(`no values for the schema kind "${def.type}"`);
  }
}

function withRest(known: fc.Arbitrary<object>, rest: z.core.$ZodType | undefined): fc.Arbitrary<unknown> {
  if (!rest || (rest as z.core.$ZodTypes)._zod.def.type === 'never') return known;
  const keys = fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__');
  return fc
    .tuple(fc.dictionary(keys, valueOf(rest), { maxKeys: 3 }), known)
    .map(([more, own]) => ({ ...more, ...own }));
}

const instants = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

function isTimestamp(schema: z.core.$ZodType): boolean {
  const takes = (value: string) => (schema as z.ZodType).safeParse(value).success;
  return takes('2026-11-20T09:30:00.000Z') && !takes('x');
}

function keyOf(schema: z.core.$ZodType): fc.Arbitrary<string> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'enum') return fc.constantFrom(...Object.values(def.entries).map(String));
  return fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__');
}
