import { defineConfig } from 'vitest/config';

const root = `${import.meta.dirname}/..`;

/** Pages in chromium, element by element: `npm run test:browser`. */
export default defineConfig({
  test: {
    ...{ root, include: ['test/browser/**/*.test.ts'], isolate: false, maxWorkers: 2 },
    ...{ testTimeout: 60_000, hookTimeout: 60_000, teardownTimeout: 20_000 },
    globalSetup: [`${root}/test/harness/cluster.ts`],
  },
});
