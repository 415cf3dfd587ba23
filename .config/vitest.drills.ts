import { defineConfig } from 'vitest/config';

import { LONG } from '../test/drills/drill.ts';
import { projects, ROOT } from './vitest-projects.ts';

const MINUTE = 60_000;
const LIMIT_MS = (LONG ? 600 : 30) * MINUTE;

/** Long runs, random seeds, storms and backups: `npm run test:drills`. */
export default defineConfig({
  test: {
    root: ROOT,
    teardownTimeout: 20_000,
    // Drills wait more than they work.
    maxWorkers: 3,
    projects: projects('test/drills/', { testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS }),
  },
});
