import { createWriteStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import {
  AnsweredError,
  type Client,
  createClient,
  createFileClient,
  ServiceError,
  workspaceIdsOf,
} from '../client/index.ts';
import { makeDirectory } from '../platform/directory.ts';
import { StartError } from '../platform/lifecycle.ts';
import { serviceFor } from '../start/connection.ts';
import { type Run, UsageError } from './command.ts';
import { EXPORTED } from './exported.ts';
import { writeContents } from './file-contents.ts';
import { progress } from './progress.ts';

const USAGE = 'Usage: `deskbridge export <folder>`. The folder must be new or empty.';
/** Without a terminal, one line for this many records. */
const SHOWN_EVERY = 5_000;
/** Waits for a busy service, or one that asks for a pause, but not for one that is unreachable. */
const PATIENCE = { attemptTimeoutMs: 60_000, totalTimeoutMs: 300_000 };

/**
 * Writes all records of the service as files with one JSON record per line, over its API, so it works with any service.
 */
export const exportCommand: Run = async ({
  config,
  around: { clock, random, version },
  positionals,
  terminal,
}) => {
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError(USAGE);
  await makeEmpty(folder);
  const { url, ...access } = await serviceFor(config);
  const service = createClient({ ...access, ...PATIENCE, baseUrl: url, now: () => clock.now(), random });
  const files = createFileClient({ ...access, baseUrl: url });
  const show = progress(terminal, SHOWN_EVERY);
  const startedAt = clock.now();
  const counts: Record<string, number | null> = {};
  try {
    await recordExport(service);
    for (const [name, records] of Object.entries(EXPORTED))
      counts[name] = await writeRecords(path.join(folder, `${name}.ndjson`), service, records, (done) =>
        show(`${name}: ${done}`),
      );
    await writeContents(folder, files, (done) => show(`contents of files: ${done}`));
  } catch (error) {
    if (error instanceof ServiceError) throw unfinished(error, url);
    throw error;
  } finally {
    await Promise.all([service.close(), files.close()]);
  }
  const about = { service: url, deskbridge: version, startedAt, finishedAt: clock.now(), counts };
  // Written last: if it exists, the export is complete.
  await writeFile(path.join(folder, 'export.json'), `${JSON.stringify(about, undefined, 2)}\n`, {
    mode: 0o600,
  });
  const total = Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  show.end(`${total} records were written to ${folder}.`);
};

/** Records the export in the audit log of each workspace, before the first record is read. */
async function recordExport(service: Client): Promise<void> {
  const entry = {
    action: 'data.exported',
    reason: 'All records were exported by `deskbridge export`.',
  } as const;
  for (const workspaceId of await workspaceIdsOf(service))
    try {
      await service.createAuditEntry({ body: { ...entry, workspaceId } });
    } catch (error) {
      // Another service, without an audit log.
      if (!(error instanceof AnsweredError && error.missing)) throw error;
    }
}

/** It will contain tickets and messages: no other user of this machine may read it. */
async function makeEmpty(folder: string): Promise<void> {
  try {
    await makeDirectory(folder, 0o700);
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`${folder} cannot be written (${code}). ${USAGE}`, { cause: error });
  }
  throw new UsageError(`${folder} is not empty. ${USAGE}`);
}

/** @returns the number of records in the file; null if this service has no such records. */
async function writeRecords(
  file: string,
  service: Client,
  records: (service: Client) => AsyncIterable<object>,
  onRecord: (done: number) => void,
): Promise<number | null> {
  let done = 0;
  async function* lines() {
    for await (const record of records(service)) {
      yield `${JSON.stringify(record)}\n`;
      onRecord(++done);
    }
  }
  try {
    await pipeline(Readable.from(lines()), createWriteStream(file, { mode: 0o600 }));
    return done;
  } catch (error) {
    if (error instanceof AnsweredError && error.missing && done === 0) return null;
    throw error;
  }
}

function unfinished(error: ServiceError, url: string): StartError {
  const refused = error instanceof AnsweredError && (error.status === 401 || error.status === 403);
  const advice = refused
    ? 'SERVICE_API_TOKEN must be an admin key of it.'
    : 'Start it, or check SERVICE_URL; then export again, to a new folder.';
  return new StartError(`The export is incomplete: at ${url}, ${error.message}. ${advice}`, { cause: error });
}
