import { defineConfig } from 'vitest/config';

import { projects, ROOT } from './vitest-projects.ts';

const MINUTE = 60_000;
/** Set by `--long`. */
const LONG = Boolean(process.env['DRILL_LONG']);
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
