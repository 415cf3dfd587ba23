// The statements about lanes. Locks: lanes are locked last in a transaction, all that it touches at once and in the
// order of their keys; what is computed from work is computed by a statement after that lock, since a statement that
// waited for a lock still sees what was committed before it began.

import { type RawBuilder, sql } from 'kysely';

import { type Db, Outdated, type Tx } from '../database/open.ts';
import type { EngineTables } from './tables.ts';

/** The time by the database's clock, which all processes share; in whole milliseconds, as it is stored, never later. */
export const DATABASE_NOW: RawBuilder<Date> = sql`date_trunc('milliseconds', clock_timestamp())`;

/** A claim of a lane by this process. */
export interface Claim {
  readonly lane: string;
  readonly fence: number;
}

/** By which process a lane is claimed, and for how long. */
interface Lease {
  now: RawBuilder<Date>;
  process: string;
  leaseMs: number;
}

export interface LockedLane {
  key: string;
  class: string;
  fence: number;
  moved_to: string | null;
}

/** The lanes that are there, before any is locked. */
export interface KnownLanes {
  /** Returns the lane that has the work of a lane now. */
  of(key: string): string;
  has(key: string): boolean;
}

/** Reads which of these lanes are there, and follows those that were moved. */
export async function readLanes<Tables extends EngineTables>(
  tx: Tx<Tables>,
  keys: readonly string[],
): Promise<KnownLanes> {
  const movedTo = new Map<string, string | null>();
  let wanted: readonly string[] = keys;
  while (wanted.length > 0) {
    const { rows } = await sql<{ key: string; moved_to: string | null }>`
      select key, moved_to from lane where key = any(${wanted}::text[])`.execute(tx);
    for (const row of rows) movedTo.set(row.key, row.moved_to);
    wanted = rows.flatMap(({ moved_to: to }) => (to === null || movedTo.has(to) ? [] : [to]));
  }
  return {
    of: (key) => {
      let at = key;
      for (let next = movedTo.get(at); next !== undefined && next !== null; next = movedTo.get(at)) at = next;
      return at;
    },
    has: (key) => movedTo.has(key),
  };
}

/** Makes lanes; another process may make the same at the same time. */
export async function makeLanes<Tables extends EngineTables>(
  tx: Tx<Tables>,
  classes: ReadonlyMap<string, string>,
): Promise<void> {
  await sql`
    insert into lane (key, class)
    select key, class from unnest(${[...classes.keys()]}::text[], ${[...classes.values()]}::text[]) as made (key, class)
    order by key
    on conflict do nothing`.execute(tx);
}

/**
 * Locks lanes, all that the transaction touches.
 * @throws Outdated if one was deleted since it was made.
 */
export async function lockLanes<Tables extends EngineTables>(
  tx: Tx<Tables>,
  keys: ReadonlySet<string>,
): Promise<Map<string, LockedLane>> {
  if (keys.size === 0) return new Map();
  const { rows } = await sql<LockedLane>`
    select key, class, fence, moved_to from lane
    where key = any(${[...keys]}::text[])
    order by key
    for no key update`.execute(tx);
  if (rows.length < keys.size) throw new Outdated('a lane was deleted before it was locked');
  return new Map(rows.map((row) => [row.key, row]));
}

