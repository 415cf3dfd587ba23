import { defineConfig } from 'vitest/config';

import { testFiles } from './database-tests.ts';

const root = `${import.meta.dirname}/..`;
const patience = { testTimeout: 60_000, hookTimeout: 60_000, teardownTimeout: 20_000 };
const files = testFiles();

export default defineConfig({
  test: {
    root,
    // Half as many again as CI has cores: scenarios wait more than they work. One database cluster serves them all.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...{ name: 'database', root, include: files.database, isolate: false, ...patience },
          globalSetup: [`${root}/test/harness/cluster.ts`],
        },
      },
      // What is the same on every Postgres: CI's second leg leaves it out.
      { test: { name: 'alone', root, include: files.alone, isolate: false, ...patience } },
    ],
  },
});
