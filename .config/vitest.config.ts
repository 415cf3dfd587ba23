import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ['test/**/*.test.ts'],
    globalSetup: [`${import.meta.dirname}/../test/harness/cluster.ts`],
    // Half as many again as CI has cores: scenarios wait more than they work. One database cluster serves them all.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
