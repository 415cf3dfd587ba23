// A process that uses the embedded database: `node embedded-user.ts DATA_DIR`. It prints one line when it is
// connected, then inserts rows and prints the number of each as soon as the database has acknowledged it,
// until it is killed or its standard input ends; then it stops and prints `stopped`.
import pg from 'pg';

import { EmbeddedPostgresError, startEmbeddedPostgres } from '../../../src/platform/database/embedded.ts';
import { createLog } from '../../../src/platform/log.ts';

const log = createLog({ level: 'silent', pretty: false });
const say = (line: Record<string, unknown>) => process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const database = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', log });
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(
    'create table if not exists written (n bigint generated always as identity, at timestamptz)',
  );
  say({ attached: database.attached, url: database.url });

  let done = false;
  process.stdin.on('end', () => (done = true)).resume();
  while (!(done as boolean)) {
    const { rows } = await client.query<{ n: string }>('insert into written (at) values (now()) returning n');
    say({ written: Number(rows[0]?.n) });
  }
  await client.end();
  await database.stop();
  say({ stopped: true });
} catch (error) {
  say({ reason: error instanceof EmbeddedPostgresError ? error.reason : 'other', message: String(error) });
  process.exitCode = 1;
}
