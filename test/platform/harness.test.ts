import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { createTestDatabase, migratedDatabase } from '../harness/database.ts';
import { BLOCK, freePorts } from '../harness/ports.ts';
import { Reusable } from '../harness/reset.ts';
import { until } from '../harness/until.ts';
import { startProcess } from '../harness/world.ts';

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test('each test database is empty and separate', async () => {
  const [one, two] = await Promise.all([
    createTestDatabase(),
    createTestDatabase('a Name: with Ünusual parts'),
  ]);
  await query(one.url, 'create table only_here (n int)');
  expect(await query(two.url, `select to_regclass('only_here')::text as found`)).toEqual([{ found: null }]);
});

const TABLES = `
  create table made (id int generated always as identity primary key, n int, twice int generated always as (n * 2) stored);
  create table bare (n int);
  insert into made (n) values (1), (2);
  insert into bare values (1), (1);
  create table child (made int references made)`;
const contents = (url: string) =>
  query(
    url,
    `select (select jsonb_agg(m order by id) from made m) as made, (select jsonb_agg(n) from bare) as bare,
      (select count(*)::int from child) as children`,
  );

test('a migrated database is built once and every copy is separate', async () => {
  let built = 0;
  const migrateFn = async (url: string) => {
    built++;
    await query(url, TABLES);
  };
  const copies = await Promise.all([1, 2, 3].map(() => migratedDatabase('harness', migrateFn)));
  expect(built).toBe(1);
  const before = await contents(copies[0]?.url ?? '');
  for (const { url } of copies) {
    expect(await contents(url)).toEqual(before);
    await query(url, 'insert into made (n) values (3)');
  }
});

test('a returned migrated database is reused in its original state', async () => {
  const lend = () => migratedDatabase('harness', (url) => query(url, TABLES).then(() => undefined));
  const first = await lend();
  const before = await contents(first.url);
  for (const change of [
    'insert into made (n) select 7 from generate_series(1, 100); insert into child values (50)',
    'delete from made where id = 1; update made set n = 9; insert into bare values (5); insert into child values (2)',
    'begin; update made set n = 10; savepoint inner_part; update made set n = 11; release inner_part; commit',
  ]) {
    const lent = await lend();
    await query(lent.url, change);
    expect(await contents(lent.url)).not.toEqual(before);
    await lent.drop();
    const again = await lend();
    expect(again.url).toBe(lent.url);
    expect(await contents(again.url)).toEqual(before);
    expect(await query(again.url, 'insert into made (n) values (3) returning id')).toEqual([{ id: 3 }]);
    await again.drop();
  }
});

test('a migrated database is not reused after a test changed its schema', async () => {
  const lend = () => migratedDatabase('harness', (url) => query(url, TABLES).then(() => undefined));
  const lent = await lend();
  await query(lent.url, 'alter table made add column more int');
  await lent.drop();
  expect((await lend()).url).not.toBe(lent.url);
});

test('every change of a schema is detected', async () => {
  const { url } = await createTestDatabase();
  await query(url, TABLES);
  for (const change of [
    'alter table made alter column n set default 5',
    'alter table made disable trigger all',
    'create index on made (n)',
    'create function one() returns int language sql as $$ select 1 $$',
    'create or replace function one() returns int language sql as $$ select 2 $$',
    'drop function one',
    'create schema another',
    'alter table bare alter column n set not null',
    'truncate bare',
    'drop table child',
  ]) {
    const reusable = await Reusable.open(url);
    await query(url, change);
    expect([change, await reusable.reset()]).toEqual([change, false]);
    await reusable.close();
  }
});

test('a connection that a test leaves open is named, and the database is not reused', async () => {
  const { url } = await createTestDatabase();
  const reusable = await Reusable.open(url);
  const client = new pg.Client({ connectionString: url, application_name: 'forgotten' });
  await client.connect();
  await expect(reusable.reset(100)).rejects.toThrow(/left open[^]*forgotten/);
  await client.end();
  expect(await reusable.reset()).toBe(true);
  await reusable.close();
});

test('a dropped database is gone, even with open connections', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  const lost = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await database.drop();
  await lost;
  await expect(query(database.url, 'select 1')).rejects.toThrow(/does not exist/);
});

test('a port given to a program is not given out again, neither by a test nor by the system', async () => {
  const given = (await Promise.all(Array.from({ length: 100 }, () => freePorts(2)))).flat();
  expect(new Set(given).size).toBe(200);
  // The first ephemeral port of Linux.
  expect(Math.max(...given)).toBeLessThan(32_768);
});

describe('a program that never becomes ready', () => {
  let pid = 0;

  test('is started by a test that ends meanwhile', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'never-ready-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const launcher = path.join(folder, 'launcher.cjs');
    await writeFile(
      launcher,
      `require('node:fs').writeFileSync(__dirname + '/pid', String(process.pid)); setInterval(() => {}, 1000);`,
    );
    startProcess({ DATABASE_URL: 'postgres://nowhere' }, ['bridge'], launcher).catch(() => undefined);
    const written = () => readFile(path.join(folder, 'pid'), 'utf8').catch(() => '');
    pid = await until('it to run', async () => Number(await written()) || undefined);
    expect(pid).toBeGreaterThan(0);
  });

  test('is ended with that test', () => {
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test('two test processes never draw the same ports, though their searches start at the same place', async () => {
  const [one = 0] = await freePorts(1);
  vi.resetModules();
  const another = await import('../harness/ports.ts');
  const [two = 0] = await another.freePorts(1);
  expect(Math.floor(one / BLOCK)).not.toBe(Math.floor(two / BLOCK));
});

test('a port in use is skipped', async () => {
  // The last port of a block is followed by the claimed first port of another.
  let port: number;
  do [port = 0] = await freePorts(1);
  while (port % BLOCK === BLOCK - 1);
  const server = createServer().listen(port + 1, '127.0.0.1');
  await once(server, 'listening');
  const next = await freePorts(2);
  server.close();
  expect(next).not.toContain(port + 1);
});
