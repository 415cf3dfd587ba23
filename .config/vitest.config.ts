import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ['test/**/*.test.ts'],
    globalSetup: [`${import.meta.dirname}/../test/harness/cluster.ts`],
    // Two workers: one database cluster serves the whole run, and two cores are what CI has.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
