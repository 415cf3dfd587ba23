import { z } from 'zod';

import { id, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** A program that a person connected by OAuth, and what it may do as them (beyond the specification). */
export const connection = z
  .strictObject({
    id,
    workspaceId: id,
    userId: id,
    /** What the program says that it is. */
    name: z.string(),
    /** Where it got its code. */
    redirectUri: z.string(),
    scopes: z.array(z.string()),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
    /** Unless it is used until then. */
    expiresAt: timestamp,
  })
  .meta({ id: 'Connection' });
export type Connection = z.output<typeof connection>;

export const connectionList = list(connection);

export const connectionListQuery = listQuery({
  sortBy: ['createdAt', 'lastUsedAt'],
  groupBy: ['userId'],
  filters: { userId: id.nullish() },
});
