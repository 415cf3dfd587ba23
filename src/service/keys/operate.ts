import { randomBytes } from 'node:crypto';

import type { Role } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase, transaction } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { writeAudit } from '../audit/write.ts';
import { migrations, SCHEMA } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { installKey } from './install.ts';
import { revokeKey } from './revoke.ts';

export interface ListedKey {
  id: string;
  /** The start of the key, so that its owner recognises it. */
  prefix: string;
  name: string;
  role: Role;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** The keys of all workspaces, for the service's operator on its own database. */
export interface Keys extends Running {
  list(): Promise<ListedKey[]>;
  /** Creates a key, which is shown only once and not stored. Rejects if the service has no workspace yet. */
  create(key: { name: string; role: Role }): Promise<string>;
  /** Revokes a key immediately. Returns whether there was a valid key with that id. */
  revoke(id: string): Promise<boolean>;
}

export async function openKeys(
  databaseUrl: string,
  { log, clock, newId }: { log: Log; clock: Clock; newId: NewId },
): Promise<Keys> {
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 2 });
  const { db } = database;
  await migrate(database, migrations);
  const tools = { newId, randomBytes };
  return {
    list: async () => {
      const rows = await db.selectFrom('api_key').selectAll().orderBy('created_at').execute();
      return rows.map((row) => ({
        id: row.id,
        prefix: row.prefix,
        name: row.name,
        role: row.role,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },
    create: async (key) => (await installKey(db, { tools, log, now: clock.now() }, key)).token,
    revoke: (id) =>
      transaction(db, async (tx) => {
        const now = clock.now();
        const revoked = await revokeKey(tx, { id }, now);
        if (!revoked) return false;
        const reason = 'The operator revoked an API key.';
        const entry = { workspaceId: revoked.workspace_id, subjectId: id, reason };
        await writeAudit(tx, { newId, now }, { action: 'api-key.revoked', ...entry });
        return true;
      }),
    stop: () => database.close(),
  };
}
