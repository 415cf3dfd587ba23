import fc from 'fast-check';
import type { z } from 'zod';

/** Texts of every format in the requests' schemas. */
const FORMS = [
  '2026-11-20T09:30:00.000Z',
  '2026-11-20T09:30:00+02:00',
  '2026-11-20',
  'https://receiver.example/hook',
  'ada@acme.example',
  '#1234ab',
  'Europe/Berlin',
  '09:00',
  'IT',
  'a-name',
  'some words',
  '1732093200.000100',
  '12',
  'T0EXAMPLE1',
  'true',
  // Filters by several values.
  'URGENT,HIGH',
  'overdue,week',
];

const words = fc.string({ minLength: 2, maxLength: 20 }).map((text) => `x${text}`);

/**
 * Requests that match a schema of the contract: generated from the schema, without those that its rules
 * between fields reject.
 */
export function requestOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  return built(schema).filter((value) => schema.safeParse(value).success);
}

function built(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const takes = (value: unknown) => (schema as z.ZodType).safeParse(value).success;
  switch (def.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(def.shape).map(([key, field]) => [key, fieldOf(field)])),
      );
    case 'array':
      return fc.array(built(def.element), { minLength: 1, maxLength: 3 });
    case 'optional':
    case 'nullable':
      return built(def.innerType);
    case 'pipe':
      return built(def.in);
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'number': {
      const some = [1, 2, 5, 0, 100, 0.5, 20_000].filter(takes);
      return fc.constantFrom(...some);
    }
    case 'string': {
      const some = [...FORMS, '🙂 ü \\ "'].filter(takes);
      const free = takes('some words') && takes('\\"');
      return free ? fc.oneof(fc.constantFrom(...some), words) : fc.constantFrom(...some);
    }
    case 'record':
      return fc.dictionary(built(def.keyType).map(String), built(def.valueType), { maxKeys: 2 });
    case 'tuple':
      return fc.tuple(...def.items.map(built));
    case 'union':
      return fc.oneof(...def.options.map(built));
    case 'unknown':
      return fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    default:
      throw new TypeError(`no values for the schema kind "${def.type}"`);
  }
}

/** Optional fields are left out half of the time: rules between fields reject most combinations. */
function fieldOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const needed = !(schema as z.ZodType).safeParse(undefined).success;
  return needed ? built(schema) : fc.option(built(schema), { nil: undefined, freq: 2 });
}
