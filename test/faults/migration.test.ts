import { expect, test } from 'vitest';

import {
  type Migration,
  migrate,
  MigrationError,
  pendingMigrations,
} from '../../src/platform/database/migrate.ts';
import { migrations as SERVICE } from '../../src/service/schema/migrations.ts';
import { createTestDatabase } from '../harness/database.ts';
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

test('F12 a database of a newer version, or with a changed released step, is rejected and left unchanged', async () => {
  const { url } = await createTestDatabase('refused');
  const room = openSchema(url, 'room');
  const [first, second] = [
    { name: '0001-aaaa', sql: 'create table a (n int)' },
    { name: '0002-bbbb', sql: 'create table b (n int)' },
  ];
  await migrate(room, [first, second]);
  const changed = [{ ...first, name: '0001-cccc' }, second];
  await expect(migrate(room, changed)).rejects.toThrow(MigrationError);
  await expect(migrate(room, changed)).rejects.toThrow('Step 0001 of the schema "room" differs');
  await expect(pendingMigrations(room, [first])).rejects.toThrow('a newer deskbridge created it');
  const { rows } = await (await connected(url)).query('select name from room.migration order by 1');
  expect(rows).toEqual([{ name: first.name }, { name: second.name }]);
});

test('what people made in earlier versions is known to be theirs after an update, and stops if they had left', async () => {
  const { url } = await createTestDatabase('makers');
  const database = openSchema(url, 'service');
  await migrate(database, SERVICE.slice(0, 1));
  const client = await connected(url);
  const at = '2026-01-05T09:00:00Z';
  const insert = async (table: string, values: Record<string, unknown>) => {
    const names = Object.keys(values);
    const places = names.map((_, index) => `$${index + 1}`);
    await client.query(
      `insert into service.${table} (${names.join(', ')}) values (${places.join(', ')})`,
      Object.values(values),
    );
  };
  const times = { created_at: at, updated_at: at };
  await insert('workspace', { id: 'w', name: 'W', slug: 'w', settings_id: 's', ...times });
  const here = { workspace_id: 'w' };
  const PEOPLE = {
    admin: { role: 'admin' },
    demoted: { role: 'agent' },
    deactivated: { role: 'admin', deactivated_at: at },
    erased: { role: 'admin', erased_at: at },
  };
  const audit = (action: string, subject_id: string, actor: object, detail: unknown = null) =>
    insert('audit_entry', {
      ...here,
      id: `aud_${action}_${subject_id}`,
      action,
      subject_id,
      reason: 'x',
      created_at: at,
      ...actor,
      detail,
    });
  const key = (id: string) =>
    insert('api_key', {
      ...here,
      id,
      prefix: 'dbk',
      name: id,
      role: 'admin',
      hash: Buffer.from(id),
      created_at: at,
    });
  const webhook = (id: string, key_id: string | null) =>
    insert('webhook', {
      ...here,
      id,
      url: 'https://receiver.example',
      event_types: ['Ticket'],
      key_id,
      ...times,
    });
  await key('operator');
  await webhook('of-operator', 'operator');
  for (const [who, more] of Object.entries(PEOPLE)) {
    await insert('person', { ...here, id: who, ...times, ...more });
    await key(`${who}-key`);
    await audit('api-key.created', `${who}-key`, { actor_id: who });
    await key(`${who}-key-of-key`);
    await audit('api-key.created', `${who}-key-of-key`, { actor_key_id: `${who}-key` });
    await webhook(`${who}-session`, null);
    await audit('settings.changed', `${who}-session`, { actor_id: who }, { operation: 'createWebhook' });
    await webhook(`${who}-of-key`, `${who}-key`);
    await webhook(`${who}-of-key-of-key`, `${who}-key-of-key`);
  }
  await insert('chat_user', {
    ...here,
    id: 'c',
    person_id: 'admin',
    chat_user_id: 'U1',
    chat_team_id: 'T1',
    ...times,
  });
  const signIns = { ...here, issuer: 'https://slack.com', created_at: at, last_used_at: at };
  await insert('identity', { ...signIns, subject: 'U1', person_id: 'admin' });
  await insert('identity', { ...signIns, subject: 'U2', person_id: 'admin' });

  await migrate(database, SERVICE);

  const { rows: keys } = await client.query(
    'select id, made_by, revoked_at is null as works, stopped_at is not null as stopped from service.api_key order by id',
  );
  const { rows: webhooks } = await client.query(
    'select id, made_by, active, deactivated_reason from service.webhook order by id',
  );
  const people = Object.keys(PEOPLE);
  const isActive = (who: string) => who === 'admin';
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(keys.toSorted(byId)).toEqual(
    [
      { id: 'operator', made_by: null, works: true, stopped: false },
      ...people.flatMap((who) =>
        ['key', 'key-of-key'].map((what) => ({
          id: `${who}-${what}`,
          made_by: who,
          works: isActive(who),
          stopped: !isActive(who),
        })),
      ),
    ].toSorted(byId),
  );
  expect(webhooks.toSorted(byId)).toEqual(
    [
      { id: 'of-operator', made_by: null, active: true, deactivated_reason: null },
      ...people.flatMap((who) =>
        ['session', 'of-key', 'of-key-of-key'].map((what) => ({
          id: `${who}-${what}`,
          made_by: who,
          active: isActive(who),
          deactivated_reason: isActive(who) ? null : 'person-left',
        })),
      ),
    ].toSorted(byId),
  );
  const { rows: told } = await client.query<{ action: string; count: number }>(
    `select action, count(*)::int from service.audit_entry
      where action in ('api-key.revoked', 'webhook.deactivated') group by action order by action`,
  );
  expect(told).toEqual([
    { action: 'api-key.revoked', count: 6 },
    { action: 'webhook.deactivated', count: 9 },
  ]);
  const { rows: teams } = await client.query(
    'select subject, team_id from service.identity order by subject',
  );
  expect(teams).toEqual([
    { subject: 'U1', team_id: 'T1' },
    { subject: 'U2', team_id: null },
  ]);
});
