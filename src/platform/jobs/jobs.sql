-- Jobs: the first part of the schema of each module that has any.
--
-- The jobs of one queue with the same ordering key run one after the other, in the order of their ids. The head is the
-- only one of them that may run now; a dead head (see `state`) that holds its key keeps the others waiting. A lease is a
-- worker's claim on a job until a time, its fence the number of that claim, so that a worker that lost its lease cannot
-- act on the next one.

create table job (
  id bigint generated always as identity primary key,
  queue text not null,
  ordering_key text not null,
  -- At most one job with the same value is ready or running.
  dedupe_key text,
  -- json, not jsonb: jsonb refuses the NUL and lone surrogates that chat messages may contain.
  payload json not null,
  -- 'done': its handler has committed, and the next job of its key is about to become the head. 'dead': a dead letter,
  -- which an operator retries or discards.
  state text not null default 'ready' check (state in ('ready', 'running', 'done', 'dead')),
  head boolean not null,
  attempts integer not null default 0,
  run_at timestamptz not null,
  enqueued_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  worker text,
  fence integer not null default 0,
  last_error text,
  -- What kind of error made it a dead letter, for programs; its thrower chose it.
  error_code text,
  dead_at timestamptz,
  check ((state in ('running', 'done')) = (lease_until is not null and worker is not null)),
  check ((state = 'dead') = (dead_at is not null))
) with (
  -- Every job is a few updates and a delete: without frequent vacuum the fetch reads dead rows.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0
);
-- What a worker takes next.
create index job_due on job (queue, run_at, id) where head and state = 'ready';
create index job_leased on job (queue, lease_until) where state in ('running', 'done');
-- What comes next of an ordering key.
create index job_order on job (queue, ordering_key, id) where state <> 'dead';
create unique index job_one_head on job (queue, ordering_key) where head;
create unique index job_dedupe on job (queue, dedupe_key)
  where dedupe_key is not null and state in ('ready', 'running');

-- The functions below are single round trips whose plans a connection keeps. Each of their statements has a snapshot of
-- its own: what follows the lock sees what was committed while it waited. A plan that was made while the table was almost
-- empty would read the whole table until the next analyze, so they run without sequential scans, and where they join a
-- list of rows to a table, without joins that read all of it.

-- Adds jobs under the locks of their ordering keys, taken in one order everywhere, and notifies workers at commit: `queue`, or
-- `queue/milliseconds` if nothing is due before. A dedupe key is locked as well: a job that another transaction is just adding
-- could otherwise be taken for a head that exists. With `takers` (queue, worker, lease_ms, slots) a worker claims up to `slots`
-- heads of its queue that are due with this statement, which needs no notification and no fetch. Returns the claimed jobs.
create function enqueue_jobs(queues text[], ordering_keys text[], dedupe_keys text[], payloads text[], delays float8[],
  takers json default null)
