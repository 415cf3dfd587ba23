import type { Migration } from '../database/migrate.ts';

// Steps that were released: their texts say again what `statements.ts` says of locks and channels, because they stay.

/**
 * The two changes of a lane that every job takes, each one round trip whose plans a connection keeps. Each of their
 * statements has a snapshot of its own: what follows the lock sees what was committed while it waited. A plan that was
 * made while the table was all but empty would read all of it for as long as nobody counts what came since; hence no
 * sequential scans.
 * @param name the step's, which is another one in each room.
 */
export const laneFunctions = (name: string): Migration => ({
  name,
  sql: `
-- Adds jobs under the locks of their lanes, taken in an order of their own, and wakes workers at commit. A dedupe is
-- locked like a lane, or the job that another transaction is just adding could take the place at the head of nothing.
create function enqueue_jobs(queues text[], keys text[], dedupes text[], payloads text[], delays float8[])
returns void language plpgsql set enable_seqscan = off as $$
declare
  woken bigint;
begin
  perform pg_advisory_xact_lock(number) from (
    select hashtextextended(concat_ws(chr(31), current_schema(), 'lane', queue, key), 0) as number from unnest(queues, keys) as i (queue, key)
    union
    select hashtextextended(concat_ws(chr(31), current_schema(), 'dedupe', queue, dedupe), 0)
      from unnest(queues, dedupes) as i (queue, dedupe) where dedupe is not null
    order by 1
  ) as locks;
  with input as (
    select * from unnest(queues, keys, dedupes, payloads, delays)
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
  ), told as (
    select pg_notify('deskbridge_lanes_' || current_schema(), queue) from inserted where head group by queue
  )
  select count(*) into woken from told;
end $$;

-- Takes away a job that is done, if that claim on it still holds, and makes the next of its lane the head.
create function finish_job(job_id bigint, claimed_by text, claim_fence integer, states text[], lane_queue text, lane_key text)
returns boolean language plpgsql set enable_seqscan = off as $$
declare
  held boolean;
  woken bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_schema(), 'lane', lane_queue, lane_key), 0));
  delete from job where id = job_id and worker = claimed_by and fence = claim_fence and state = any(states);
  held := found;
  with first as (
    select id from job where queue = lane_queue and key = lane_key and state <> 'parked' order by id limit 1
  ), promoted as (
    update job set head = true from first
    where job.id = first.id
      and not exists (select 1 from job h where h.queue = lane_queue and h.key = lane_key and h.head)
    returning 1
  ), told as (
    select pg_notify('deskbridge_lanes_' || current_schema(), lane_queue) from promoted
  )
  select count(*) into woken from told;
  return held;
end $$;
`,
});

/**
 * The end of a job within the transaction of its handler, and the one place that says how a lane moves on.
 * @param name the step's, which is another one in each room.
 */
export const laneCompletion = (name: string): Migration => ({
  name,
  sql: `
-- Makes the first job of a lane its head, if it has none, and wakes workers for it at commit. Whether it did. The caller
-- holds the lock of the lane.
create function promote_lane(lane_queue text, lane_key text)
returns boolean language plpgsql set enable_seqscan = off as $$
begin
  update job set head = true
  where id = (
    select id from job where queue = lane_queue and key = lane_key and state <> 'parked' order by id limit 1
  ) and not exists (select 1 from job where queue = lane_queue and key = lane_key and head);
  if not found then
    return false;
  end if;
  perform pg_notify('deskbridge_lanes_' || current_schema(), lane_queue);
  return true;
end $$;

create or replace function finish_job(job_id bigint, claimed_by text, claim_fence integer, states text[], lane_queue text, lane_key text)
returns boolean language plpgsql set enable_seqscan = off as $$
declare
  held boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_schema(), 'lane', lane_queue, lane_key), 0));
  delete from job where id = job_id and worker = claimed_by and fence = claim_fence and state = any(states);
  held := found;
  perform promote_lane(lane_queue, lane_key);
  return held;
end $$;

-- Ends a job as the last statement of its handler's transaction: 'moved' when the lane moves on with that transaction;
-- 'marked' when somebody is just adding to the lane, which then moves on by finish_job; null when the claim is lost.
-- It never waits for the lane: the transaction may hold other lanes, whose handlers may be adding to this one.
create function complete_job(job_id bigint, claimed_by text, claim_fence integer, lane_queue text, lane_key text)
returns text language plpgsql set enable_seqscan = off as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_schema(), 'lane', lane_queue, lane_key), 0)) then
    update job set state = 'done'
      where id = job_id and worker = claimed_by and fence = claim_fence and state in ('running', 'done');
    return case when found then 'marked' end;
  end if;
  delete from job
    where id = job_id and worker = claimed_by and fence = claim_fence and state in ('running', 'done');
  if not found then
    return null;
  end if;
  perform promote_lane(lane_queue, lane_key);
  return 'moved';
end $$;
`,
});
