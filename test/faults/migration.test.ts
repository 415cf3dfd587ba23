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