returns json language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  claimed json;
begin
  perform pg_advisory_xact_lock(number) from (
    select hashtextextended(concat_ws(chr(31), current_schema(), 'ordering', queue, ordering_key), 0) as number
      from unnest(queues, ordering_keys) as i (queue, ordering_key)
    union
    select hashtextextended(concat_ws(chr(31), current_schema(), 'dedupe', queue, dedupe_key), 0)
      from unnest(queues, dedupe_keys) as i (queue, dedupe_key) where dedupe_key is not null
    order by 1
  ) as locks;
  with input as (
    select * from unnest(queues, ordering_keys, dedupe_keys, payloads, delays)
      with ordinality as i (queue, ordering_key, dedupe_key, payload, delay_ms, place)
  ), fresh as (
    select *, row_number() over (partition by queue, ordering_key order by place) = 1
        and not exists (select 1 from job j
          where j.queue = i.queue and j.ordering_key = i.ordering_key and j.state <> 'dead')
        and not exists (select 1 from job j
          where j.queue = i.queue and j.ordering_key = i.ordering_key and j.head) as is_head
    from input i
    where dedupe_key is null or (
      not exists (select 1 from job j
        where j.queue = i.queue and j.dedupe_key = i.dedupe_key and j.state in ('ready', 'running'))
      and not exists (select 1 from input e
        where e.queue = i.queue and e.dedupe_key = i.dedupe_key and e.place < i.place))
  ), assigned as (
    select fresh.*, worker, lease_ms, is_head and delay_ms = 0 and slots is not null
        and row_number() over (partition by queue, is_head and delay_ms = 0 order by place) <= slots as is_taken
    from fresh left join json_to_recordset(takers) as t (queue text, worker text, lease_ms float8, slots integer)
      using (queue)
  ), inserted as (
    insert into job (queue, ordering_key, dedupe_key, payload, head, run_at, state, attempts, fence, worker, lease_until)
    select queue, ordering_key, dedupe_key, payload::json, is_head,
      clock_timestamp() + delay_ms * interval '1 millisecond', case when is_taken then 'running' else 'ready' end,
      is_taken::integer, is_taken::integer, case when is_taken then worker end,
      case when is_taken then clock_timestamp() + lease_ms * interval '1 millisecond' end
    from assigned order by place
    returning id, queue, ordering_key, payload, attempts, enqueued_at, fence, head, state, run_at
  ), waiting as (
    select queue, ceil(extract(epoch from min(run_at) - clock_timestamp()) * 1000) as delay_ms
    from inserted where head and state = 'ready' group by queue
  ), notices as (
    select pg_notify('deskbridge_jobs_' || current_schema(), queue || case when delay_ms > 0 then '/' || delay_ms else '' end)
    from waiting
  )
  select (select json_agg(inserted order by id) from inserted where state = 'running') into claimed
    where (select count(*) from notices) >= 0;
  return claimed;
end $$;

-- Adds a job unless the one that its ordering key waits for has not started yet: that one is kept from starting until this
-- transaction commits, and then finds what it wrote.
create function enqueue_unless_waiting(of_queue text, of_key text, its_payload text, delay_ms float8)
returns void language plpgsql set enable_seqscan = off as $$
begin
  perform from job
    where queue = of_queue and ordering_key = of_key and head and state = 'ready' and attempts = 0
      and run_at > clock_timestamp()
    for key share skip locked;
  if not found then
    perform enqueue_jobs(array[of_queue], array[of_key], array[null], array[its_payload], array[delay_ms]);
  end if;
end $$;

-- Makes the first job of an ordering key its head, if it has none, and notifies workers at commit. Returns whether it did.
-- The caller holds the lock of the key.
create function promote_next_job(of_queue text, of_key text)
returns boolean language plpgsql set enable_seqscan = off as $$
begin
  update job set head = true
  where id = (
    select id from job where queue = of_queue and ordering_key = of_key and state <> 'dead' order by id limit 1
  ) and not exists (select 1 from job where queue = of_queue and ordering_key = of_key and head);
  if not found then
    return false;
  end if;
  perform pg_notify('deskbridge_jobs_' || current_schema(), of_queue);
  return true;
end $$;

-- Removes a finished job, if that claim on it still holds, and promotes the next one of its ordering key. Returns whether
-- the claim held.
create function finish_job(job_id bigint, claimed_by text, claim_fence integer, states text[], of_queue text, of_key text)
returns boolean language plpgsql set enable_seqscan = off as $$
declare
  held boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_schema(), 'ordering', of_queue, of_key), 0));
  delete from job where id = job_id and worker = claimed_by and fence = claim_fence and state = any(states);
  held := found;
  perform promote_next_job(of_queue, of_key);
  return held;
end $$;

