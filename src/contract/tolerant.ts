import { z } from 'zod';

import { isList } from './lists.ts';

/**
 * Switches that are on unless somebody turned them off: a service that does not send one has not. Any other boolean
 * that is absent is false.
 */
export const onWhereAbsent = z.registry<{ absent: true }>();

type AnyString = string & Record<never, never>;

/** What a client gets where the service of the contract would send `T`: any string may stand in place of an enum's. */
export type Tolerant<T> = T extends string
  ? string extends T
    ? T
    : T | AnyString
  : T extends readonly [unknown, ...unknown[]]
    ? T
    : T extends readonly (infer Item)[]
      ? Tolerant<Item>[]
      : T extends object
        ? { [K in keyof T]: Tolerant<T[K]> }
        : T;

const cache = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * The schema by which a client reads what another implementation of the specification sends: any string for an enum,
 * unknown keys passed over, a missing or null nullable is null, a missing array or record is empty, a missing boolean
 * false (true where it is registered as `onWhereAbsent`), and a missing object that may lack each of its fields is one that lacks them all. Strings, numbers and objects that the contract requires stay required, and literals stay as they are (they tell
 * the members of a union apart). What the contract's own service sends is read unchanged.
 */
export function tolerant<S extends z.ZodType>(schema: S): z.ZodType<Tolerant<z.output<S>>> {
  return relax(schema) as z.ZodType<Tolerant<z.output<S>>>;
}

function relax(schema: z.core.$ZodType): z.ZodType {
  const known = cache.get(schema);
  if (known) return known;
  const made = isList(schema as z.ZodType) ? relaxList(schema) : relaxKind(schema);
  cache.set(schema, made);
  return made;
}

function relaxKind(schema: z.core.$ZodType): z.ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const known = z.object(
        Object.fromEntries(Object.entries(def.shape).map(([key, value]) => [key, relax(value)])),
      );
      // A closed object's rest is `never`: unknown keys are passed over, not refused.
      const rest = def.catchall;
      const object = rest && rest._zod.def.type !== 'never' ? known.catchall(relax(rest)) : known;
      const empty = object.safeParse({});
      return empty.success ? object.nullish().transform((value) => value ?? empty.data) : object;
    }
    case 'array':
      return z
        .array(relax(def.element))
        .nullish()
        .transform((items) => items ?? []);
    case 'nullable':
      return relax(def.innerType)
        .nullish()
        .transform((value) => value ?? null);
    case 'optional':
      return relax(def.innerType).optional();
    case 'boolean': {
      const absent = onWhereAbsent.has(schema);
      return z
        .boolean()
        .nullish()
        .transform((value) => value ?? absent);
    }
    case 'enum':
    case 'string':
      return z.string();
    case 'number':
      return z.number();
    case 'record':
      return z
        .record(z.string(), relax(def.valueType))
        .nullish()
        .transform((value) => value ?? {});
    case 'union':
      return z.union(def.options.map(relax));
    case 'unknown':
      // A missing key of any content is null, as every absent value.
      return z.unknown().transform((value) => value ?? null);
    case 'literal':
    case 'null':
    case 'tuple':
      return schema as z.ZodType;
    default:
      // A kind that no answer of the contract has yet; better found by the first test than read wrongly.
      throw new TypeError(`tolerant() does not know the schema kind "${def.type}"`);
  }
}

/** A list is also read from a bare array, or from an object that names its items otherwise (`{ data }`, `{ statuses, groups }`). */
function relaxList(schema: z.core.$ZodType): z.ZodType {
  return z.preprocess((value) => {
    if (Array.isArray(value))
      return { items: value, totalCount: value.length, nextCursor: null, responseType: 'default' };
    if (typeof value !== 'object' || value === null) return value;
    const body = value as Record<string, unknown>;
    const items = [body['items'], body['data'], body['statuses']].find((named) => Array.isArray(named));
    if (items === undefined) return value;
    return {
      ...body,
      items: items as unknown[],
      totalCount: body['totalCount'] ?? items.length,
      responseType: body['responseType'] ?? 'default',
    };
  }, relaxKind(schema));
}
