import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import {
  databaseVersion,
  openDatabase,
  pingDatabase,
  registerDatabaseFigures,
  transaction,
} from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRegistry } from '../../src/platform/metrics.ts';
import { createTestDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });

test('closing a database ends its pool, even if no statement used the query builder', async () => {
  const { url } = await createTestDatabase();
  const closed = openDatabase({ url, schema: 'public', log });
  await closed.pool.query('select 1');
  expect(closed.pool.totalCount).toBe(1);
  await closed.close();
  await closed.close();
  expect(closed.pool.totalCount).toBe(0);
});

test('statements are not compiled: a search would take seconds for it on a Postgres that can', async () => {
  const { url } = await createTestDatabase();
  const database = openDatabase({ url, schema: 'public', log });
  onTestFinished(() => database.close());
  expect((await database.pool.query('show jit')).rows).toEqual([{ jit: 'off' }]);
});

test('a deadlock hidden by a retry is counted, and both transactions succeed', async () => {
  const { url } = await createTestDatabase();
  const database = openDatabase({ url, schema: 'public', log });
  onTestFinished(() => database.close());
  const { db, pool } = database;
  await pool.query(
    'create table pair (id int primary key, n int not null); insert into pair values (1, 0), (2, 0)',
  );
  const metrics = createRegistry();
  registerDatabaseFigures(metrics);
  const counted = async () =>
    Number(/reason="deadlock"\} (\d+)/.exec(await metrics.metrics())?.[1] ?? Number.NaN);
  const before = await counted();
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const add = (id: number) => sql`update pair set n = n + 1 where id = ${id}`;
  const both = (
    ids: [number, number],
    mine: PromiseWithResolvers<undefined>,
    other: PromiseWithResolvers<undefined>,
  ) =>
    transaction(db, async (tx) => {
      await add(ids[0]).execute(tx);
      mine.resolve(undefined);
      await other.promise;
      await add(ids[1]).execute(tx);
    });
  await Promise.all([both([1, 2], first, second), both([2, 1], second, first)]);
  expect((await pool.query('select n from pair order by id')).rows).toEqual([{ n: 2 }, { n: 2 }]);
  // The rolled-back transaction may lock the first row again before the other one wakes up.
  expect(await counted()).toBeGreaterThan(before);
});

test('a ping of the database writes, so that a full disk is noticed', async () => {
  const { url } = await createTestDatabase();
  const open = () => {
    const database = openDatabase({ url, schema: 'public', log });
    onTestFinished(() => database.close());
    return database;
  };
  const { db, pool } = open();
  await pingDatabase(db);
  const { rows } = await pool.query<{ name: string }>('select quote_ident(current_database()) as name');
  await pool.query(`alter database ${rows[0]?.name ?? ''} set temp_file_limit = 0`);
  await expect(pingDatabase(open().db)).rejects.toMatchObject({ code: '53400' });
});

test('the server itself ends a statement that runs too long, and a transaction that its process left open', async () => {
  const { url } = await createTestDatabase();
  const database = openDatabase({ url, schema: 'public', log });
  onTestFinished(() => database.close());
  const { db, pool } = database;
  const { rows } = await pool.query(
    `select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`,
  );
  expect(rows).toEqual([{ statement: '25s', idle: '1min' }]);
  const slow = db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 20`.execute(tx);
    await sql`select pg_sleep(5)`.execute(tx);
  });
  await expect(slow).rejects.toMatchObject({ code: '57014' });
});

/** What Postgres answers to a connection that it accepts: no password is needed, and it waits for a statement. */
const ACCEPTED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test('a connection that is lost while a program asks for the version is said to be lost, and ends no process', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.once('data', () => socket.resetAndDestroy());
      socket.write(ACCEPTED);
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(databaseVersion(`postgres://postgres@127.0.0.1:${port}/any`)).rejects.toThrow('ECONNRESET');
});
