import { z } from 'zod';

import { role, source } from './enums.ts';
import { id, idInputs, name, timestamp } from './fields.ts';
import { flag, list, listQuery } from './lists.ts';

/** An API key as its list shows it (beyond the specification): never the key itself. */
export const apiKey = z
  .strictObject({
    id,
    /** The first characters of the key, so that people recognise it. */
    prefix: z.string(),
    name: z.string(),
    role,
    /** The kind of program that uses the key: the `actor.source` of the events of its changes. */
    source,
    /** The home workspace, used if a call names none. */
    workspaceId: id,
    /** All workspaces the key can access, the home one first. */
    workspaceIds: z.array(id),
    /** The queues whose tickets it reads and writes; null: all of its workspaces. */
    queueIds: z.array(id).nullable(),
    /** The service user created with the key: the default author of what it writes. */
    userId: id.nullable(),
    /** The person who made it, also by another key that they made; null: the operator. */
    madeById: id.nullable(),
    /** Since when it is refused because that person is no longer an active admin; an admin can take it over. */
    stoppedAt: timestamp.nullable(),
    /** Requests per minute; null is the service's default, 0 no limit. */
    rateLimit: z.int().nullable(),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof apiKey>;

/** The response of `POST /api-keys`, the only one that contains the key. */
export const createdApiKey = z
  .strictObject({ ...apiKey.shape, key: z.string() })
  .meta({ id: 'CreatedApiKey' });

export const apiKeyList = list(apiKey);

export const apiKeyListQuery = listQuery({
  sortBy: ['createdAt', 'name', 'lastUsedAt'],
  groupBy: ['role'],
  filters: {
    madeById: id.nullish(),
    /** Also those that stopped because the person who made them left. */
    includeStopped: flag,
  },
});

/** `POST /api-keys` (beyond the specification). */
export const apiKeyCreate = z.object({
  name,
  role,
  /** `API` when absent. */
  source: source.nullish(),
  workspaceId: id.nullish(),
  workspaceIds: idInputs.nullish(),
  /** Absent or null: all. A key with the role `admin` has all. */
  queueIds: idInputs.nullish(),
  rateLimit: z.int().min(1).max(1_000_000).nullish(),
});
