import type { Generated, JSONColumnType } from 'kysely';

import type { Migration } from '../database/migrate.ts';

/**
 * Words of this folder. A *lane* is all jobs of one key in one queue: worked strictly one after the other, in the
 * order of their ids. Its *head* is the one job of it that may be worked now; a parked head holds its lane. *Due* is
 * a head whose time has come. A *lease* is a worker's claim on a job until a time, its *fence* the number of that
 * claim, so that a worker which lost one cannot act on the next.
 */
export interface JobTable {
  id: Generated<number>;
  queue: string;
  key: string;
  dedupe: string | null;
  payload: JSONColumnType<object>;
  /** `done`: its handler has committed, its lane is about to move on. */
  state: Generated<'ready' | 'running' | 'done' | 'parked'>;
  head: boolean;
  attempts: Generated<number>;
  run_at: Date;
  enqueued_at: Generated<Date>;
  lease_until: Date | null;
  worker: string | null;
  fence: Generated<number>;
  last_error: string | null;
  parked_at: Date | null;
}

/** What a room's tables must contain for lanes to work in its schema. */
export interface LanesTables {
  job: JobTable;
}

/** The job table, one per room: the search path of the connection decides which. */
export const lanesMigration: Migration = {
  name: '0000-lanes',
  sql: `
create table job (
  id bigint generated always as identity primary key,
  queue text not null,
  key text not null,
  dedupe text,
  -- json, not jsonb: jsonb refuses the NUL and lone surrogates that people's words may contain.
  payload json not null,
  state text not null default 'ready' check (state in ('ready', 'running', 'done', 'parked')),
  head boolean not null,
  attempts integer not null default 0,
  run_at timestamptz not null,
  enqueued_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  worker text,
  fence integer not null default 0,
  last_error text,
  parked_at timestamptz,
  check ((state in ('running', 'done')) = (lease_until is not null and worker is not null)),
  check ((state = 'parked') = (parked_at is not null))
) with (
  -- Every job is a few updates and a delete: without frequent vacuum the fetch reads dead rows.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0
);
-- What a worker takes next.
create index job_due on job (queue, run_at, id) where head and state = 'ready';
create index job_leased on job (queue, lease_until) where state in ('running', 'done');
-- What a lane works next.
create index job_lane on job (queue, key, id) where state <> 'parked';
create unique index job_one_head on job (queue, key) where head;
create unique index job_dedupe on job (queue, dedupe) where dedupe is not null and state in ('ready', 'running');
`,
};
