// What operators and tests ask of an engine's tables. Where they change work, its lanes are locked first.

import { sql } from 'kysely';

import { type Database, type Db, transaction, type Tx } from '../database/open.ts';
import type { Ground } from './ground.ts';
import { DATABASE_NOW, lockLanes, notifyClasses, wakeLanes } from './lanes.ts';
import type { EngineTables } from './tables.ts';

export interface DeadLetter {
  id: number;
  lane: string;
  kind: string;
  class: string;
  body: unknown;
  eventKey: string | null;
  attempts: number;
  deadAt: Date;
  reason: string;
  code: string | null;
}

/** Returns all dead letters, oldest first. */
export async function deadLetters<Tables extends EngineTables>(db: Db<Tables>): Promise<DeadLetter[]> {
  const { rows } = await sql<DeadLetter>`
    select id, lane, kind, class, body, event_key as "eventKey", attempts, dead_at as "deadAt", error as reason,
      error_code as code
    from work join lane on lane.key = work.lane
    where dead_at is not null
    order by dead_at, id`.execute(db);
  return rows;
}

/** Makes dead letters, with what was given up because of them, work again. Their ids are their places. */
export async function retryDeadLetters<Tables extends EngineTables>(
  { database, now, channel }: Pick<Ground<Tables>, 'database' | 'now' | 'channel'>,
  which: readonly number[] | 'all',
): Promise<number> {
  return transaction(database.db, async (tx) => {
    const chosen = await lockDead(tx, which);
    await sql`
      update work set dead_at = null, error = null, error_code = null, attempts = 0, not_before = ${now}
      where id = any(${chosen.ids}::bigint[])`.execute(tx);
    const woken = await wakeLanes(tx, chosen.lanes, { now });
    await notifyClasses(tx, channel, woken);
    return chosen.ids.length;
  });
}

/** Ends dead letters, with what was given up because of them. Their rows stay, to recognise what comes again. */
export async function discardDeadLetters<Tables extends EngineTables>(
  { database, now }: Pick<Ground<Tables>, 'database' | 'now'>,
  which: readonly number[] | 'all',
): Promise<number> {
  return transaction(database.db, async (tx) => {
    const chosen = await lockDead(tx, which);
    await sql`
      update work set dead_at = null, done_at = ${now}, outcome = 'discarded', body = null
      where id = any(${chosen.ids}::bigint[])`.execute(tx);
    return chosen.ids.length;
  });
}

/** Locks the lanes of dead letters, then finds those letters and what was given up with them. */
async function lockDead<Tables extends EngineTables>(
  tx: Tx<Tables>,
  which: readonly number[] | 'all',
): Promise<{ ids: number[]; lanes: string[] }> {
  const isChosen = which === 'all' ? sql`true` : sql`id = any(${which}::bigint[])`;
  const { rows: lanes } = await sql<{ lane: string }>`
    select distinct lane from work where dead_at is not null and ${isChosen}`.execute(tx);
  const keys = lanes.map(({ lane }) => lane);
  await lockLanes(tx, new Set(keys));
  const { rows } = await sql<{ id: number }>`
    with recursive chosen as (
      select id, event_key from work where dead_at is not null and lane = any(${keys}::text[]) and ${isChosen}
      union
      select work.id, work.event_key from work join chosen on work.depends_on = chosen.event_key
      where work.dead_at is not null and work.lane = any(${keys}::text[])
    )
    select id from chosen`.execute(tx);
  return { ids: rows.map(({ id }) => id), lanes: keys };
}

export interface ClassFigures {
  class: string;
  /** Work that is not done and not given up, due or not, begun or not. */
  undone: number;
  /** Lanes that are being worked. */
  running: number;
  /** Seconds since the oldest undone work was added; 0 if there is none. */
  oldestSeconds: number;
  dead: number;
}

