import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { onTestFinished } from 'vitest';

import { type Patch, patchedFile } from './patch.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/**
 * A patched copy of the program, removed with the test.
 * @returns its launcher.
 */
export async function patchedLauncher(patches: readonly Patch[]): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'deskbridge-patched-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const name of ['src', 'package.json', 'manifest.yml'])
    await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  for (const patch of patches) await writeFile(path.join(copy, patch.file), await patchedFile(patch));
  return path.join(copy, 'src/launch.js');
}
