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
  const { rowCount } = await database.query(
    `with due as (update bridge.work set not_before = now() where done_at is null and dead_at is null and ${which} returning lane),
        lanes as (update bridge.lane set wake_at = now() from due where key = due.lane returning class)
      select pg_notify('bridge.work', class) from lanes`,
    [...values],
  );
  return rowCount ?? 0;
}
