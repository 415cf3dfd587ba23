import { z } from 'zod';

import { id, name, shortText, timeZone, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';

const time = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'Expected a time of day from 00:00 to 24:00, like 09:00');

const span = z.strictObject({ day: z.int().min(1).max(7), from: time, to: time });
const holiday = z.strictObject({ date: z.iso.date(), name: shortText });

/** When a team works (beyond the specification): targets of queues are counted in this time. */
export const businessHours = z
  .strictObject({
    id,
    name: z.string(),
    workspaceId: id,
    timeZone: z.string(),
    /** Spans of working time: day 1 is Monday, 7 is Sunday. A day may have several. */
    days: z.array(z.strictObject({ day: z.int(), from: z.string(), to: z.string() })),
    /** Dates without working time. */
    holidays: z.array(z.strictObject({ date: z.string(), name: z.string() })),
    /** The hours of every queue that names none. At most one record of a workspace is its default. */
    isDefault: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'BusinessHours' });
export type BusinessHours = z.output<typeof businessHours>;

export const businessHoursList = list(businessHours);

export const businessHoursListQuery = listQuery({
  sortBy: ['name', 'createdAt', 'updatedAt'],
  groupBy: ['timeZone'],
  filters: {},
});

const written = {
  name,
  timeZone,
  days: z.array(span).max(LIMITS.businessHours.spans),
  holidays: z.array(holiday).max(LIMITS.businessHours.holidays),
  isDefault: z.boolean(),
};

/** `PUT /business-hours/{id}`: absent fields stay. */
export const businessHoursUpdate = z.object(written).partial();

/** `POST /business-hours`. */
export const businessHoursCreate = z.object({
  ...written,
  holidays: written.holidays.optional(),
  isDefault: written.isDefault.optional(),
  workspaceId: id.nullish(),
});
