import { sql } from 'kysely';

import type { Role, Source } from '../../contract/index.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb, Tools } from '../handler.ts';
import { createKey } from './create.ts';
import { revokeKey } from './revoke.ts';
import { hashToken, makeToken } from './token.ts';

export interface InstallKeyOptions {
  /** A token of 16 characters or more that was given to us; a new one is made when absent. */
  token?: string;
  name: string;
  role: Role;
  /** What speaks with it; `API` when absent. */
  source?: Source;
  /** The home workspace; the first one when absent. */
  workspaceId?: string;
  /** Requests a minute; null: none; absent: the service's default. */
  rateLimit?: number | null;
  /** The id of the data directory that keeps this key as its own: the former own key of that directory is revoked. */
  dataDirectory?: string | undefined;
}

/**
 * Makes a key valid, for whoever runs the service. Idempotent for a given token: one that is stored already is left
 * as it is but for its source, also where it was revoked, since a restart must not undo a revocation.
 */
export async function installKey(
  db: ServiceDb,
  { tools, log, now }: { tools: Pick<Tools, 'newId' | 'randomBytes'>; log: Log; now: Date },
  options: InstallKeyOptions,
): Promise<{ token: string }> {
  const token = options.token ?? makeToken(tools.randomBytes);
  const hash = hashToken(token);
  await transaction(db, async (tx) => {
    // Processes that start together with the same token follow each other.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`key ${hash.toString('hex')}`}, 0))`.execute(
      tx,
    );
    const stored = await tx
      .selectFrom('api_key')
      .select(['revoked_at', 'name'])
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (stored) {
      // One that was installed before keys said what speaks with them.
      if (options.source !== undefined)
        await tx.updateTable('api_key').set({ source: options.source }).where('hash', '=', hash).execute();
      if (stored.revoked_at !== null)
        log.warn({ key: stored.name }, 'the given API key was revoked and stays so: give another one');
      return;
    }
    const workspaceId = options.workspaceId ?? (await firstWorkspace(tx));
    await createKey(tx, tools, now, {
      token,
      name: options.name,
      role: options.role,
      source: options.source ?? 'API',
      workspaceId,
      furtherWorkspaceIds: [],
      rateLimit: options.rateLimit === null ? 0 : (options.rateLimit ?? null),
      dataDirectory: options.dataDirectory,
    });
    if (options.dataDirectory === undefined) return;
    const former = await tx
      .selectFrom('api_key')
      .select(['id', 'prefix'])
      .where('data_directory', '=', options.dataDirectory)
      .where('hash', '<>', hash)
      .where('revoked_at', 'is', null)
      .execute();
    for (const { id, prefix } of former) {
      await revokeKey(tx, { id }, now);
      log.warn({ key: id, prefix }, 'the data directory has a new API key: the former one is revoked');
    }
  });
  return { token };
}

async function firstWorkspace(db: ServiceDb): Promise<string> {
  const { id } = await db
    .selectFrom('workspace')
    .select('id')
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  return id;
}
