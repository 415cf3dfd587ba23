import type { Claim, Runner } from './statements.ts';

export interface FetchedJob extends Claim {
  payload: unknown;
  attempt: number;
  enqueuedAt: Date;
  /** Its handler had committed, but its worker died before the next job was promoted: only that is left to do. */
  done: boolean;
  /** What the statement that claimed it read for its handler. */
  prefetched: unknown;
}

export interface Fetched {
  jobs: FetchedJob[];
  /** Milliseconds until the next job is due or a lease of another worker ends; undefined if there is none. */
  nextInMs: number | undefined;
}

/** A claimed job as it was read, by itself or within json. */
export interface ClaimedRow {
  id: number;
  queue: string;
  ordering_key: string;
  payload: unknown;
  attempts: number;
  enqueued_at: Date | string;
  fence: number;
  prefetched?: unknown;
}

type Row = (ClaimedRow | { id: null }) & { state: string; next_in_ms: string | number | null };

export function fetchedJob(row: ClaimedRow, worker: string, done = false): FetchedJob {
  return {
    id: row.id,
    queue: row.queue,
    orderingKey: row.ordering_key,
    payload: row.payload,
    attempt: row.attempts,
    enqueuedAt: new Date(row.enqueued_at),
    worker,
    fence: row.fence,
    done,
    prefetched: row.prefetched,
  };
}

// Both steps and the look ahead in one round trip; this is the statement that runs most often.
// - `due` takes heads only, so the order within a key needs no further check. SKIP LOCKED lets workers pass each other.
// - `expired` rescues jobs whose worker died, so no separate sweeper is needed.
// - statement_timestamp(), not clock_timestamp(): the latter is volatile, so it cannot be an index condition, and every
// waiting job would be read. Not now(): that is the start of the transaction.
// - `any(array(…))`, not `in (…)`: trusting the statistics of an empty queue, the planner would otherwise join by
// reading the whole table.
// - `next` sees the table as before the update, so it looks for rows later than now. Each connection prepares it:
// planning took fourteen times as long as running it.
const FETCH = `
with due as materialized (
  select id from job
  where queue = $1 and head and state = 'ready' and run_at <= statement_timestamp()
  order by run_at, id limit $2 for update skip locked
), expired as materialized (
  select id from job
  where queue = $1 and state in ('running', 'done') and lease_until <= statement_timestamp()
  order by lease_until limit greatest(0, $2 - (select count(*) from due)) for update skip locked
), picked as (
  update job set
    state = case state when 'done' then 'done' else 'running' end,
    attempts = attempts + case state when 'done' then 0 else 1 end,
    worker = $3, fence = fence + 1, lease_until = clock_timestamp() + $4 * interval '1 millisecond'
  where id = any(array(select id from due union all select id from expired))
  returning id, queue, ordering_key, payload, attempts, enqueued_at, state, fence
), next as (
  select least(
    (select min(run_at) from job where queue = $1 and head and state = 'ready' and run_at > statement_timestamp()),
    (select min(lease_until) from job
      where queue = $1 and state in ('running', 'done') and lease_until > statement_timestamp() and worker <> $3)
  ) as at
)
select picked.*, extract(epoch from next.at - clock_timestamp()) * 1000 as next_in_ms
from next left join picked on true
order by picked.id`;

/** Claims up to `limit` due jobs of a queue for `leaseMs`. */
export async function fetchJobs(
  runner: Runner,
  options: { queue: string; limit: number; worker: string; leaseMs: number },
): Promise<Fetched> {
  const { queue, limit, worker, leaseMs } = options;
  const { rows } = await runner.query({
    name: 'jobs-fetch',
    text: FETCH,
    values: [queue, limit, worker, leaseMs],
  });
  const found = rows as unknown as Row[];
  const next = found[0]?.next_in_ms ?? null;
  return {
    jobs: found.flatMap((row) => (row.id === null ? [] : [fetchedJob(row, worker, row.state === 'done')])),
    nextInMs: next === null ? undefined : Math.max(0, Number(next)),
  };
}
