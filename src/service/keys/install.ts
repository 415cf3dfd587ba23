import { sql } from 'kysely';

import type { Role, Source } from '../../contract/index.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb, Tools } from '../handler.ts';
import { writeAudit } from '../audit/write.ts';
import { createKey } from './create.ts';
import { revokeKey } from './revoke.ts';
import { hashToken, makeToken } from './token.ts';

export interface InstallKeyOptions {
  /** A configured token of 16 characters or more; by default a new one is generated. */
  token?: string;
  name: string;
  role: Role;
  /** The kind of program that uses it; default `API`. */
  source?: Source;
  /** The home workspace; default the first one. */
  workspaceId?: string;
  /** Requests per minute; null: no limit; absent: the service's default. */
  rateLimit?: number | null;
  /** The id of the data directory that owns this key: its previous key is revoked. */
  dataDirectory?: string | undefined;
  /** No other data directory uses this database: keys of former ones are revoked, too. */
  isOnlyDirectory?: boolean;
}

/**
 * Installs a key for the service's operator. Idempotent for a given token: an existing one stays unchanged except for
 * its source, even if it was revoked, because a restart must not undo a revocation.
 */
export async function installKey(
  db: ServiceDb,
  { tools, log, now }: { tools: Pick<Tools, 'newId' | 'randomBytes'>; log: Log; now: Date },
  options: InstallKeyOptions,
): Promise<{ token: string }> {
  const token = options.token ?? makeToken(tools.randomBytes);
  const hash = hashToken(token);
  await transaction(db, async (tx) => {
    // Serializes processes that start together with the same token.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`key ${hash.toString('hex')}`}, 0))`.execute(
      tx,
    );
    const stored = await tx
      .selectFrom('api_key')
      .select(['revoked_at', 'name'])
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (stored) {
      // Installed before keys had a source.
      if (options.source !== undefined)
        await tx.updateTable('api_key').set({ source: options.source }).where('hash', '=', hash).execute();
      if (stored.revoked_at !== null)
        log.warn({ key: stored.name }, 'the given API key was revoked and stays so: give another one');
      return;
    }
    const workspaceId = options.workspaceId ?? (await firstWorkspace(tx));
    const audit = (action: 'api-key.created' | 'api-key.revoked', subjectId: string, reason: string) =>
      writeAudit(tx, { newId: tools.newId, now }, { workspaceId, action, subjectId, reason });
    const id = await createKey(tx, tools, now, {
      token,
      name: options.name,
      role: options.role,
      source: options.source ?? 'API',
      workspaceId,
      furtherWorkspaceIds: [],
      rateLimit: options.rateLimit === null ? 0 : (options.rateLimit ?? null),
      dataDirectory: options.dataDirectory,
    });
    await audit('api-key.created', id, 'The operator created an API key.');
    if (options.dataDirectory === undefined) return;
    const owned = tx.selectFrom('api_key').select(['id', 'prefix']);
    const former = await (
      options.isOnlyDirectory === true
        ? owned.where('data_directory', 'is not', null)
        : owned.where('data_directory', '=', options.dataDirectory)
    )
      .where('hash', '<>', hash)
      .where('revoked_at', 'is', null)
      .execute();
    for (const { id, prefix } of former) {
      await revokeKey(tx, { id }, now);
      await audit('api-key.revoked', id, 'The data directory that it belonged to has a new API key.');
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
