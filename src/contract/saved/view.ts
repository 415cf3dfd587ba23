import { z } from 'zod';

import { sortDirection } from '../enums.ts';
import { id, name, shortText, timestamp } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { flag, list, listQuery } from '../lists.ts';
import { TICKET_SORTS, ticketListQuery } from '../ticket-requests.ts';

/** Parameters of the ticket list that belong to a page of it, or that a view has as fields of its own. */
const NOT_FILTERS = [
  'skip',
  'offset',
  'cursor',
  'limit',
  'set',
  'responseType',
  'workspaceId',
  'sortBy',
  'sortDirection',
  'timeZone',
];

/** The parameters of the ticket list that a view may have in `filters`. */
export const VIEW_FILTERS = Object.keys(ticketListQuery.shape).filter((name) => !NOT_FILTERS.includes(name));

const sortBy = z.enum(TICKET_SORTS);

/** A saved list of tickets (beyond the specification): a person's own, or shared with all agents. */
export const view = z
  .strictObject({
    id,
    name: z.string(),
    isShared: z.boolean(),
    /** Null if a program created it, or its owner was erased. */
    ownerId: id.nullable(),
    /** Parameters of the ticket list, as in its URL. */
    filters: z.record(z.string(), z.string()),
    sortBy: sortBy.nullable(),
    sortDirection: sortDirection.nullable(),
    /** Views are shown in ascending order. */
    position: z.int(),
    workspaceId: id,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'View' });
export type View = z.output<typeof view>;

export const viewList = list(view);

export const viewListQuery = listQuery({
  sortBy: ['position', 'name', 'createdAt', 'updatedAt'],
  groupBy: ['isShared'],
  filters: {
    /** Also other people's personal views; only for admin keys, which export them. */
    includePersonal: flag,
  },
});

const filters = z
  .record(shortText, z.string().max(LIMITS.url))
  .refine((given) => Object.keys(given).every((one) => VIEW_FILTERS.includes(one)), {
    message: `A view filters by ${VIEW_FILTERS.join(', ')}`,
  });

/** `PUT /views/{id}` (beyond the specification). */
export const viewUpdate = z.object({
  name: name.nullish(),
  isShared: z.boolean().nullish(),
  filters: filters.nullish(),
  sortBy: sortBy.nullish(),
  sortDirection: sortDirection.nullish(),
  position: z.int().min(0).max(1_000_000).nullish(),
});

/** `POST /views` (beyond the specification); without `position`, it comes last. */
export const viewCreate = viewUpdate.extend({ name, workspaceId: id.nullish() });
