import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { onTestFinished } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** One change of the source; `from` occurs in the file exactly once. */
export interface Patch {
  file: string;
  from: string;
  to: string;
}

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

/** The text of the file after the change. */
export async function patchedFile({ file, from, to }: Patch): Promise<string> {
  const source = await readFile(path.join(ROOT, file), 'utf8');
  const places = source.split(from).length - 1;
  if (places !== 1)
    throw new Error(
      `The patch of ${file} does not apply any more, mend the patch: what it replaces stands there ${places} times:\n${from}`,
    );
  return source.replace(from, () => to);
}
