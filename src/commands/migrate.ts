import { migrateBridge } from '../bridge/index.ts';
import { Parts } from '../platform/lifecycle.ts';
import { databaseFor } from '../programs.ts';
import { migrateService } from '../service/index.ts';
import type { CliCommand } from './command.ts';

/** Brings the database up to date without starting anything; safe to run from several places at once. */
export const migrateAll: CliCommand = {
  does: 'bring the database up to date, then end',
  async run({ config, around: { log } }) {
    const parts = new Parts(log);
    try {
      const url = await databaseFor(config, parts, log);
      if (config.embeddedService) await migrateService(url, log);
      await migrateBridge(url, log);
      log.info('the database is up to date');
    } finally {
      await parts.stop();
    }
  },
};