/** Returns figures of all classes that have lanes, on a database whose engine may run in another process. */
export async function readClassFigures<Tables extends EngineTables>(
  database: Database<Tables>,
): Promise<ClassFigures[]> {
  const { rows } = await sql<{ class: string }>`select distinct class from lane`.execute(database.db);
  const classes = rows.map((row) => row.class);
  return classFigures({ database, now: DATABASE_NOW }, classes);
}

/** Returns figures of each of these classes. */
export async function classFigures<Tables extends EngineTables>(
  { database, now }: Pick<Ground<Tables>, 'database' | 'now'>,
  classes: readonly string[],
): Promise<ClassFigures[]> {
  const { rows } = await sql<ClassFigures>`
    select class,
      count(work.id) filter (where dead_at is null)::int as undone,
      (count(distinct key) filter (where leased_until > ${now}))::int as running,
      coalesce(extract(epoch from ${now} - min(added_at) filter (where dead_at is null)), 0)::float8 as "oldestSeconds",
      count(work.id) filter (where dead_at is not null)::int as dead
    from unnest(${classes}::text[]) as class
      left join lane using (class)
      left join work on work.lane = lane.key and done_at is null
    group by class order by class`.execute(database.db);
  return rows;
}

const FORGOTTEN_AT_ONCE = 1_000;

/** Deletes work that was done before a moment, and lanes without any, in batches. Returns how much work. */
export async function forgetDone<Tables extends EngineTables>(
  { database }: Pick<Ground<Tables>, 'database'>,
  before: Date,
): Promise<number> {
  let forgotten = 0;
  for (let isMore = true; isMore;) {
    const { numAffectedRows = 0n } = await sql`
      delete from work where id in (
        select id from work where done_at < ${before.toISOString()}::timestamptz limit ${FORGOTTEN_AT_ONCE})`.execute(
      database.db,
    );
    forgotten += Number(numAffectedRows);
    isMore = Number(numAffectedRows) === FORGOTTEN_AT_ONCE;
  }
  await forgetLanes(database.db);
  return forgotten;
}

/** Who adds work to a lane that is deleted meanwhile makes it again (`lockLanes`). Moved lanes stay. */
async function forgetLanes<Tables extends EngineTables>(db: Db<Tables>): Promise<void> {
  await sql`
    delete from lane where key in (
      select key from lane
      where wake_at is null and leased_by is null and moved_to is null
        and not exists (select from work where work.lane = lane.key)
      for update skip locked)`.execute(db);
}

/** Makes all work, or that of one class, due now; also what waits in a lane behind work that is due. */
export async function wakeAll<Tables extends EngineTables>(
  { database, now, channel }: Pick<Ground<Tables>, 'database' | 'now' | 'channel'>,
  ofClass?: string,
): Promise<void> {
  await transaction(database.db, async (tx) => {
    const isChosen = ofClass === undefined ? sql`true` : sql`class = ${ofClass}`;
    const { rows } = await sql<{ key: string; class: string }>`
      select key, class from lane where wake_at is not null and ${isChosen}`.execute(tx);
    const keys = rows.map(({ key }) => key);
    await sql`select key from lane where key = any(${keys}::text[]) order by key for no key update`.execute(
      tx,
    );
    await sql`
      update work set not_before = ${now}
      where lane = any(${keys}::text[]) and done_at is null and dead_at is null and not_before > ${now}`.execute(
      tx,
    );
    await sql`
      update lane set wake_at = ${now} where key = any(${keys}::text[]) and wake_at > ${now}`.execute(tx);
    await notifyClasses(tx, channel, rows);
  });
}

/** Returns whether no lane is due or leased. */
export async function isSettled<Tables extends EngineTables>({
  database,
  now,
}: Pick<Ground<Tables>, 'database' | 'now'>): Promise<boolean> {
  const { rows } = await sql<{ is_busy: boolean }>`
    select exists (select from lane where wake_at <= ${now} or leased_until is not null) as is_busy`.execute(
    database.db,
  );
  return rows[0]?.is_busy === false;
}
