import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, inject, onTestFinished, test } from 'vitest';

// For its type: what the run provides.
import type {} from '../harness/database.ts';
import { drawn } from './drill.ts';
import { ENGINE_BUGS } from './engine-bugs.ts';
import { type Patch, patchedFile } from './harness/patch.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const chosen = drawn(Object.entries(ENGINE_BUGS), 5);

test.each(chosen)("the engine's tests find %s", async (_, { patch, finds }) => {
  expect(await failedTests(patch, finds)).not.toEqual([]);
});

test('each planted bug has its place in the code as it is', async () => {
  for (const { patch } of Object.values(ENGINE_BUGS)) expect(await patchedFile(patch)).toContain(patch.to);
});

/** Returns the name of the first of these tests of the engine that fails in a copy of the checkout with this patch. */
async function failedTests(patch: Patch, finds: RegExp): Promise<string[]> {
  const copy = await mkdtemp(path.join(tmpdir(), 'deskbridge-engine-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const name of ['src', 'test', '.config', 'package.json', 'tsconfig.json'])
    await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  await writeFile(path.join(copy, patch.file), await patchedFile(patch));
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      '--config',
      '.config/vitest.engine-bugs.ts',
      '--reporter=json',
      '--outputFile=report.json',
      // A test that finds it is enough; most others would wait for work that never ends.
      '--bail=1',
      `--testNamePattern=${finds.source}`,
      'test/platform/engine',
    ],
    {
      cwd: copy,
      env: { ...process.env, TEST_DATABASE_URL: inject('adminUrl') },
      stdio: 'ignore',
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'exit');
  const { testResults } = JSON.parse(await readFile(path.join(copy, 'report.json'), 'utf8')) as Report;
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
}

interface Report {
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}
