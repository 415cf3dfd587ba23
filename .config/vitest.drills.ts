import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { LONG } from '../test/drills/drill.ts';
import { projects, ROOT } from './vitest-projects.ts';

const MINUTE = 60_000;
const LIMIT_MS = (LONG ? 600 : 30) * MINUTE;

/** Short files that run for minutes: begun last, as the smallest, they would go on alone when all others are done. */
const LONG_RUNNING = /\/(engine-bugs|notices-kill|bridge-kill|workflow-chat-kill|foreign-texts)\.test\.ts$/;

class LongRunningFirst extends BaseSequencer {
  /** Of each project, whose files a worker runs one after the other. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const names = [...new Set(sorted.map(({ project }) => project.name))];
    const rank = ({ project, moduleId }: TestSpecification) =>
      2 * names.indexOf(project.name) + (LONG_RUNNING.test(moduleId) ? 0 : 1);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Long runs, random seeds, storms and backups: `npm run test:drills`. */
export default defineConfig({
  test: {
    root: ROOT,
    teardownTimeout: 20_000,
    // Drills wait more than they work.
    maxWorkers: 3,
    sequence: { sequencer: LongRunningFirst },
    projects: projects('test/drills/', { testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS }),
  },
});
