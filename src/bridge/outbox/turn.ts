import { sql } from 'kysely';

import { LIMITS, type Budget, BUDGETS, type WriteMethod } from '../slack/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, transaction, type Db } from '../../platform/database/open.ts';
import { paceKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { OutboxRow } from '../store/posts.ts';
import type { BridgeTx } from '../work.ts';

/** Priority if not everything can be sent at once: replies, then cards, then the bot's emoji. */
export type Rank = 'reply' | 'card' | 'reaction';
/** The rank of each kind of post. */
export type Ranks = Readonly<Record<string, Rank>>;

/** Returns the milliseconds for which a row of this kind lets rows of a higher priority go first. */
export function msToYield(ranks: Ranks, kind: string): number {
  switch (ranks[kind] ?? 'reply') {
    case 'reply':
      return 0;
    case 'card':
      return LIMITS.cardYieldsMs;
    case 'reaction':
      return LIMITS.reactionYieldsMs;
  }
}

/** The kinds with a higher priority. */
function kindsBefore(ranks: Ranks, kind: string): readonly string[] {
  return Object.keys(ranks).filter((other) => msToYield(ranks, other) < msToYield(ranks, kind));
}

/** The state of a budget for a row that needs a call of it. */
interface Standing {
  /** Milliseconds between two calls. */
  gapMs: number;
  /** Milliseconds until the budget's next call; negative if calls were saved up. */
  dueInMs: number;
  /** Rows that wait for a call of it and come before this one. */
  ahead: number;
}

/** Returns the milliseconds until a row may be sent in all its budgets: 0 is now. */
export function msUntilTurn(standings: readonly Standing[]): number {
  return Math.max(
    0,
    ...standings.map(({ gapMs, dueInMs, ahead }) => {
      const saved = Math.max(dueInMs, -(LIMITS.burst - 1) * gapMs);
      return Math.ceil(saved + ahead * gapMs);
    }),
  );
}

/** Minimum time until the next check. */
const LOOK_AGAIN_MS = 50;

/**
 * Returns the milliseconds for which a row waits for `better` rows of a higher priority in its channel; 0 if it may be
 * sent now. Never longer than its kind yields, counted from when it was planned.
 */
export function msLeftToYield({
  yields,
  better,
  waitedMs,
  gapMs,
}: {
  /** How long its kind yields. */
  yields: number;
  better: number;
  waitedMs: number;
  gapMs: number;
}): number {
  const rest = yields - waitedMs;
  if (better === 0 || rest <= 0) return 0;
  return Math.min(rest, Math.max(LOOK_AGAIN_MS, better * gapMs));
}

interface Taking {
  database: Database<BridgeTables>;
  clock: Clock;
}
interface Pacing {
  budgets: readonly Budget[];
  ranks: Ranks;
}
type Row = Pick<OutboxRow, 'id' | 'team_id' | 'channel_id' | 'kind' | 'planned_at'>;

/** A row that was due this long ago has lost its place: its process is dead or busy. */
const LATE_MS = 2_000;
/**
 * Maximum count of rows that come first: the row checks again anyway, and counting holds the lock of the whole
 * workspace.
 */
const COUNTED = 500;

interface Pace extends Budget {
  key: string;
  gapMs: number;
}

/** Returns the budgets that a call of a method needs. */
function pacesOf(
  { team_id, channel_id }: Pick<Row, 'team_id' | 'channel_id'>,
  method: WriteMethod,
  budgets: readonly Budget[],
): Pace[] {
  return budgets
    .filter((budget) => budget.method === method)
    .map((budget) => ({
      ...budget,
      key: paceKey(team_id, budget.per === 'channel' ? channel_id : '*', method),
      gapMs: gapMsOf(budget),
    }));
}

const gapMsOf = ({ perMinute }: Budget) => 60_000 / perMinute;

/** Milliseconds between two posts in a channel. */
function postGapMs(budgets: readonly Budget[]): number {
  return Math.max(
    0,
    ...budgets
      .filter(({ method, per }) => method === 'chat.postMessage' && per === 'channel')
      .map((budget) => gapMsOf(budget)),
  );
}

/**
 * Begins the call of a row, with a slot in every budget of its methods, after the rows that come first: then the row is
 * marked as being sent. Otherwise it is recorded as waiting, and no slot is taken: so a later row of a higher priority
 * still comes first. All replicas share the limits.
 * @returns milliseconds after which to try again; 0 if it begins.
 */
export async function takeTurn(
  tx: BridgeTx,
  { clock }: Pick<Taking, 'clock'>,
  row: Row,
  methods: readonly WriteMethod[],
  { budgets, ranks }: Pacing,
): Promise<number> {
  // 1. The budgets are locked, in one order.
  const paces = methods.flatMap((method) => pacesOf(row, method, budgets));
  const keys = paces.map(({ key }) => key);
  const dueIn = await lockPaces(tx, keys);
  // 2. What comes first is counted under those locks.
  const now = clock.now();
  const { better, ahead } = await countAhead(tx, row, methods, ranks, now);
  const yields = msLeftToYield({
    yields: msToYield(ranks, row.kind),
    better,
    waitedMs: now.getTime() - row.planned_at.getTime(),
    gapMs: postGapMs(budgets),
  });
  const standings = paces.map(({ key, gapMs, method, per }) => ({
    gapMs,
    dueInMs: dueIn.get(key) ?? 0,
    ahead: ahead(method, per),
  }));
  const afterMs = Math.max(yields, msUntilTurn(standings));
  // 3. It waits, or takes its slots.
  if (afterMs > 0) await recordWait(tx, row.id, new Date(now.getTime() + afterMs), methods[0]);
  else {
    await takeSlots(tx, paces);
    await markSending(tx, row.id, now);
  }
  return afterMs;
}

async function recordWait(
  tx: BridgeTx,
  id: string,
  until: Date,
  method: WriteMethod | undefined,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ not_before: until, waits_for: method ?? null })
    .where('id', '=', id)
    .execute();
}

