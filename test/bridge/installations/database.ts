import { migrations, SCHEMA } from '../../../src/bridge/installations/installations.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { openDatabase } from '../../../src/platform/database/open.ts';
import { createLog } from '../../../src/platform/log.ts';
import { migratedDatabase } from '../../harness/database.ts';

/** The URL of a database without installations. */
export async function installationsDatabase(): Promise<string> {
  const log = createLog({ level: 'silent', pretty: false });
  const { url } = await migratedDatabase('installations', async (template) => {
    const database = openDatabase<object>({ url: template, schema: SCHEMA, log, poolSize: 1 });
    await migrate(database, migrations);
    await database.close();
  });
  return url;
}
