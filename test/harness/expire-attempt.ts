import pg from 'pg';

import { makeDue } from './make-due.ts';
import { until } from './until.ts';
import type { LocalWorld } from './world.ts';

const UNDER_WAY = `error like '%an attempt may still be under way%'`;

/**
 * Waits until a post cannot be looked up because its call may still be in progress, then lets the fifteen
 * seconds pass that such a call may take.
 */
export async function expireAttempt({ clock, environment }: LocalWorld): Promise<void> {
  const database = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await database.connect();
  try {
    await until('a post whose call may be under way', async () => {
      const { rows } = await database.query(
        `select from bridge.work where done_at is null and dead_at is null and ${UNDER_WAY}`,
      );
      return rows.length > 0;
    });
    clock.pass(15_000);
    // The engine uses the database's clock.
    await makeDue(database, UNDER_WAY);
  } finally {
    await database.end();
  }
}
