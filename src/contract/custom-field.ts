import { z } from 'zod';

import { customFieldType } from './enums.ts';
import { id, name, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';

/** Specification, Resources, Request type: an option as request types return it. */
export const customFieldOption = z.strictObject({
  id,
  value: z.string(),
  order: z.int(),
  description: z.string().nullable(),
  color: z.string().nullable(),
  icon: z.string().nullable(),
  customFieldId: id,
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** Specification, Resources, Custom field. */
export const customField = z
  .strictObject({
    id,
    workspaceId: id,
    key: z.string(),
    label: z.string(),
    description: z.string().nullable(),
    required: z.boolean(),
    system: z.boolean(),
    type: customFieldType,
    config: z.unknown(),
    options: z.array(customFieldOption),
    createdAt: timestamp,
    updatedAt: timestamp,
    /** The number of request types that use the field. */
    _count: z.strictObject({ requestTypeCustomField: z.int() }).nullable(),
  })
  .meta({ id: 'CustomField' });
export type CustomField = z.output<typeof customField>;

export const customFieldList = list(customField);

export const customFieldListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'label', 'key'],
  groupBy: ['type'],
  filters: { type: customFieldType.nullish() },
});

/** The name of the field in a ticket's `customFields`. */
const key = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,99}$/, 'Expected a letter, then letters, digits, _ or -');

const options = z
  .array(
    z.object({
      value: name,
      order: z.int().min(0).max(1_000_000).nullish(),
      color: shortText.nullish(),
      description: shortText.nullish(),
      icon: shortText.nullish(),
    }),
  )
  .max(LIMITS.arrayItems)
  .refine(
    (given) => new Set(given.map(({ value }) => value.trim())).size === given.length,
    'Duplicate option',
  );

/**
 * `PUT /custom-fields/{id}` (beyond the specification); `options` are replaced as a whole, and known values keep their
 * ids.
 */
export const customFieldUpdate = z.object({
  label: name.nullish(),
  description: z.string().max(LIMITS.ticketDescription).nullish(),
  required: z.boolean().nullish(),
  config: z.record(z.string().max(LIMITS.shortText), z.unknown()).nullish(),
  options: options.nullish(),
});

/** `POST /custom-fields` (beyond the specification); without a `key` it is derived from the label. */
export const customFieldCreate = customFieldUpdate.extend({
  key: key.nullish(),
  label: name,
  type: customFieldType,
  workspaceId: id.nullish(),
});