-- Ends a job as the last statement of its handler's transaction: 'promoted' when the next job is promoted in that
-- transaction; 'marked' when another transaction is adding to the ordering key, and finish_job is to promote the next job;
-- null when the claim is lost. It never waits for the lock: the transaction may hold other keys, whose handlers may be
-- adding to this one.
create function complete_job(job_id bigint, claimed_by text, claim_fence integer, of_queue text, of_key text)
returns text language plpgsql set enable_seqscan = off as $$
begin
  if not pg_try_advisory_xact_lock(
    hashtextextended(concat_ws(chr(31), current_schema(), 'ordering', of_queue, of_key), 0)) then
    update job set state = 'done'
      where id = job_id and worker = claimed_by and fence = claim_fence and state in ('running', 'done');
    return case when found then 'marked' end;
  end if;
  delete from job
    where id = job_id and worker = claimed_by and fence = claim_fence and state in ('running', 'done');
  if not found then
    return null;
  end if;
  perform promote_next_job(of_queue, of_key);
  return 'promoted';
end $$;

-- As complete_job, as part of another function: where the claim is lost, everything that the statement did is undone.
create function end_job(job_id bigint, claimed_by text, claim_fence integer, of_queue text, of_key text)
returns text language plpgsql as $$
declare
  ended text := complete_job(job_id, claimed_by, claim_fence, of_queue, of_key);
begin
  if ended is null then
    raise exception 'the lease of job % is lost', job_id using errcode = 'JB001';
  end if;
  return ended;
end $$;

-- As end_job, for several jobs at once, each with its own ordering key. With `next_lease_ms` the worker takes the next job of
-- the key with it, if that is due: a busy key needs no notification and no fetch between its jobs. A job whose claim is lost
-- has no row in the result.
create type job_ending as (
  id bigint, queue text, ordering_key text, worker text, fence integer, next_lease_ms float8
);
create function end_jobs(claims job_ending[])
returns table (id bigint, ended text, next json)
language plpgsql rows 10 set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  free bigint[];
begin
  -- A statement of its own: the next one sees what was committed before the locks were taken.
  select array_agg(id) into free
    from unnest(claims)
    where pg_try_advisory_xact_lock(
      hashtextextended(concat_ws(chr(31), current_schema(), 'ordering', queue, ordering_key), 0));
  return query with claim as (
    select c.*, coalesce(c.id = any(free), false) as is_free from unnest(claims) as c
  ), removed as (
    delete from job using claim
    where job.id = claim.id and job.worker = claim.worker and job.fence = claim.fence
      and state in ('running', 'done') and is_free
    returning claim.*
  ), marked as (
    update job set state = 'done' from claim
    where job.id = claim.id and job.worker = claim.worker and job.fence = claim.fence
      and state in ('running', 'done') and not is_free
    returning job.id
  ), following as materialized (
    select removed.id as after, removed.worker as by, next_lease_ms, waiting.id,
      next_lease_ms is not null and waiting.state = 'ready' and waiting.run_at <= clock_timestamp() as is_taken
    from removed cross join lateral (
      select id, state, run_at from job
      where queue = removed.queue and ordering_key = removed.ordering_key and state <> 'dead' and id <> removed.id
      order by id limit 1) as waiting
    where not exists (
      select from job
      where queue = removed.queue and ordering_key = removed.ordering_key and head and id <> removed.id)
  ), promoted as (
    update job set head = true,
      state = case when is_taken then 'running' else state end,
      attempts = attempts + is_taken::integer, fence = fence + is_taken::integer,
      worker = case when is_taken then by end,
      lease_until = case when is_taken then clock_timestamp() + next_lease_ms * interval '1 millisecond' end
    from following where job.id = following.id
    returning after, is_taken, job.id, queue, ordering_key, payload, attempts, enqueued_at, fence
  ), notices as (
    select pg_notify('deskbridge_jobs_' || current_schema(), queue) from promoted where not is_taken group by queue
  )
  select removed.id, 'promoted', case when is_taken then to_json(promoted) end
    from removed left join promoted on after = removed.id
    where (select count(*) from notices) >= 0
  union all select id, 'marked', null from marked;
end $$;
