import { z } from 'zod';

import { id, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** An account at a provider with which a person has signed in (beyond the specification). */
export const identity = z
  .strictObject({
    id,
    workspaceId: id,
    userId: id,
    /** The provider, as it names itself. */
    issuer: z.string(),
    /** The provider's id of the account. */
    subject: z.string(),
    /** The verified address that the provider named at the latest sign-in; null: it named none. */
    email: z.string().nullable(),
    /** The Slack workspace of an account of Slack. */
    teamId: z.string().nullable(),
    /** What that is called, if it is known. */
    teamName: z.string().nullable(),
    createdAt: timestamp,
    lastUsedAt: timestamp,
  })
  .meta({ id: 'Identity' });
export type Identity = z.output<typeof identity>;

export const identityList = list(identity);

export const identityListQuery = listQuery({
  sortBy: ['createdAt', 'lastUsedAt'],
  groupBy: ['userId'],
  filters: { userId: id.nullish() },
});
