import { z } from 'zod';

import { personRole } from './enums.ts';
import { id, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';
import { user } from './user.ts';

/** A signed-in person's session as lists show it (beyond the specification): never its token. */
export const session = z
  .strictObject({
    id,
    workspaceId: id,
    userId: id,
    /** Where the person signed in. */
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    /** Whether the request was made with this session. */
    current: z.boolean(),
    createdAt: timestamp,
    lastSeenAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof session>;

export const sessionList = list(session);

export const sessionListQuery = listQuery({
  sortBy: ['createdAt', 'lastSeenAt', 'expiresAt'],
  groupBy: ['userId'],
  filters: { userId: id.nullish() },
});

/** `GET /session` (beyond the specification): who is signed in, and what they may do. */
export const ownSession = z
  .strictObject({
    ...session.shape,
    user,
    role: personRole,
    /** The queues of an agent; null: every queue of the workspace. */
    queueIds: z.array(id).nullable(),
  })
  .meta({ id: 'OwnSession' });
export type OwnSession = z.output<typeof ownSession>;
