import { type Config, credentialsOf } from './config.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded.ts';
import { databaseErrorCode, databaseVersion } from '../platform/database/open.ts';
import { requireDirectory } from '../platform/directory.ts';
import { type Parts, StartError } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';

/** The oldest supported version of Postgres. */
const POSTGRES_FLOOR = 15;

/** Checks that the given database can be used before anything else is started; the error says why not. */
async function checkDatabase(url: string): Promise<void> {
  const advice = 'Start it, or correct DATABASE_URL. Without DATABASE_URL the embedded database is used.';
  let version: number;
  try {
    version = await databaseVersion(url);
  } catch (error) {
    const reason =
      databaseErrorCode(error) ??
      (error instanceof Error && 'code' in error ? String(error.code) : 'no answer');
    throw new StartError(`The database at DATABASE_URL cannot be used (${reason}). ${advice}`, {
      cause: error,
    });
  }
  if (version < POSTGRES_FLOOR)
    throw new StartError(
      `The database at DATABASE_URL is Postgres ${version}; deskbridge needs ${POSTGRES_FLOOR} or newer.`,
    );
}

/** The programs whose schemas something works with. */
export type Schemas = 'service' | 'bridge';

/**
 * Returns the URL of a database whose schemas this version can use: the configured database, or the embedded one,
 * started as one of `parts`. All schemas are looked at before the first is changed.
 * @param uses the programs whose schemas will be used.
 * @throws StartError if the database cannot be used; then nothing in it was changed.
 */
export async function databaseFor(
  config: Config,
  parts: Parts,
  log: Log,
  uses: readonly Schemas[],
): Promise<string> {
  const url = await openedDatabase(config, parts, log);
  if (uses.includes('service')) {
    const { checkServiceSchema } = await import('../service/index.ts');
    await checkServiceSchema(url, log);
  }
  if (uses.includes('bridge')) {
    const { checkBridgeSchemas } = await import('../bridge/index.ts');
    await checkBridgeSchemas(url, log, credentialsOf(config) !== undefined);
  }
  return url;
}

async function openedDatabase(config: Config, parts: Parts, log: Log): Promise<string> {
  if (config.DATABASE_URL) {
    await checkDatabase(config.DATABASE_URL);
    return config.DATABASE_URL;
  }
  await requireDirectory(config.DATA_DIR);
  return parts.add('database', await startEmbeddedPostgres({ dataDir: config.DATA_DIR, log })).url;
}
