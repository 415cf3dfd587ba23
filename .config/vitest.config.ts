import { defineConfig } from 'vitest/config';

import { projects, ROOT, scenarios } from './vitest-projects.ts';

/** `npm test` and `npm run test:scenarios`, each by the names of its projects. */
export default defineConfig({
  // Twice as many as CI has cores: scenarios wait more than they work. One database cluster serves them all.
  test: { root: ROOT, teardownTimeout: 20_000, maxWorkers: 4, projects: [...projects(), scenarios()] },
});