/** Claims up to `limit` lanes of a class that have due work, those first that have been due for longest. */
export async function claimDueLanes<Tables extends EngineTables>(
  tx: Tx<Tables>,
  { now, process, leaseMs }: Lease,
  {
    class: ofClass,
    limit,
    held,
  }: {
    class: string;
    limit: number;
    /** The lanes that this process works: a lease of its own on another lane is of a claim whose answer was lost. */
    held: readonly string[];
  },
): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    with due as materialized (
      select key from lane
      where class = ${ofClass} and wake_at <= ${now}
        and (leased_until is null or leased_until <= ${now}
          or (leased_by = ${process} and key <> all(${held}::text[])))
      order by wake_at
      limit ${limit}
      for no key update skip locked
    )
    update lane set fence = nextval('lane_fence'), leased_by = ${process}, leased_until = ${now} + ${leaseMs}
      * interval '1 millisecond'
    from due where lane.key = due.key
    returning lane.key as lane, fence`.execute(tx);
  return rows;
}

/** Claims locked lanes that nobody has. */
export async function claimLockedLanes<Tables extends EngineTables>(
  tx: Tx<Tables>,
  { now, process, leaseMs }: Lease,
  keys: readonly string[],
): Promise<Claim[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<Claim>`
    update lane set fence = nextval('lane_fence'), leased_by = ${process}, leased_until = ${now} + ${leaseMs}
      * interval '1 millisecond'
    where key = any(${keys}::text[])
    returning key as lane, fence`.execute(tx);
  return rows;
}

/**
 * Extends the leases of these claims, unless they have ended: a lane may come to rest while this waits for its lock,
 * and nobody would work it until the lease that it got then is over.
 * @returns the fences of those that still hold.
 */
export async function renewLeases<Tables extends EngineTables>(
  tx: Tx<Tables>,
  claims: readonly Claim[],
  { now, process, leaseMs }: Lease,
): Promise<Set<number>> {
  const { rows } = await sql<{ fence: number }>`
    with held as materialized (
      select key from lane where fence = any(${claims.map(({ fence }) => fence)}::bigint[])
        and key = any(${claims.map(({ lane }) => lane)}::text[]) and leased_by = ${process}
      order by key
      for no key update
    )
    update lane set leased_until = ${now} + ${leaseMs} * interval '1 millisecond'
    from held where lane.key = held.key
    returning fence`.execute(tx);
  return new Set(rows.map(({ fence }) => fence));
}

/** Gives claims back, as far as they still hold; their lanes stay due. */
export async function releaseClaims<Tables extends EngineTables>(
  tx: Tx<Tables>,
  claims: readonly Claim[],
): Promise<void> {
  await sql`
    with held as materialized (
      select key from lane where fence = any(${claims.map(({ fence }) => fence)}::bigint[])
        and key = any(${claims.map(({ lane }) => lane)}::text[])
      order by key
      for no key update
    )
    update lane set leased_by = null, leased_until = null from held where lane.key = held.key`.execute(tx);
}

/**
 * Ends the claim of a locked lane, which is due when its first undone work is.
 * @param behind it has had its turn: lanes that are due by now go first.
 * @returns milliseconds until it is due; undefined if it has no work.
 */
export async function restLane<Tables extends EngineTables>(
  tx: Tx<Tables>,
  key: string,
  { now, behind }: { now: RawBuilder<Date>; behind: boolean },
): Promise<number | undefined> {
  const due = behind ? sql`greatest(not_before, ${now})` : sql`not_before`;
  const { rows } = await sql<{ ms: number | null }>`
    update lane set leased_by = null, leased_until = null, wake_at = (
      select ${due} from work
      where lane = ${key} and done_at is null and dead_at is null
      order by id limit 1)
    where key = ${key}
    returning (extract(epoch from wake_at - ${now}) * 1000)::float8 as ms`.execute(tx);
  return rows[0]?.ms ?? undefined;
}

/** A lane that is due sooner than before. */
export interface WokenLane {
  key: string;
  class: string;
  /** Whether it is due now, and nobody has it. */
  is_free: boolean;
}

/**
 * Records when locked lanes are due to which work was added. A lane that was due already keeps its place among the
 * others.
 * @returns those that are due sooner than before.
 */
export async function wakeLanes<Tables extends EngineTables>(
  tx: Tx<Tables>,
  keys: readonly string[],
  { now }: { now: RawBuilder<Date> },
): Promise<WokenLane[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<WokenLane>`
    update lane set wake_at = first.not_before
    from unnest(${keys}::text[]) as of_lane (key), lateral (
      select not_before from work
      where lane = of_lane.key and done_at is null and dead_at is null
      order by id limit 1
    ) as first
    where lane.key = of_lane.key and (wake_at is null or (wake_at > ${now} and first.not_before < wake_at))
    returning lane.key, class, wake_at <= ${now} and (leased_until is null or leased_until <= ${now}) as is_free`.execute(
    tx,
  );
  return rows;
}

/**
 * Gives all undone work of a locked lane to another locked one; what this lane's process still does no longer counts.
 * Ids stay, so the work of both is in the order in which it was added.
 */
export async function moveLane<Tables extends EngineTables>(
  tx: Tx<Tables>,
  from: string,
  to: string,
): Promise<void> {
  await sql`
    update work set lane = ${to} where lane = ${from} and done_at is null`.execute(tx);
  await sql`
    update lane set fence = nextval('lane_fence'), leased_by = null, leased_until = null, wake_at = null,
      moved_to = ${to}
    where key = ${from}`.execute(tx);
}

/** Milliseconds until the next lane of a class is due that is not yet; undefined if none is planned. */
export async function untilNextDue<Tables extends EngineTables>(
  db: Db<Tables>,
  ofClass: string,
  { now }: { now: RawBuilder<Date> },
): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from wake_at - ${now}) * 1000)::float8 as ms from lane
    where class = ${ofClass} and wake_at > ${now}
    order by wake_at limit 1`.execute(db);
  return rows[0]?.ms;
}

/** Tells all processes that lanes of these classes are due sooner than they know. */
export async function notifyClasses<Tables extends EngineTables>(
  tx: Tx<Tables>,
  channel: string,
  woken: readonly { class: string }[],
): Promise<void> {
  if (woken.length === 0) return;
  const classes = [...new Set(woken.map((lane) => lane.class))];
  await sql`select pg_notify(${channel}, class) from unnest(${classes}::text[]) as woken (class)`.execute(tx);
}
