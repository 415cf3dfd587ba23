import { defineConfig } from 'vitest/config';

import { projects, ROOT } from './vitest-projects.ts';

/** Long runs, random seeds, storms and backups: `npm run test:drills`. */
export default defineConfig({
  test: {
    root: ROOT,
    teardownTimeout: 20_000,
    // Drills wait more than they work.
    maxWorkers: 3,
    projects: projects('test/drills/', { testTimeout: 120_000 }),
  },
});
