import { once } from 'node:events';
import { createServer } from 'node:net';

import pg from 'pg';
import { expect, test } from 'vitest';

import { createTestDatabase, migratedDatabase } from '../harness/database.ts';
import { freePorts } from '../harness/ports.ts';

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test('each test database is empty and its own', async () => {
  const [one, two] = await Promise.all([
    createTestDatabase(),
    createTestDatabase('a Name: with Ünusual parts'),
  ]);
  await query(one.url, 'create table only_here (n int)');
  expect(await query(two.url, `select to_regclass('only_here')::text as found`)).toEqual([{ found: null }]);
});

test('a migrated database is built once and every copy is its own', async () => {
  let built = 0;
  const migrateFn = async (url: string) => {
    built++;
    await query(url, 'create table made (n int); insert into made values (1)');
  };
  const copies = await Promise.all([1, 2, 3].map(() => migratedDatabase('harness', migrateFn)));
  expect(built).toBe(1);
  for (const { url } of copies) {
    await query(url, 'insert into made values (2)');
    expect(await query(url, 'select count(*)::int as n from made')).toEqual([{ n: 2 }]);
  }
});

test('a dropped database is gone, also while somebody is connected', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  const lost = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await database.drop();
  await lost;
  await expect(query(database.url, 'select 1')).rejects.toThrow(/does not exist/);
});

test('a port that a test gives to a program is given to nobody else, neither by a test nor by the system', async () => {
  const given = (await Promise.all(Array.from({ length: 100 }, () => freePorts(2)))).flat();
  expect(new Set(given).size).toBe(200);
  // From here on Linux gives ports away by itself.
  expect(Math.max(...given)).toBeLessThan(32_768);
});

test('a port that something listens on is passed over', async () => {
  const [port = 0] = await freePorts(1);
  const server = createServer().listen(port + 1, '127.0.0.1');
  await once(server, 'listening');
  const next = await freePorts(2);
  server.close();
  expect(next).not.toContain(port + 1);
});
