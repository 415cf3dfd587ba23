import { expect, test } from 'vitest';

import { type Migration, migrate } from '../../src/platform/database/migrate.ts';
import { createTestDatabase } from '../harness/database.ts';
import { connected, openSchema } from '../harness/schema.ts';
import { until } from '../harness/until.ts';

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
      `select tablename as name from pg_tables where schemaname = 'room' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  expect(await tables()).toEqual(['a', 'migration']);
  await holder.query('select pg_advisory_unlock(42)');
  await migrate(openSchema(url, 'room'), steps);
  expect(await tables()).toEqual(['a', 'b', 'c', 'migration']);
  expect((await holder.query('select n from room.a')).rows).toEqual([{ n: 1 }]);
});
