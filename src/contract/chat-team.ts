import { z } from 'zod';

import { id, name, shortText, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/**
 * A Slack workspace or organisation that a bridge serves or the operator named (beyond the specification). The people
 * of one that is not trusted are guests of their own: matched by account only, without a role.
 */
export const chatTeam = z
  .strictObject({
    /** Slack's id: `T…` of a workspace, `E…` of an organisation. */
    id,
    name: z.string().nullable(),
    /** The organisation of a workspace; if that is trusted, so is the workspace. */
    organisationId: z.string().nullable(),
    isTrusted: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChatTeam' });
export type ChatTeam = z.output<typeof chatTeam>;

export const chatTeamList = list(chatTeam);

export const chatTeamListQuery = listQuery({
  sortBy: ['createdAt', 'name'],
  groupBy: ['isTrusted'],
  filters: {},
});

/** `PUT /chat-teams`: adds or changes one; not trusted unless said. */
export const chatTeamPut = z.object({
  id: z.string().regex(/^[TE][A-Z0-9]{1,40}$/, 'Expected the id of a Slack workspace or organisation'),
  name: shortText.nullish(),
  organisationId: name.nullish(),
  isTrusted: z.boolean().nullish(),
});
