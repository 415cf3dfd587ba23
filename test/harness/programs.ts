import { migrateBridge } from '../../src/bridge/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { migrateService, startService } from '../../src/service/index.ts';
import { migratedDatabase, type TestDatabase } from './database.ts';

const log = createLog({ level: 'silent', pretty: false });

/** Seals secrets in the databases of the tests' programs. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 'deskbridge tests').toString('base64');

/**
 * A copied database with the empty tables of service and bridge: migrating it for each program would take
 * longer than most tests. The tests of migrations show that programs create them.
 */
export async function programsDatabase(): Promise<TestDatabase> {
  return migratedDatabase('programs', makeTables);
}

/** The same with the demo in it, as `start --demo` creates it. */
export async function demoDatabase(): Promise<TestDatabase> {
  return migratedDatabase('demo', async (url) => {
    await makeTables(url);
    const service = await startService({
      databaseUrl: url,
      log,
      clock: systemClock,
      newId: createIds(systemClock),
      random: Math.random,
      rateLimitPerMinute: 1000,
      allowPrivateWebhooks: false,
      publicUrl: 'http://127.0.0.1',
      encryptionKeys: [Buffer.from(ENCRYPTION_KEY, 'base64')],
      retention: { days: 90 },
      version: '0.0.0',
      metrics: createMetrics(),
      poolSize: 4,
    });
    await service.seedDemo(DEMO);
    await service.stop();
  });
}

async function makeTables(url: string): Promise<void> {
  await migrateService(url, log);
  await migrateBridge(url, log);
}
