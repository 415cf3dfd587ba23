import { defineConfig } from 'vitest/config';

import { projects, ROOT } from './vitest-projects.ts';

/** Pages in chromium, element by element: `npm run test:browser`. */
export default defineConfig({
  test: { root: ROOT, teardownTimeout: 20_000, maxWorkers: 3, projects: projects('test/browser/') },
});
