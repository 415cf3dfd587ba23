import { constants } from 'node:fs';
import { access, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { StartError } from './lifecycle.ts';

/**
 * Creates a directory and its parents, like `mkdir -p`. Node's own `recursive` retries forever if the system says
 * ENOENT although the parent exists, as below /proc or below a link to a disk that is not mounted.
 * @throws the system's error, with its code and path, if the directory cannot exist.
 */
export async function makeDirectory(directory: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(directory, mode);
  } catch (error) {
    const above = path.dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === directory) throw error;
    await makeDirectory(above, mode);
    await makeOne(directory, mode);
  }
}

async function makeOne(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    const found = await stat(directory).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}

/**
 * Makes sure that a directory exists and that this program may read and change it and what is in it.
 * @throws DirectoryError whose message names the directory, the owner and what to do.
 */
export async function requireDirectory(directory: string): Promise<void> {
  const place = path.resolve(directory);
  try {
    await makeDirectory(place);
  } catch (error) {
    throw new DirectoryError(
      `The folder ${place} cannot be created (${codeOf(error)}). Create it for this program.`,
      error,
    );
  }
  await requireAccess(place, place, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const entry of await readdir(place, { withFileTypes: true })) {
    const mode = constants.R_OK | constants.W_OK;
    await requireAccess(
      place,
      path.join(place, entry.name),
      entry.isDirectory() ? mode | constants.X_OK : mode,
    );
  }
}

/** A directory that cannot be used; the message says why. */
export class DirectoryError extends StartError {
  override readonly name = 'DirectoryError';

  constructor(message: string, cause: unknown) {
    super(`${message} Or set DATA_DIR to another folder.`, { cause });
  }
}

async function requireAccess(directory: string, file: string, mode: number): Promise<void> {
  try {
    await access(file, mode);
  } catch (error) {
    const code = codeOf(error);
    // Removed meanwhile, as the files of a program that has just stopped are.
    if (code === 'ENOENT') return;
    const owner = (await stat(file).catch(() => undefined))?.uid;
    const user = process.getuid?.();
    throw new DirectoryError(whyUnusable({ directory, file, code, owner, user }), error);
  }
}

/** Returns what is wrong with a file of a directory, or with the directory itself, and what to do; ids are of users. */
export function whyUnusable({
  directory,
  file,
  code,
  owner,
  user,
}: {
  directory: string;
  file: string;
  code: string;
  owner: number | undefined;
  user: number | undefined;
}): string {
  if (code === 'EROFS') return `The folder ${directory} is on a file system that is read-only.`;
  const what = file === directory ? `The folder ${directory}` : `${path.basename(file)} in ${directory}`;
  const remedy =
    user === undefined || owner === user
      ? `Let its owner read and write it (chmod -R u+rwX ${directory}).`
      : `Hand the folder over (sudo chown -R ${user} ${directory}) or run deskbridge as its owner.`;
  return `${what} cannot be used (${code}): it belongs to ${userOf(owner)}, and this program runs as ${userOf(user)}. ${remedy}`;
}

const userOf = (uid: number | undefined) => (uid === 0 ? 'root' : `user ${uid ?? 'unknown'}`);

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
