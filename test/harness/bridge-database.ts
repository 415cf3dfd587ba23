import { onTestFinished } from 'vitest';

import { migrateBridge } from '../../src/bridge/index.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { type Database, openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { CONNECTION_WAIT_MS, migratedDatabase } from './database.ts';

const log = createLog({ level: 'silent', pretty: false });

/** An empty database of the bridge for the running test, which is closed with it. */
export async function bridgeDatabase(
  poolSize: number,
): Promise<{ database: Database<BridgeTables>; url: string }> {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  const database = openDatabase<BridgeTables>({
    url,
    schema: 'bridge',
    log,
    poolSize,
    waitMs: CONNECTION_WAIT_MS,
  });
  onTestFinished(() => database.close());
  return { database, url };
}
