import { createHash } from 'node:crypto';

import pg from 'pg';
import { describe, expect, test } from 'vitest';

import { migrations as BRIDGE } from '../../src/bridge/schema/migrations.ts';
import { type Migration, migrate } from '../../src/platform/database/migrate.ts';
import { migrations as SERVICE } from '../../src/service/schema/migrations.ts';
import { createTestDatabase } from '../harness/database.ts';
import { connected, openSchema } from '../harness/schema.ts';
import { runCli } from '../harness/world.ts';
import { startTestService, TEST_ENCRYPTION_KEY } from '../service/harness.ts';
import { DATA } from './first-rows.ts';

const ROOMS: [schema: string, steps: readonly Migration[]][] = [
  ['service', SERVICE],
  ['bridge', BRIDGE],
];

/** What a schema is: its columns, constraints and indexes, as the catalogue has them. */
async function shapeOf(client: pg.Client, schema: string): Promise<string[]> {
  // What the search path reaches is shown without its schema.
  await client.query('set search_path = public');
  const { rows } = await client.query<{ line: string }>(
    `select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
       from information_schema.columns where table_schema = $1
     union all
     select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = $1::regnamespace and contype <> 'n'
     union all select indexdef from pg_indexes where schemaname = $1 order by 1`,
    [schema],
  );
  return rows.map(({ line }) => line);
}

describe.each(ROOMS)('F12 the schema of the %s', (schema, steps) => {
  // The first step that has tables of its own; before it there is nothing to hold data in.
  const first = steps.findIndex(({ name }) => name.startsWith('0001-')) + 1;

  test(`F12 a database of any earlier version of the ${schema}, with data, comes to be like a new one and keeps every row`, async () => {
    const fresh = openSchema((await createTestDatabase('fresh')).url, schema);
    await migrate(fresh, steps);
    const expected = await shapeOf(await connected(String(fresh.connection.connectionString)), schema);
    expect(expected.length).toBeGreaterThan(20);
    for (let known = first; known <= steps.length; known++) {
      const { url } = await createTestDatabase(`from ${known}`);
      const old = openSchema(url, schema);
      await migrate(old, steps.slice(0, first));
      const client = await connected(url);
      await client.query(DATA[schema] ?? '');
      await migrate(old, steps.slice(0, known));
      const before = await contentsOf(client, schema);
      await migrate(old, steps);
      expect(await shapeOf(client, schema), `from step ${known}`).toEqual(expected);
      const after = await contentsOf(client, schema);
      for (const [table, rows] of before)
        for (const [index, row] of rows.entries()) {
          const now = after.get(table)?.[index] ?? {};
          // A step may take a column away, having written elsewhere what it said.
          const kept = Object.fromEntries(Object.entries(row).filter(([column]) => column in now));
          expect(Object.keys(kept), table).toContain(Object.keys(row)[0]);
          expect(now, `${table}, from step ${known}`).toMatchObject(kept);
        }
    }
  }, 120_000);

  test(`F12 four processes of the ${schema} that migrate one empty database together apply each step once`, async () => {
    const { url } = await createTestDatabase('together');
    await Promise.all(Array.from({ length: 4 }, () => migrate(openSchema(url, schema), steps)));
    const client = await connected(url);
    const { rows } = await client.query<{ name: string; hash: string }>(
      `select name, hash from ${schema}.migration order by name`,
    );
    expect(rows.map(({ name }) => name)).toEqual(steps.map(({ name }) => name).sort());
    for (const { name, sql } of steps)
      expect(rows.find((row) => row.name === name)?.hash).toBe(
        createHash('sha256').update(sql).digest('hex'),
      );
  });
});

/** Every row of the tables that hold the data, oldest row first; what is derived from it may be made anew. */
async function contentsOf(client: pg.Client, schema: string): Promise<Map<string, object[]>> {
  const tables = new Set(
    [...(DATA[schema] ?? '').matchAll(/insert into (\w+)/g)].map(([, name = '']) => name),
  );
  const contents = new Map<string, object[]>();
  for (const name of tables) {
    const { rows } = await client.query<{ row: object }>(
      `select to_jsonb(t) as row from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)} t order by ctid`,
    );
    contents.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return contents;
}

test('F12 a service of today reads, answers and writes what the first version stored', async () => {
  const { url } = await createTestDatabase('first');
  const old = openSchema(url, 'service');
  await migrate(old, SERVICE.slice(0, 2));
  const client = await connected(url);
  await client.query(DATA['service'] ?? '');
  const migrated = await runCli(['migrate'], {
    DATABASE_URL: url,
    TOKEN_ENCRYPTION_KEY: TEST_ENCRYPTION_KEY.toString('base64'),
  });
  expect([migrated.code, migrated.err]).toEqual([0, '']);
  const service = await startTestService({ databaseUrl: url });
  const { body } = await service.call('GET', '/tickets/IT-1');
  expect(body).toMatchObject({ id: 'tkt_1', title: 'The printer burns', queueId: 'que_1' });
  const said = await service.call('POST', '/ticket-messages', { body: { ticketId: 'IT-1', content: 'Out' } });
  expect(said.status).toBe(200);
  const messages = (await service.call('GET', '/ticket-messages?ticketId=IT-1')).body.items;
  expect(messages.map(({ content }) => content)).toEqual(['Still burning', 'Out']);
  expect((await service.call('GET', '/webhooks/whk_1')).body.secret).toBe('an old plain secret');
  const found = await service.call('GET', '/tickets?search=printer');
  expect(found.body.items.map(({ id }) => id)).toEqual(['tkt_1']);
});
