import pg from 'pg';

import { until } from './until.ts';
import type { LocalWorld } from './world.ts';

const IN_PROGRESS = `state = 'ready' and last_error like '%an attempt may still be under way%'`;

/**
 * Waits until a post cannot be looked up because its call may still be in progress, then lets the fifteen
 * seconds pass that such a call may take.
 */
export async function expireAttempt({ clock, environment }: LocalWorld): Promise<void> {
  const database = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await database.connect();
  try {
    await until('a post whose call may be under way', async () => {
      const { rows } = await database.query(`select from bridge.job where ${IN_PROGRESS}`);
      return rows.length > 0;
    });
    clock.pass(15_000);
    // Jobs use the database's clock.
    await database.query(
      `with due as (update bridge.job set run_at = now() where ${IN_PROGRESS} returning queue)
        select pg_notify('deskbridge_jobs_bridge', queue) from due group by queue`,
    );
  } finally {
    await database.end();
  }
}
