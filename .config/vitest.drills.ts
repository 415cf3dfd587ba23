import { defineConfig } from 'vitest/config';

import { testFiles } from './database-tests.ts';

const root = `${import.meta.dirname}/..`;
const patience = { testTimeout: 120_000, hookTimeout: 60_000, teardownTimeout: 20_000 };
const files = testFiles('test/drills/');

/** Long runs, random seeds, upgrades, storms and backups: `npm run test:drills`. */
export default defineConfig({
  test: {
    root,
    // Drills wait more than they work.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...{ name: 'database', root, include: files.database, ...patience },
          globalSetup: [`${root}/test/harness/cluster.ts`],
        },
      },
      { test: { name: 'alone', root, include: files.alone, ...patience } },
    ],
  },
});
