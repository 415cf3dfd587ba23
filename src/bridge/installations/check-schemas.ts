import { pendingMigrations } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import { SCHEMA as BRIDGE_SCHEMA } from '../bridge.ts';
import { migrations as bridgeMigrations } from '../schema/migrations.ts';
import { migrations, SCHEMA } from './installations.ts';
import type { InstallationTables } from './tables.ts';

/**
 * Checks that this version can use all schemas of a bridge, without changing anything.
 * @param isInstalled whether workspaces install the app themselves: then each of them has a schema of its own.
 * @throws MigrationError for the first schema that it cannot use.
 */
export async function checkBridgeSchemas(databaseUrl: string, log: Log, isInstalled: boolean): Promise<void> {
  const database = openDatabase<InstallationTables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  try {
    if (!isInstalled) {
      await pendingMigrations({ ...database, schema: BRIDGE_SCHEMA }, bridgeMigrations);
      return;
    }
    const pending = await pendingMigrations(database, migrations);
    const isEmpty = pending.length === migrations.length;
    const workspaces = isEmpty
      ? []
      : await database.db.selectFrom('workspace').select('schema').orderBy('schema').execute();
    for (const { schema } of workspaces) await pendingMigrations({ ...database, schema }, bridgeMigrations);
  } finally {
    await database.close();
  }
}
