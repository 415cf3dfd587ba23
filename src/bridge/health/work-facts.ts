import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { MigrationError, pendingMigrations } from '../../platform/database/migrate.ts';
import type { Database } from '../../platform/database/open.ts';
import { createJobs } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log.ts';
import { driftOf, readRounds } from '../reconcile/findings.ts';
import { migrations } from '../schema/migrations.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** The database's name for the connections of a running bridge. */
export const PROCESS_NAME = 'deskbridge bridge';

export interface QueueFacts {
  queue: string;
  dead: number;
  oldestSeconds: number;
}

/** The state of the bridge's own work. */
export interface WorkFacts {
  queues: readonly QueueFacts[];
  /** Posts that were started without a recorded response, and the age of the oldest. */
  sending: { count: number; oldestMs: number };
  drift: number;
  /** When reconciliation last started to read the service; undefined before the first time. */
  comparedAt: Date | undefined;
}

/** The state of the database before its contents are read. */
export interface DatabaseFacts {
  /** How long a bridge has been connected to it, in milliseconds; undefined if none is. */
  runningMs: number | undefined;
  /** Pending steps of its schema; or why this version cannot use it. */
  schema: { pending: readonly string[] } | { unusable: string };
}

/** Throws the database's error if it is unavailable. */
export async function readDatabase(database: Database<BridgeTables>): Promise<DatabaseFacts> {
  const { rows } = await sql<{ running_ms: number | null }>`
    select (extract(epoch from clock_timestamp() - min(backend_start)) * 1000)::float8 as running_ms
    from pg_stat_activity
    where datname = current_database() and application_name = ${PROCESS_NAME}`.execute(database.db);
  const runningMs = rows[0]?.running_ms ?? undefined;
  try {
    const pending = await pendingMigrations(database, migrations);
    return { runningMs, schema: { pending } };
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return { runningMs, schema: { unusable: error.message } };
  }
}

/** Throws the database's error if it is unavailable. */
export async function readWork(
  database: Database<BridgeTables>,
  { clock, log }: { clock: Clock; log: Log },
): Promise<WorkFacts> {
  const { db } = database;
  const [sending] = await db
    .selectFrom('outbox')
    .select((select) => [
      select.fn.countAll<number>().as('count'),
      select.fn.min('sending_since').as('oldest'),
    ])
    .where('state', '=', 'sending')
    .execute();
  const service = await readRounds(db, 'service');
  return {
    queues: await createJobs({ database, log }).stats(),
    sending: {
      count: sending?.count ?? 0,
      oldestMs: sending?.oldest ? clock.now().getTime() - sending.oldest.getTime() : 0,
    },
    drift: await driftOf(db),
    comparedAt: service ? new Date(service.current.startedAt) : undefined,
  };
}
