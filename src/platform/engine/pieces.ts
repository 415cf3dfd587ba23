// The statements about work. The lane of what they change is locked (lanes.ts).

import { type RawBuilder, sql } from 'kysely';

import type { Tx } from '../database/open.ts';
import type { EngineTables } from './tables.ts';
import type { NewWork } from './work.ts';

/** A row of `work`, as it is handed to a handler. */
export interface StoredWork {
  id: number;
  lane: string;
  kind: string;
  event_key: string | null;
  body: unknown;
  trace: string | null;
  added_at: Date;
  /** Milliseconds since it was added. */
  waited_ms: number;
  attempts: number;
  begins: number;
  started_at: Date | null;
}

/**
 * Lets work that has not begun count for what is added with its key, too, at the earlier of their times.
 * @returns the keys of which there is such work, and whether it is due sooner now.
 */
export async function mergeWork<Tables extends EngineTables>(
  tx: Tx<Tables>,
  work: readonly NewWork[],
  { now }: { now: RawBuilder<Date> },
): Promise<Map<string, 'sooner' | 'as it was'>> {
  const merging = work.filter(({ mergeKey }) => mergeKey !== undefined);
  if (merging.length === 0) return new Map();
  const added = sql`unnest(${merging.map(({ mergeKey }) => mergeKey)}::text[],
    ${merging.map(({ delayMs }) => delayMs ?? 0)}::float8[]) as added (merge_key, delay_ms)`;
  const sooner = sql<boolean>`${now} + added.delay_ms * interval '1 millisecond' < work.not_before`;
  // 1. What waits already; most of it is due soon enough.
  const { rows } = await sql<{ key: string; is_sooner: boolean }>`
    select work.merge_key as key, bool_or(${sooner}) as is_sooner
    from work join ${added} on added.merge_key = work.merge_key
    group by work.merge_key`.execute(tx);
  // 2. The rest is due sooner.
  if (rows.some((row) => row.is_sooner))
    await sql`
      update work set not_before = least(work.not_before, ${now} + added.delay_ms * interval '1 millisecond')
      from ${added} where work.merge_key = added.merge_key`.execute(tx);
  return new Map(rows.map(({ key, is_sooner }) => [key, is_sooner ? 'sooner' : 'as it was']));
}

/**
 * Adds work that is not there yet, by its keys. Within a lane its ids ascend in the order of `work`.
 * @param lanes the lane that each piece goes to.
 * @returns the event keys of what is new.
 */
export async function insertWork<Tables extends EngineTables>(
  tx: Tx<Tables>,
  work: readonly NewWork[],
  lanes: readonly string[],
  { now, trace }: { now: RawBuilder<Date>; trace: string | undefined },
): Promise<Set<string>> {
  if (work.length === 0) return new Set();
  const { rows } = await sql<{ event_key: string | null }>`
    insert into work (lane, kind, event_key, merge_key, body, trace, added_at, not_before, depends_on)
    select lane, kind, event_key, merge_key, body::json, ${trace ?? null}::text, ${now},
      ${now} + delay_ms * interval '1 millisecond',
      depends_on
    from unnest(
      ${lanes}::text[],
      ${work.map(({ kind }) => kind.name)}::text[],
      ${work.map(({ eventKey }) => eventKey ?? null)}::text[],
      ${work.map(({ mergeKey }) => mergeKey ?? null)}::text[],
      ${work.map(({ body }) => JSON.stringify(body))}::text[],
      ${work.map(({ delayMs }) => delayMs ?? 0)}::float8[],
      ${work.map(({ dependsOn }) => dependsOn ?? null)}::text[]
    ) with ordinality as added (lane, kind, event_key, merge_key, body, delay_ms, depends_on, place)
    order by lane, place
    on conflict do nothing
    returning event_key`.execute(tx);
  return new Set(rows.flatMap(({ event_key }) => event_key ?? []));
}

/** Begins the first undone work of each lane, if it is due: from here on nothing is merged with it. */
export async function beginFirst<Tables extends EngineTables>(
  tx: Tx<Tables>,
  lanes: readonly string[],
  { now }: { now: RawBuilder<Date> },
): Promise<StoredWork[]> {
  const { rows } = await sql<StoredWork>`
    update work set attempts = attempts + 1, begins = begins + 1, merge_key = null
    from unnest(${lanes}::text[]) as of_lane (key), lateral (
      select id, not_before from work
      where lane = of_lane.key and done_at is null and dead_at is null
      order by id limit 1
    ) as first
    where work.id = first.id and first.not_before <= ${now}
    returning work.id, lane, kind, event_key, body, trace, added_at,
      extract(epoch from ${now} - added_at)::float8 * 1000 as waited_ms, attempts, begins, started_at`.execute(
    tx,
  );
  return rows;
}

/** Records that the work's effect on another system begins now. */
export async function markStarted<Tables extends EngineTables>(
  tx: Tx<Tables>,
  id: number,
  { now }: { now: RawBuilder<Date> },
): Promise<void> {
  await sql`update work set started_at = ${now} where id = ${id}`.execute(tx);
}

export async function endWork<Tables extends EngineTables>(
  tx: Tx<Tables>,
  id: number,
  outcome: string,
  { now }: { now: RawBuilder<Date> },
): Promise<void> {
  await sql`update work set done_at = ${now}, outcome = ${outcome}, error = null where id = ${id}`.execute(
    tx,
  );
}

/** Lets work be tried again after a time. An attempt that only waited for its turn does not count. */
export async function retryWork<Tables extends EngineTables>(
  tx: Tx<Tables>,
  id: number,
  { error, afterMs, countsAttempt }: { error: string; afterMs: number; countsAttempt: boolean },
  { now }: { now: RawBuilder<Date> },
): Promise<void> {
  await sql`
    update work set error = ${error}, not_before = ${now} + ${afterMs} * interval '1 millisecond',
      attempts = attempts - ${countsAttempt ? 0 : 1}
    where id = ${id} and done_at is null`.execute(tx);
}

export async function giveUpWork<Tables extends EngineTables>(
  tx: Tx<Tables>,
  id: number,
  { error, code }: { error: string; code: string | undefined },
  { now }: { now: RawBuilder<Date> },
): Promise<void> {
  await sql`
    update work set dead_at = ${now}, error = ${error}, error_code = ${code ?? null}
    where id = ${id} and done_at is null`.execute(tx);
}

/** The `error_code` of work that was given up because of what it depends on. */
const DEPENDS = 'depends';

/** Gives up what depends on dead letters with these keys, and what depends on that. */
export async function giveUpDependents<Tables extends EngineTables>(
  tx: Tx<Tables>,
  eventKeys: readonly string[],
  { now }: { now: RawBuilder<Date> },
): Promise<void> {
  let dead = eventKeys;
  while (dead.length > 0) {
    const { rows } = await sql<{ event_key: string | null }>`
      update work set dead_at = ${now}, error = 'it depends on ' || given_up.event_key || ', which was given up',
        error_code = ${DEPENDS}
      from work as given_up
      where work.depends_on = given_up.event_key and given_up.event_key = any(${dead}::text[])
        and given_up.dead_at is not null and work.done_at is null and work.dead_at is null
      returning work.event_key`.execute(tx);
    dead = rows.flatMap(({ event_key }) => event_key ?? []);
  }
}
