import { migrateBridge } from '../bridge/index.ts';
import { openInstallations } from '../start/installed.ts';
import { credentialsOf } from '../start/config.ts';
import { Parts } from '../platform/lifecycle.ts';
import { databaseFor } from '../start/database.ts';
import { migrateService } from '../service/index.ts';
import type { Run } from './command.ts';

/** Migrates the database without starting anything; safe to run from several places at once. */
export const migrateAll: Run = async ({ config, around }) => {
  const { log } = around;
  const parts = new Parts(log);
  try {
    const url = await databaseFor(
      config,
      parts,
      log,
      config.embeddedService ? ['service', 'bridge'] : ['bridge'],
    );
    if (config.embeddedService) await migrateService(url, log);
    const installed = credentialsOf(config)
      ? await (await openInstallations(config, parts, around, url)).all()
      : [{ schema: undefined }];
    for (const { schema } of installed) await migrateBridge(url, log, schema);
    log.info('the database is up to date');
  } finally {
    await parts.stop();
  }
};
