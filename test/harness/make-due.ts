import type pg from 'pg';

/**
 * Makes planned work of the bridge due now, as time would.
 * @param which a condition on rows of `work`.
 * @returns how many pieces there were.
 */
export async function makeDue(
  database: pg.Client,
  which: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const waiting = `done_at is null and dead_at is null and ${which}`;
  const parameters = [...values];
  await database.query('begin');
  // Lanes before their work, in the order in which the engine locks them: else each could wait for the other. Each step
  // is a statement of its own, which sees what was committed while the one before waited for a lock.
  await database.query(
    `select key from bridge.lane where key in (select lane from bridge.work where ${waiting}) order by key for update`,
    parameters,
  );
  const { rows } = await database.query<{ lane: string }>(
    `update bridge.work set not_before = now() where ${waiting} returning lane`,
    parameters,
  );
  const lanes = rows.map(({ lane }) => lane);
  await database.query(
    `with woken as (update bridge.lane set wake_at = now() where key = any($1::text[]) returning class)
      select pg_notify('bridge.work', class) from woken`,
    [lanes],
  );
  await database.query('commit');
  return rows.length;
}