async function markSending(tx: BridgeTx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'sending', sending_since: now, not_before: null, waits_for: null })
    .where('id', '=', id)
    .execute();
}

/** Takes the next call of each budget; up to `burst` calls are saved up. */
async function takeSlots(tx: BridgeTx, paces: readonly Pace[]): Promise<void> {
  await sql`
    update rate_limit set next_at = greatest(next_at, clock_timestamp() - gap * ${LIMITS.burst - 1}::integer) + gap
    from unnest(${paces.map(({ key }) => key)}::text[], ${paces.map(({ gapMs }) => gapMs)}::float8[]) as taken (taken_key, gap_ms),
      lateral (select gap_ms * interval '1 millisecond' as gap) as its
    where key = taken_key`.execute(tx);
}

/**
 * Applies a 429 with `Retry-After`: to posts in that channel, or to the method in the whole workspace. The row keeps
 * its place. All replicas obey.
 */
export async function holdBack(
  { database, clock }: Taking,
  row: Row,
  method: WriteMethod,
  forMs: number,
): Promise<void> {
  const narrowest = pacesOf(row, method, BUDGETS).find(
    ({ per }, _, all) => per === 'channel' || all.length === 1,
  );
  if (!narrowest) return;
  await transaction(database.db, async (tx) => {
    await sql`
      insert into rate_limit as p (key, next_at) values (${narrowest.key}, clock_timestamp() + ${seconds(forMs)})
      on conflict (key) do update set next_at = greatest(p.next_at, excluded.next_at)`.execute(tx);
    await tx
      .updateTable('outbox')
      .set({ not_before: new Date(clock.now().getTime() + forMs), waits_for: method })
      .where('id', '=', row.id)
      .execute();
  });
}

