import { defineConfig } from 'vitest/config';

import { projects, ROOT } from './vitest-projects.ts';

const LIMIT_MS = 60_000;

/**
 * `npm test` for a copy of the checkout with a planted bug of the engine: a test that takes longer has found it, and
 * may leave a transaction open for which its hook would wait. Limits on the command line do not count for projects.
 */
export default defineConfig({
  test: { root: ROOT, projects: projects('test/', { testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS }) },
});
