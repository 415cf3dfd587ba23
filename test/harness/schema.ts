import pg from 'pg';
import { onTestFinished } from 'vitest';

import { type Database, openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';

const log = createLog({ level: 'silent', pretty: false });

/** A program's schema in a database, as the program opens it, for the running test. */
export function openSchema(url: string, schema: string): Database<object> {
  const opened = openDatabase<object>({ url, schema, log, poolSize: 2 });
  onTestFinished(() => opened.close());
  return opened;
}

/** A connection for the running test, which the server may end as well. */
export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  client.on('error', () => undefined);
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}
