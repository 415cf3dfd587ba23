import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** One change of the source; `from` occurs in the file exactly once. */
export interface Patch {
  file: string;
  from: string;
  to: string;
}

/** The text of the file after the change. */
export async function patchedFile(patch: Patch): Promise<string> {
  return patched(await readFile(path.join(ROOT, patch.file), 'utf8'), patch);
}

/** Returns a source after the change. */
export function patched(source: string, { file, from, to }: Patch): string {
  const places = source.split(from).length - 1;
  if (places !== 1)
    throw new Error(
      `The patch of ${file} does not apply any more, mend the patch: what it replaces stands there ${places} times:\n${from}`,
    );
  return source.replace(from, () => to);
}
