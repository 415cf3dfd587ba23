import { readFileSync } from 'node:fs';
import path from 'node:path';

import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createLog } from '../../src/platform/log.ts';
import { cpuSecondsOfFamily } from './proc.ts';
import { atEnd, scratch } from './programs.ts';

/** A Postgres of the rig's own, as safe against power loss as the one that deskbridge starts. */
export interface Postgres {
  /** Its directory, for a look at what it takes on the disk. */
  directory: string;
  /** The URL of a database, made when it is new. */
  database(name: string): Promise<string>;
  /** Seconds of a core that the server has used, its connections included. */
  cpu(): number;
}

export async function startPostgres(): Promise<Postgres> {
  const dataDir = scratch();
  const open = async (databaseName: string) => {
    const log = createLog({ level: 'silent', pretty: false });
    const server = await startEmbeddedPostgres({ dataDir, log, databaseName, maxConnections: 200 });
    atEnd(() => server.stop());
    return server.url;
  };
  await open('deskbridge');
  const directory = path.join(dataDir, 'postgres');
  const [pid = '0'] = readFileSync(path.join(directory, 'postmaster.pid'), 'utf8').split('\n');
  return { directory, database: open, cpu: () => cpuSecondsOfFamily(Number(pid)) };
}
