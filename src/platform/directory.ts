import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a directory and those above it, as `mkdir -p` does. Not by Node's own `recursive`: that one tries again for
 * ever where the system says ENOENT although the directory above is there, as below /proc or below a link to a disk
 * that is not mounted.
 * @throws the system's error, its code and path with it, where there can be no such directory.
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
