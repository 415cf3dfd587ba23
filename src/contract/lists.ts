import { z } from 'zod';

import { responseType, sortDirection } from './enums.ts';
import { id, shortText } from './fields.ts';
import { LIMITS } from './limits.ts';

const listSchemas = new WeakSet<z.ZodType>();

/** The response of a list endpoint (specification, Shared list parameters). */
export function list<Item extends z.ZodType>(item: Item) {
  const schema = z.strictObject({
    items: z.array(item),
    totalCount: z.int().min(0),
    nextCursor: z.string().nullable(),
  });
  listSchemas.add(schema);
  return schema;
}

/** The response of a list with `responseType`, which it echoes. */
export function typedList<Item extends z.ZodType, Type extends 'default' | 'thin'>(item: Item, type: Type) {
  const schema = z.strictObject({
    items: z.array(item),
    totalCount: z.int().min(0),
    nextCursor: z.string().nullable(),
    responseType: responseType.extract([type]),
  });
  listSchemas.add(schema);
  return schema;
}

/** Returns a list response with additional fields. */
export function extended<S extends z.ZodRawShape, const M extends z.ZodRawShape>(
  list: z.ZodObject<S, z.core.$strict>,
  more: M,
) {
  const schema = z.strictObject({ ...list.shape, ...more });
  listSchemas.add(schema);
  return schema;
}

/** Returns whether a schema is a list response, which a client also accepts as a bare array. */
export function isList(schema: z.ZodType): boolean {
  return listSchemas.has(schema);
}

/** `true` or `false`; absent means no filter. */
export const flag = z.boolean().nullish();
/** Ids with commas between them. */
export const ids = z
  .string()
  .nullish()
  .refine((given) => !given || given.split(',').length <= LIMITS.setIds, 'Too many ids');
/**
 * A filter by one value, or by several with commas between them: any of them (beyond the specification, which has one).
 * `valuesOf` takes them apart.
 */
export const several = (value: z.ZodType<string, string>) =>
  z
    .string()
    .superRefine((given, context) => {
      const { error } = z.array(value).max(LIMITS.setIds).safeParse(valuesOf(given));
      // Of the parameter as a whole: its place in the text says nothing.
      for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message });
    })
    .nullish()
    .meta({ description: 'One value, or several with commas between them: any of them.' });

/** The values of a filter by several, each once. */
export const valuesOf = (given: string): string[] => [
  ...new Set(given.split(',').map((part) => part.trim())),
];

/** An id or another short value to compare with. */
export const word = shortText.nullish();

export interface ListShape<Sort extends string, Group extends string, Filters extends z.ZodRawShape> {
  sortBy: readonly [Sort, ...Sort[]];
  groupBy: readonly [Group, ...Group[]];
  /** This list's own parameters. */
  filters: Filters;
}

/**
 * The query of a list endpoint: the shared parameters with the specification's constraints, the fields by which this
 * list can be sorted and grouped (a closed enum each), and its own filters. `null`, the empty string and absence mean
 * the same. `skip` and `offset` are the same parameter, so both at once, or either with `cursor`, is an error.
 */
export function listQuery<Sort extends string, Group extends string, Filters extends z.ZodRawShape>({
  sortBy,
  groupBy,
  filters,
}: ListShape<Sort, Group, Filters>) {
  const { defaultLimit, maxLimit, minSkip, minOffset } = LIMITS.list;
  return z
    .object({
      email: word,
      skip: z.int().min(minSkip).nullish(),
      offset: z.int().min(minOffset).nullish(),
      cursor: z.string().max(LIMITS.url).nullish(),
      limit: z
        .int()
        .min(1)
        .max(maxLimit)
        .nullish()
        .transform((limit) => limit ?? defaultLimit),
      set: ids,
      sortBy: z.enum(sortBy as [Sort, ...Sort[]]).nullish(),
      sortDirection: sortDirection.nullish(),
      groupBy: z.enum(groupBy as [Group, ...Group[]]).nullish(),
      groupDirection: sortDirection.nullish(),
      workspaceId: id.nullish(),
      search: word,
      ...filters,
    })
    .superRefine((query, context) => {
      const { skip, offset, cursor } = query as Record<string, unknown>;
      const refuse = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (present(skip) && present(offset)) refuse('offset', 'Send skip or offset, not both');
      if (present(cursor) && (present(skip) || present(offset)))
        refuse('cursor', 'Send cursor or skip/offset, not both');
    });
}

function present(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}
