import { onTestFinished } from 'vitest';

import { migrateBridge } from '../../src/bridge/index.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { type Database, openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { migratedDatabase } from './database.ts';

const log = createLog({ level: 'silent', pretty: false });

/** An empty database of the bridge for the running test, which is closed with it. */
export async function bridgeDatabase(
  poolSize: number,
): Promise<{ database: Database<BridgeTables>; url: string }> {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  // A busy machine takes its time for many statements at once.
  const database = openDatabase<BridgeTables>({ url, schema: 'bridge', log, poolSize, waitMs: 30_000 });
  onTestFinished(() => database.close());
  return { database, url };
}
