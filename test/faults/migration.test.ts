import { createHash } from 'node:crypto';

import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { migrations as BRIDGE } from '../../src/bridge/schema/migrations.ts';
import { type Migration, migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { MIGRATIONS as SANDBOX } from '../../src/sandbox/schema/migrations.ts';
import { migrations as SERVICE } from '../../src/service/schema/migrations.ts';
import { createTestDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { runCli } from '../harness/world.ts';
import { startTestService, TEST_ENCRYPTION_KEY } from '../service/harness.ts';

const log = createLog({ level: 'silent', pretty: false });
const ROOMS: [schema: string, steps: readonly Migration[]][] = [
  ['service', SERVICE],
  ['bridge', BRIDGE],
  ['sandbox', SANDBOX],
];

function database(url: string, schema: string) {
  const opened = openDatabase<object>({ url, schema, log, poolSize: 2 });
  onTestFinished(() => opened.close());
  return opened;
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  client.on('error', () => undefined);
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

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

/** A row in every table of the first schemas, written as their versions wrote them. */
const DATA: Record<string, string> = {
  service: `
set search_path = service;
insert into workspace (id, name, slug, settings_id, created_at, updated_at) values ('wsp_1', 'Acme', 'acme', 'wst_1', '2026-01-01', '2026-01-01');
insert into person (workspace_id, id, first_name, email, created_at, updated_at) values ('wsp_1', 'usr_1', 'Ada', 'ada@acme.example', '2026-01-01', '2026-01-01');
insert into chat_user (workspace_id, id, person_id, chat_user_id, created_at, updated_at) values ('wsp_1', 'chu_1', 'usr_1', 'U1', '2026-01-01', '2026-01-01');
insert into status_group (workspace_id, id, label, kind) values ('wsp_1', 'sgr_1', 'Open', 'OPEN');
insert into status (workspace_id, id, label, position, system, status_group_id, created_at, updated_at) values ('wsp_1', 'sts_1', 'Open', 0, true, 'sgr_1', '2026-01-01', '2026-01-01');
insert into queue (workspace_id, id, name, prefix, settings_id, last_number, created_at, updated_at) values ('wsp_1', 'que_1', 'IT', 'IT', 'qst_1', 1, '2026-01-01', '2026-01-01');
insert into queue_prefix values ('wsp_1', 'IT', 'que_1');
insert into request_type (workspace_id, id, name, created_at, updated_at) values ('wsp_1', 'rqt_1', 'Laptop', '2026-01-01', '2026-01-01');
insert into chat_channel (workspace_id, id, channel_id, type, queue_id, created_at, updated_at) values ('wsp_1', 'chn_1', 'C1', 'REQUEST', 'que_1', '2026-01-01', '2026-01-01');
insert into tag (workspace_id, id, name, created_at, updated_at) values ('wsp_1', 'tag_1', 'printer', '2026-01-01', '2026-01-01');
insert into ticket (workspace_id, id, queue_id, number, short_id, title, description, priority, source, requester_id, author_id, status_id, created_at, updated_at, stamped_at) values ('wsp_1', 'tkt_1', 'que_1', 1, 'abc', 'The printer burns', 'Since noon', 'HIGH', 'CHAT', 'usr_1', 'usr_1', 'sts_1', '2026-01-01', '2026-01-02', '2026-01-02');
insert into ticket_reference values ('wsp_1', 'que_1', 1, 'tkt_1');
insert into ticket_tag values ('wsp_1', 'tkt_1', 'tag_1');
insert into csat (workspace_id, id, ticket_id, person_id, score, created_at, updated_at) values ('wsp_1', 'cst_1', 'tkt_1', 'usr_1', 5, '2026-01-01', '2026-01-01');
insert into chat_thread (workspace_id, id, ticket_id, channel_id, message_ts, created_at, updated_at) values ('wsp_1', 'cth_1', 'tkt_1', 'C1', '1.1', '2026-01-01', '2026-01-01');
insert into ticket_message (workspace_id, id, ticket_id, content, author_id, source, status, created_at, updated_at) values ('wsp_1', 'msg_1', 'tkt_1', 'Still burning', 'usr_1', 'CHAT', 'CREATED', '2026-01-01', '2026-01-01');
insert into chat_message (workspace_id, id, ticket_message_id, channel_id, ts, created_at, updated_at) values ('wsp_1', 'cms_1', 'msg_1', 'C1', '1.2', '2026-01-01', '2026-01-01');
insert into webhook (workspace_id, id, url, secret, event_types, created_at, updated_at) values ('wsp_1', 'whk_1', 'http://127.0.0.1:9/hook', 'an old plain secret', '{Ticket}', '2026-01-01', '2026-01-01');
insert into event (workspace_id, id, type, action, body, created_at) values ('wsp_1', 'evt_1', 'Ticket', 'created', '{}', '2026-01-01');
insert into delivery (workspace_id, id, webhook_id, event_id, state, created_at, updated_at) values ('wsp_1', 'dlv_1', 'whk_1', 'evt_1', 'delivered', '2026-01-01', '2026-01-01');`,
  bridge: `
set search_path = bridge;
insert into conversation (id, team_id, channel_id, root_ts, ticket_id, created_at) values ('cnv_1', 'T1', 'C1', '1.1', 'tkt_1', '2026-01-01');
insert into inbox (id, source, event_key, kind, conversation_id, body, received_at) values ('inb_1', 'chat', 'k', 'message', 'cnv_1', '{}', '2026-01-01');
insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, ts, origin, version) values ('lnk_1', 'cnv_1', 'msg_1', 'T1', 'C1', '1.2', 'chat', '1.2');
insert into card (conversation_id, channel_id, ts) values ('cnv_1', 'C1', '1.3');
insert into outbox (id, conversation_id, team_id, channel_id, kind, body, state, planned_at) values ('out_1', 'cnv_1', 'T1', 'C1', 'post', '{}', 'sent', '2026-01-01');
insert into pace values ('C1', '2026-01-01');
insert into person (team_id, chat_user_id, name, is_bot, is_guest, read_at) values ('T1', 'U1', 'Ada', false, false, '2026-01-01');
insert into setting values ('k', '{}');`,
  sandbox: `
set search_path = sandbox;
insert into team values ('T1', 'Acme', 'acme');
insert into person (id, name, first_name, last_name, email, time_zone, is_bot, is_guest) values ('U1', 'ada', 'Ada', 'Reyes', 'ada@acme.example', 'Europe/Berlin', false, false);
insert into channel (id, name, kind, is_archived, creator, created_at) values ('C1', 'it-help', 'channel', false, 'U1', 1);
insert into member values ('C1', 'U1');`,
};

describe.each(ROOMS)('F12 the schema of the %s', (schema, steps) => {
  // The first step that has tables of its own; before it there is nothing to hold data in.
  const first = steps.findIndex(({ name }) => name.startsWith('0001-')) + 1;

  test(`F12 a database of any earlier version of the ${schema}, with data, comes to be like a new one and keeps every row`, async () => {
    const fresh = database((await createTestDatabase('fresh')).url, schema);
    await migrate(fresh, steps);
    const expected = await shapeOf(await connected(String(fresh.connection.connectionString)), schema);
    expect(expected.length).toBeGreaterThan(20);
    for (let known = first; known <= steps.length; known++) {
      const { url } = await createTestDatabase(`from ${known}`);
      const old = database(url, schema);
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
    await Promise.all(Array.from({ length: 4 }, () => migrate(database(url, schema), steps)));
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

test('F12 a process that dies in the middle of a step leaves the step before it, and the next process goes on', async () => {
  const { url } = await createTestDatabase('crashed');
  const steps: Migration[] = [
    { name: '0001-a', sql: 'create table a (n int); insert into a values (1)' },
    // Waits for whoever holds the lock, so that the crash can come in its middle.
    {
      name: '0002-b',
      sql: 'create table b (n int); select pg_advisory_xact_lock(42); create table c (n int)',
    },
  ];
  const holder = await connected(url);
  await holder.query('select pg_advisory_lock(42)');
  const dying = migrate(database(url, 'room'), steps);
  const died = expect(dying).rejects.toThrow();
  const waiting = async () => {
    const { rows } = await holder.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and not granted and objid = 42
        and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows[0]?.pid;
  };
  const pid = await until('the second step to be under way', waiting);
  await holder.query('select pg_terminate_backend($1)', [pid]);
  await died;
  const tables = async () => {
    const { rows } = await holder.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'room' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  expect(await tables()).toEqual(['a', 'migration']);
  await holder.query('select pg_advisory_unlock(42)');
  await migrate(database(url, 'room'), steps);
  expect(await tables()).toEqual(['a', 'b', 'c', 'migration']);
  expect((await holder.query('select n from room.a')).rows).toEqual([{ n: 1 }]);
});

test('F12 a service of today reads, answers and writes what the first version stored', async () => {
  const { url } = await createTestDatabase('first');
  const old = database(url, 'service');
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