/** Locks the budgets, always in the same order. Resolves to the milliseconds until each has its next call. */
async function lockPaces(tx: BridgeTx, keys: readonly string[]): Promise<Map<string, number>> {
  // Before any is locked: with some of them locked, waiting for a row that was added meanwhile could deadlock.
  await sql`
    insert into rate_limit (key, next_at)
    select key, clock_timestamp() - interval '1 day' from unnest(${[...keys].sort()}::text[]) as k (key)
    where not exists (select from rate_limit as known where known.key = k.key)
    on conflict (key) do nothing`.execute(tx);
  await sql`select from rate_limit where key = any(${[...keys]}::text[]) order by key for update`.execute(tx);
  // A separate statement: its time must be later than the wait for the locks.
  const { rows } = await sql<{ key: string; due: number }>`
    select key, (extract(epoch from next_at - clock_timestamp()) * 1000)::double precision as due
    from rate_limit where key = any(${[...keys]}::text[])`.execute(tx);
  return new Map(rows.map(({ key, due }) => [key, due]));
}

/**
 * Counts the rows that come before a row. `ahead`: those that wait for a call of a method's budget and were planned
 * earlier, plus the time for which their kind yields. `better`: all unsent rows of a higher priority in its channel,
 * except those being retried. Both counts stop at `COUNTED`.
 */
async function countAhead(
  tx: BridgeTx,
  row: Row,
  methods: readonly WriteMethod[],
  ranks: Ranks,
  now: Date,
): Promise<{ better: number; ahead: (method: WriteMethod, per: Budget['per']) => number }> {
  const since = new Date(now.getTime() - LATE_MS);
  const yields = Object.fromEntries(Object.keys(ranks).map((kind) => [kind, msToYield(ranks, kind)]));
  // Of every kind, or two rows of one would each count the other as earlier, and wait for ever.
  const place = sql`(planned_at + (${JSON.stringify(yields)}::jsonb ->> kind)::double precision * interval '1 millisecond')`;
  const mine = new Date(row.planned_at.getTime() + msToYield(ranks, row.kind));
  const open = sql`state in ('planned', 'sending') and team_id = ${row.team_id} and id <> ${row.id}`;
  const before = [...kindsBefore(ranks, row.kind)];
  const { rows } = await sql<{ method: string | null; here: boolean; count: number }>`
    select waits_for as method, channel_id = ${row.channel_id} as here, count(*)::int as count from (
      select waits_for, channel_id from outbox
      where ${open} and waits_for = any(${[...methods]}::text[]) and not_before > ${since}::timestamptz
        and (${place}, id) < (${mine}::timestamptz, ${row.id})
      limit ${COUNTED}) as ahead
    group by 1, 2`.execute(tx);
  const better =
    before.length === 0
      ? undefined
      : await sql<{ count: number }>`
    select count(*)::int as count from (
      select from outbox
      where ${open} and channel_id = ${row.channel_id} and kind = any(${before}::text[])
        and (error is null or not_before > ${since}::timestamptz)
      limit ${COUNTED}) as better`.execute(tx);
  return {
    better: better?.rows[0]?.count ?? 0,
    ahead: (method, per) =>
      rows
        .filter((group) => group.method === method && (per === 'workspace' || group.here))
        .reduce((sum, { count }) => sum + count, 0),
  };
}

const seconds = (ms: number) => sql`make_interval(secs => ${ms / 1000}::double precision)`;

/**
 * Reserves the next slot of a rate limit that all replicas share, and returns the milliseconds until then (0: now).
 * Generic cell rate: one call per `gapMs`, with bursts of `burst`.
 */
export async function reserveTurn(
  db: Db<BridgeTables>,
  key: string,
  gapMs: number,
  burst: number,
): Promise<number> {
  const gap = sql`make_interval(secs => ${gapMs / 1000}::double precision)`;
  const credit = sql`make_interval(secs => ${(gapMs * (burst - 1)) / 1000}::double precision)`;
  const { rows } = await sql<{ wait: number }>`
    insert into rate_limit as p (key, next_at) values (${key}, clock_timestamp() - ${credit} + ${gap})
    on conflict (key) do update set next_at = greatest(p.next_at, clock_timestamp() - ${credit}) + ${gap}
    returning (extract(epoch from p.next_at - ${gap} - clock_timestamp()) * 1000)::double precision as wait`.execute(
    db,
  );
  return Math.max(0, Math.ceil(rows[0]?.wait ?? 0));
}
