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
  // Lanes before their work, in the order in which the engine locks them: else each could wait for the other.
  const { rowCount } = await database.query(
    `with chosen as (
        select key from bridge.lane where key in (select lane from bridge.work where ${waiting}) order by key for update),
      due as (
        update bridge.work set not_before = now() where lane in (select key from chosen) and ${waiting} returning lane),
      woken as (update bridge.lane set wake_at = now() from due where key = due.lane returning class)
      select pg_notify('bridge.work', class) from woken`,
    [...values],
  );
  return rowCount ?? 0;
}
