import { sql } from 'kysely';

import type { Tx } from '../database/open.ts';
import { prepared } from '../database/prepared.ts';
import type { NewJob } from './job.ts';
import type { LanesTables } from './schema.ts';
import { CHANNEL, laneLock } from './statements.ts';

const lock = (queue: string, key: string) => sql.raw(laneLock(queue, key));

/**
 * Adds jobs in the caller's transaction: they exist if and only if it commits, and workers are woken then.
 *
 * Locks the lanes it adds to until then, in an order of their own, so one call with several jobs cannot deadlock with
 * another; two calls in one transaction could. Take row locks before, not after it: the order everywhere is rows,
 * then lanes.
 */
export async function enqueue<Tables extends LanesTables>(
  tx: Tx<Tables>,
  jobs: readonly NewJob[],
): Promise<void> {
  if (jobs.length === 0) return;
  const queues = jobs.map((job) => job.queue);
  const keys = jobs.map((job) => job.key);
  const dedupes = jobs.map((job) => job.dedupe ?? null);
  const payloads = jobs.map((job) => JSON.stringify(job.payload));
  const delays = jobs.map((job) => job.delayMs ?? 0);

  // A statement of its own: what follows must see what was committed while it waited. A dedupe is locked like a lane,
  // or the job that another transaction is just adding could take the place at the head of nothing. Both are prepared:
  // planning them took five times as long as all the rest.
  await sql`${prepared('lanes-lock')}
    select pg_advisory_xact_lock(number) from (
      select ${lock('queue', 'key')} as number from unnest(${queues}::text[], ${keys}::text[]) as i (queue, key)
      union
      select hashtextextended(concat_ws(chr(31), current_schema(), 'dedupe', queue, dedupe), 0)
        from unnest(${queues}::text[], ${dedupes}::text[]) as i (queue, dedupe) where dedupe is not null
      order by 1
    ) as locks`.execute(tx);

  await sql`${prepared('lanes-enqueue')}
    with input as (
      select * from unnest(${queues}::text[], ${keys}::text[], ${dedupes}::text[], ${payloads}::text[], ${delays}::float8[])
        with ordinality as i (queue, key, dedupe, payload, delay_ms, place)
    ), fresh as (
      select *, row_number() over (partition by queue, key order by place) = 1 as first_of_lane from input i
      where dedupe is null or (
        not exists (select 1 from job j where j.queue = i.queue and j.dedupe = i.dedupe and j.state in ('ready', 'running'))
        and not exists (select 1 from input e where e.queue = i.queue and e.dedupe = i.dedupe and e.place < i.place))
    ), inserted as (
      insert into job (queue, key, dedupe, payload, head, run_at)
      select queue, key, dedupe, payload::json,
        first_of_lane
          and not exists (select 1 from job j where j.queue = fresh.queue and j.key = fresh.key and j.state <> 'parked')
          and not exists (select 1 from job j where j.queue = fresh.queue and j.key = fresh.key and j.head),
        clock_timestamp() + delay_ms * interval '1 millisecond'
      from fresh order by place
      returning queue, head
    )
    select pg_notify(${sql.raw(CHANNEL)}, queue) from inserted where head group by queue`.execute(tx);
}
