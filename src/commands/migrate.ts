import { migrateBridge } from '../bridge/index.ts';
import { credentialsOf, openInstallations } from '../installed.ts';
import { Parts } from '../platform/lifecycle.ts';
import { databaseFor } from '../programs.ts';
import { migrateService } from '../service/index.ts';
import type { CliCommand } from './command.ts';

/** Brings the database up to date without starting anything; safe to run from several places at once. */
export const migrateAll: CliCommand = {
  does: 'bring the database up to date, then end',
  async run({ config, around }) {
    const { log } = around;
    const parts = new Parts(log);
    try {
      const url = await databaseFor(config, parts, log);
      if (config.embeddedService) await migrateService(url, log);
      const installed = credentialsOf(config)
        ? await (await openInstallations(config, parts, around, url)).all()
        : [{ schema: undefined }];
      for (const { schema } of installed) await migrateBridge(url, log, schema);
      log.info('the database is up to date');
    } finally {
      await parts.stop();
    }
  },
};
