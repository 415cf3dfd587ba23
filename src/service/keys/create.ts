import { ID_PREFIXES, type Role, type Source } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { hashToken, visiblePrefix } from './token.ts';

export interface NewKey {
  token: string;
  name: string;
  role: Role;
  source: Source;
  workspaceId: string;
  furtherWorkspaceIds: readonly string[];
  /** Null: all. */
  queueIds?: readonly string[] | null;
  /** Requests per minute; null: the service's default; 0: no limit. */
  rateLimit: number | null;
  /** The person who makes it. */
  madeBy?: string | null;
  /** The id of the data directory that owns this key. */
  dataDirectory?: string | undefined;
}

/** Stores a key and its service user. */
export async function createKey(
  tx: ServiceTx,
  { newId }: Pick<Tools, 'newId'>,
  now: Date,
  key: NewKey,
): Promise<string> {
  const id = newId(ID_PREFIXES.apiKey);
  const personId = newId(ID_PREFIXES.user);
  await tx
    .insertInto('person')
    .values({
      workspace_id: key.workspaceId,
      id: personId,
      first_name: key.name,
      is_bot: true,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await tx
    .insertInto('api_key')
    .values({
      workspace_id: key.workspaceId,
      id,
      prefix: visiblePrefix(key.token),
      name: key.name,
      role: key.role,
      source: key.source,
      hash: hashToken(key.token),
      further_workspace_ids: [...key.furtherWorkspaceIds],
      queue_ids: key.queueIds ? [...key.queueIds] : null,
      person_id: personId,
      rate_limit: key.rateLimit,
      data_directory: key.dataDirectory ?? null,
      made_by: key.madeBy ?? null,
      created_at: now,
    })
    .execute();
  return id;
}
