import { z } from 'zod';

import { isList } from './lists.ts';

/** Booleans that default to true: if a service does not send one, it is true. Any other absent boolean is false. */
export const onWhereAbsent = z.registry<{ absent: true }>();

type AnyString = string & Record<never, never>;

/** `T` as a client may receive it: any string may replace an enum value. */
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
 * Returns the schema by which a client parses what another implementation of the specification sends: any string for an
 * enum, unknown keys ignored, a missing or null nullable is null, a missing array or record is empty, a missing boolean
 * false (true if registered as `onWhereAbsent`), and a missing object with only optional fields is one without any.
 * Required strings, numbers and objects stay required, and literals stay unchanged (they discriminate unions).
 * Responses of our own service are parsed unchanged.
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
      // A closed object's rest is `never`: unknown keys are ignored, not rejected.
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
      // A missing key of any type is null, like every absent value.
      return z.unknown().transform((value) => value ?? null);
    case 'literal':
    case 'null':
    case 'tuple':
      return schema as z.ZodType;
    default:
      // A type that no response of the contract has yet; better found by the first test than parsed wrongly.
      throw new TypeError(`tolerant() does not know the schema kind "${def.type}"`);
  }
}

/**
 * A list may also be a bare array, or an object with another name for its items (`{ data }`, `{ statuses, groups }`).
 */
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
