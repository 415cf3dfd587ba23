import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

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
