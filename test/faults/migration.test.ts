import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import {
  migrations as INSTALLATIONS,
  SCHEMA as INSTALLATIONS_SCHEMA,
} from '../../src/bridge/installations/installations.ts';
import { migrations as BRIDGE } from '../../src/bridge/schema/migrations.ts';

import {
  type Migration,
  migrate,
  MigrationError,
  pendingMigrations,
} from '../../src/platform/database/migrate.ts';
import { migrations as SERVICE } from '../../src/service/schema/migrations.ts';
import { databaseContents } from '../harness/database-contents.ts';
import { createTestDatabase } from '../harness/database.ts';
import { runCommand } from '../harness/run-command.ts';
import { connected, openSchema } from '../harness/schema.ts';
import { until } from '../harness/until.ts';

test('F12 a process that dies in the middle of a migration step leaves nothing of it, and the next process starts it again', async () => {
  const { url } = await createTestDatabase('crashed');
  const steps: Migration[] = [
    { name: '0001-a', sql: 'create table a (n int); insert into a values (1)' },
    // Waits for the lock that the test holds, so that the crash happens in the middle of the step.
    {
      name: '0002-b',
      sql: 'create table b (n int); select pg_advisory_xact_lock(42); create table c (n int)',
    },
  ];
  const holder = await connected(url);
  await migrate(openSchema(url, 'room'), steps.slice(0, 1));
  await holder.query('select pg_advisory_lock(42)');
  const dying = migrate(openSchema(url, 'room'), steps);
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
      `select tablename as name from pg_tables where schemaname = 'room' and tablename !~ '^migration' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  expect(await tables()).toEqual(['a']);
  await holder.query('select pg_advisory_unlock(42)');
  await migrate(openSchema(url, 'room'), steps);
  expect(await tables()).toEqual(['a', 'b', 'c']);
  expect((await holder.query('select n from room.a')).rows).toEqual([{ n: 1 }]);
});

test('F12 processes that migrate the same empty database at once apply each step once', async () => {
  const { url } = await createTestDatabase('together');
  await Promise.all(Array.from({ length: 4 }, () => migrate(openSchema(url, 'service'), SERVICE)));
  const { rows } = await (await connected(url)).query('select name from service.migration');
  expect(rows).toEqual(SERVICE.map(({ name }) => ({ name })));
});

test.for<[string, string[], RegExp | undefined]>([
  ['its own', ['0001-aaaa', '0002-bbbb'], undefined],
  ['fewer steps', ['0001-aaaa'], undefined],
  ['another first step', ['0001-cccc'], /^An earlier version .*schema "room", step 0001 of 2026-11-27/],
  [
    'another first step, and more steps',
    ['0001-cccc', '0002-dddd', '0003-eeee'],
    /^An earlier version .*step 0003 of 2026-11-27/,
  ],
  ['another later step', ['0001-aaaa', '0002-dddd'], /^An earlier version .*step 0002 of 2026-11-27/],
  ['more steps', ['0001-aaaa', '0002-bbbb', '0010-ffff'], /^A newer version .*step 0010 of 2026-11-27/],
])(
  'F12 a schema with %s is used, or refused with the version that made it',
  async ([, applied, sentence]) => {
    const { url } = await createTestDatabase('steps');
    const client = await connected(url);
    const room = openSchema(url, 'room');
    const steps = ['0001-aaaa', '0002-bbbb'].map((name) => ({
      name,
      sql: `create table "t${name}" (n int)`,
    }));
    await makeSchema(client, 'room', applied);
    const before = await databaseContents(client);
    const used = migrate(room, steps);
    if (sentence === undefined) {
      await used;
      return;
    }
    await expect(used).rejects.toThrow(MigrationError);
    await expect(pendingMigrations(room, steps)).rejects.toThrow(sentence);
    expect(await databaseContents(client)).toEqual(before);
  },
);

describe('a program that finds a schema of another version refuses it in one sentence, and changes and deletes nothing', () => {
  const TOKEN = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
  const INSTALLED = {
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'c',
    SLACK_STATE_SECRET: 'd'.repeat(32),
    SLACK_SIGNING_SECRET: 'e'.repeat(32),
    TOKEN_ENCRYPTION_KEY: Buffer.alloc(32, 'f').toString('base64'),
    PUBLIC_URL: 'https://desk.example',
  };
  const ELSEWHERE = {
    SERVICE_URL: 'http://127.0.0.1:1/api',
    SERVICE_API_TOKEN: 'x'.repeat(20),
    SERVICE_WEBHOOK_SECRET: 'y'.repeat(32),
  };
  const TEAM_SCHEMA = 'bridge_t1';
  const OTHERS = {
    older: {
      names: ['0001-000000000000', '0002-000000000000'],
      says: /^deskbridge cannot continue:\n {2}An earlier version of deskbridge, from before its first release, made this database \(schema "\w+", step 0002 of 2026-11-27\), and its records cannot be taken along: start that version, or use an empty database; nothing was changed\.\n$/,
    },
    newer: {
      names: undefined,
      says: /^deskbridge cannot continue:\n {2}A newer version of deskbridge made this database \(schema "\w+", step 0099 of 2026-11-27\): start that version, or restore a backup from before it; nothing was changed\.\n$/,
    },
  };

  test.for<[string, readonly Migration[], Record<string, string>, string[][]]>([
    [
      'service',
      SERVICE,
      TOKEN,
      [
        ['start'],
        ['service'],
        ['migrate'],
        ['keys', 'list'],
        ['people', 'sign-in-link', 'a@b.example'],
        ['workspaces', 'trust', 'T1'],
      ],
    ],
    ['service', SERVICE, { SANDBOX: 'on' }, [['start'], ['start', '--demo']]],
    ['service', SERVICE, INSTALLED, [['start'], ['migrate'], ['workspaces']]],
    [
      'bridge',
      BRIDGE,
      TOKEN,
      [['start'], ['migrate'], ['dead-letters', 'list'], ['people', 'list'], ['reconcile'], ['rebuild']],
    ],
    ['bridge', BRIDGE, { SANDBOX: 'on' }, [['start'], ['start', '--demo']]],
    ['bridge', BRIDGE, { ...TOKEN, ...ELSEWHERE }, [['start'], ['bridge'], ['migrate']]],
    [
      INSTALLATIONS_SCHEMA,
      INSTALLATIONS,
      INSTALLED,
      [['start'], ['migrate'], ['dead-letters', 'list'], ['people', 'list'], ['workspaces']],
    ],
    [INSTALLATIONS_SCHEMA, INSTALLATIONS, { ...INSTALLED, ...ELSEWHERE }, [['bridge'], ['migrate']]],
    [
      TEAM_SCHEMA,
      BRIDGE,
      INSTALLED,
      [['start'], ['migrate'], ['dead-letters', 'list'], ['people', 'list'], ['workspaces']],
    ],
  ])('%s (%#)', async ([schema, own, settings, commands]) => {
    const { url } = await createTestDatabase('other');
    const client = await connected(url);
    if (schema === TEAM_SCHEMA) {
      await migrate(openSchema(url, INSTALLATIONS_SCHEMA), INSTALLATIONS);
      await client.query(`insert into installations.installation (id, name, bot_token, scopes, installed_by, installed_at)
        values ('T1', 'One', 'sealed', '{}', 'U1', now())`);
      await client.query(
        `insert into installations.workspace (team_id, installation_id, since, name, schema) values ('T1', 'T1', now(), 'One', $1)`,
        [TEAM_SCHEMA],
      );
    }
    const dataDir = await mkdtemp(path.join(tmpdir(), 'deskbridge-other-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const environment = { DATABASE_URL: url, DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...settings };
    for (const { names, says } of Object.values(OTHERS)) {
      await client.query(`drop schema if exists ${schema} cascade`);
      await makeSchema(client, schema, names ?? [...own.map(({ name }) => name), '0099-000000000000']);
      const before = await databaseContents(client);
      for (const args of commands) {
        const { code, err } = await runCommand(args, environment);
        expect([args, code, err]).toEqual([args, 1, expect.stringMatching(says)]);
        expect(await databaseContents(client), args.join(' ')).toEqual(before);
        expect(await readdir(dataDir), args.join(' ')).toEqual([]);
      }
    }
  });
});

/** A schema to which these steps were applied, with a record of somebody's. */
async function makeSchema(client: pg.Client, schema: string, names: readonly string[]): Promise<void> {
  await client.query(`create schema ${schema};
    create table ${schema}.migration (name varchar(255) primary key, timestamp varchar(255) not null);
    create table ${schema}.kept as select 'a record' as text`);
  for (const name of names)
    await client.query(`insert into ${schema}.migration values ($1, '2026-11-27T08:00:00.000Z')`, [name]);
}
