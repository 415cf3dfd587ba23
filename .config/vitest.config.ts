import { defineConfig } from 'vitest/config';

import { projects, ROOT } from './vitest-projects.ts';

export default defineConfig({
  // Half as many again as CI has cores: scenarios wait more than they work. One database cluster serves them all.
  test: { root: ROOT, teardownTimeout: 20_000, maxWorkers: 3, projects: projects() },
});
