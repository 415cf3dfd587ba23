import pg from 'pg';

import { until } from './until.ts';
import type { LocalWorld } from './world.ts';

const IN_PROGRESS = `done_at is null and dead_at is null and error like '%an attempt may still be under way%'`;

/**
 * Waits until a post cannot be looked up because its call may still be in progress, then lets the fifteen
 * seconds pass that such a call may take.
 */
export async function expireAttempt({ clock, environment }: LocalWorld): Promise<void> {
  const database = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await database.connect();
  try {
    await until('a post whose call may be under way', async () => {
      const { rows } = await database.query(`select from bridge.work where ${IN_PROGRESS}`);
      return rows.length > 0;
    });
    clock.pass(15_000);
    // The engine uses the database's clock.
    await database.query(
      `with due as (update bridge.work set not_before = now() where ${IN_PROGRESS} returning lane),
          lanes as (update bridge.lane set wake_at = now() from due where key = due.lane returning class)
        select pg_notify('bridge.work', class) from lanes`,
    );
  } finally {
    await database.end();
  }
}
