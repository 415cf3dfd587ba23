import { z } from 'zod';

import { id, name, shortText, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** Specification, Resources, Ticket, `tags`; as a separate record it also has its workspace and timestamps. */
export const tag = z
  .strictObject({
    id,
    name: z.string(),
    color: z.string().nullable(),
    workspaceId: id,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Tag' });
export type Tag = z.output<typeof tag>;

export const tagList = list(tag);

export const tagListQuery = listQuery({
  sortBy: ['name', 'createdAt', 'updatedAt'],
  groupBy: ['color'],
  filters: {},
});

/** `PUT /tags/{id}` (beyond the specification). */
export const tagUpdate = z.object({ name: name.nullish(), color: shortText.nullish() });

/** `POST /tags` (beyond the specification); the name is unique in the workspace, ignoring case. */
export const tagCreate = tagUpdate.extend({ name, workspaceId: id.nullish() });
