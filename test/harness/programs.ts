import { migrateBridge } from '../../src/bridge/index.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { MIGRATIONS } from '../../src/sandbox/schema/migrations.ts';
import { migrateService } from '../../src/service/index.ts';
import { migratedDatabase, type TestDatabase } from './database.ts';

/**
 * A database with the empty tables of service, bridge and sandbox, copied: made anew by each program that a test starts,
 * they took longer than most tests do. That programs make them is shown where migrations are tested.
 */
export async function programsDatabase(): Promise<TestDatabase> {
  return migratedDatabase('programs', async (url) => {
    const log = createLog({ level: 'silent', pretty: false });
    await migrateService(url, log);
    await migrateBridge(url, log);
    const sandbox = openDatabase<object>({ url, schema: 'sandbox', log, poolSize: 1 });
    await migrate(sandbox, MIGRATIONS);
    await sandbox.close();
  });
}
