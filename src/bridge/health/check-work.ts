import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { MigrationError, pendingMigrations } from '../../platform/database/migrate.ts';
import type { Database } from '../../platform/database/open.ts';
import { readClassFigures } from '../../platform/engine/index.ts';
import { driftOf, readRounds } from '../reconcile/findings.ts';
import { migrations } from '../schema/migrations.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { CLASSES } from '../work.ts';
import { counted, type Finding, lasting, findings } from './finding.ts';

/** The database's name for the connections of a running bridge. */
export const PROCESS_NAME = 'deskbridge bridge';

interface ClassFacts {
  class: string;
  dead: number;
  oldestSeconds: number;
}

export interface WorkFacts {
  classes: readonly ClassFacts[];
  /** Posts that were started without a recorded response, and the age of the oldest. */
  sending: { count: number; oldestMs: number };
  /** Files of chat that are not on their tickets yet, and the age of the oldest. */
  files: { count: number; oldestMs: number };
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
  { clock }: { clock: Clock },
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
  const [files] = await db
    .selectFrom('file_copy')
    .select((select) => [select.fn.countAll<number>().as('count'), select.fn.min('created_at').as('oldest')])
    .where('state', '=', 'waiting')
    .execute();
  const service = await readRounds(db, 'service');
  return {
    classes: await readClassFigures(database),
    sending: {
      count: sending?.count ?? 0,
      oldestMs: sending?.oldest ? clock.now().getTime() - sending.oldest.getTime() : 0,
    },
    files: {
      count: files?.count ?? 0,
      oldestMs: files?.oldest ? clock.now().getTime() - files.oldest.getTime() : 0,
    },
    drift: await driftOf(db),
    comparedAt: service ? new Date(service.current.startedAt) : undefined,
  };
}

/** Above this age a waiting event is reported. */
const AGE_WARN_MS = 60_000;
const AGE_BAD_MS = 5 * 60_000;
/** A call to Slack ends within fifteen seconds; one that is unsettled long after that has a reason. */
const SENDING_WARN_MS = 60_000;
const SENDING_BAD_MS = 10 * 60_000;

export function checkSchema({ schema }: DatabaseFacts): Finding {
  const { ok, warn, bad } = findings('database');
  if ('unusable' in schema) return bad('Another version of deskbridge made the database.', schema.unusable);
  return schema.pending.length === 0
    ? ok('The database answers and is up to date.')
    : warn(
        `The database lacks ${counted(schema.pending.length, 'step')} of its schema (${schema.pending.join(', ')}).`,
        'Start the bridge, or run `npx deskbridge migrate`.',
      );
}

export function checkRunning({ runningMs }: DatabaseFacts): Finding {
  const { ok, warn } = findings('running');
  return runningMs !== undefined
    ? ok('A bridge runs on this database.')
    : warn(
        'No bridge runs on this database: nothing is forwarded now, and some checks could not run.',
        'Run `deskbridge start` or `deskbridge bridge`, then run the doctor again.',
      );
}

/**
 * @param runningMs how long a bridge has been running; undefined if none is
 * @param everyMs interval of reconciliation in a running bridge
 */
export function checkWork(
  facts: WorkFacts,
  { now, runningMs, everyMs }: { now: Date; runningMs: number | undefined; everyMs: number },
): Finding[] {
  return [
    checkAges(facts),
    checkDeadLetters(facts),
    checkSending(facts),
    checkFiles(facts),
    checkDrift(facts),
    ...(runningMs === undefined ? [] : [checkReconciliation(facts, now, runningMs, everyMs)]),
  ];
}

/** Returns whether something has waited too long to be delivered. */
export async function isBehind(engine: { figures(): Promise<readonly ClassFacts[]> }): Promise<boolean> {
  return oldestOf(await engine.figures()) >= AGE_BAD_MS;
}

/** Classes with deliveries; others always have work for later. */
const CROSSING: readonly string[] = [CLASSES.conversation, CLASSES.command, CLASSES.chat];

/** Milliseconds. */
function oldestOf(classes: readonly ClassFacts[]): number {
  const ages = classes
    .filter((one) => CROSSING.includes(one.class))
    .map(({ oldestSeconds }) => oldestSeconds * 1000);
  return Math.max(0, ...ages);
}

function checkAges({ classes }: WorkFacts): Finding {
  const { ok, warn, bad } = findings('queues');
  const oldest = oldestOf(classes);
  if (oldest < AGE_WARN_MS) return ok('Nothing waits for long.');
  const says = `Something has waited for ${lasting(oldest)}.`;
  const fix =
    'Look at the findings about Slack and the service first: it may wait for either of them. Otherwise the log (`work failed`) says why it waits, and `bridge_retries_total` how often.';
  return oldest < AGE_BAD_MS ? warn(says, fix) : bad(says, fix);
}

function checkDeadLetters({ classes }: WorkFacts): Finding {
  const { ok, bad } = findings('dead-letters');
  const count = classes.reduce((sum, { dead }) => sum + dead, 0);
  return count === 0
    ? ok('No dead letters.')
    : bad(
        `${counted(count, 'item')} could not be delivered.`,
        '`npx deskbridge dead-letters list` shows why. Fix the cause, then run `npx deskbridge dead-letters retry all`, or `discard` those you no longer need.',
      );
}

function checkSending({ sending: { count, oldestMs } }: WorkFacts): Finding {
  const { ok, warn, bad } = findings('uncertain');
  if (oldestMs < SENDING_WARN_MS) return ok('No post is of unknown outcome.');
  const says = `${counted(count, 'post')} ${count === 1 ? 'is' : 'are'} of unknown outcome, since ${lasting(oldestMs)} at most.`;
  const fix = 'Each is looked up in Slack before it is retried; check the findings about Slack.';
  return oldestMs < SENDING_BAD_MS ? warn(says, fix) : bad(says, fix);
}

/** Longer than a large file takes. */
const FILES_WARN_MS = 15 * 60_000;

function checkFiles({ files: { count, oldestMs } }: WorkFacts): Finding {
  const { ok, warn } = findings('files');
  return oldestMs < FILES_WARN_MS
    ? ok('No file from Slack waits for long.')
    : warn(
        `${counted(count, 'file')} from Slack ${count === 1 ? 'is' : 'are'} not on ${count === 1 ? 'its ticket' : 'their tickets'} yet, for ${lasting(oldestMs)} at most.`,
        'The messages have links meanwhile. The log (`work failed`, kinds `copy` and `copy-large`) says whether Slack or the service does not answer.',
      );
}

function checkDrift({ drift }: WorkFacts): Finding {
  const { ok, warn } = findings('drift');
  return drift === 0
    ? ok('Slack and the service agree.')
    : warn(
        `${counted(drift, 'difference')} without an event ${drift === 1 ? 'was' : 'were'} found lately; each is repaired.`,
        'After an outage this is normal. If it continues, events get lost: check the connection to Slack and the webhook.',
      );
}

/** Reconciliation runs that may be missed before a warning: each waits for the one before it. */
const MISSED_LOOKS = 10;
const LEAST_MS = 10 * 60_000;

function checkReconciliation(
  { comparedAt }: WorkFacts,
  now: Date,
  runningMs: number,
  everyMs: number,
): Finding {
  const { ok, warn } = findings('reconciliation');
  const since = comparedAt && now.getTime() - comparedAt.getTime();
  const limitMs = Math.max(LEAST_MS, MISSED_LOOKS * everyMs);
  if (since === undefined && runningMs < limitMs)
    return ok('The bridge has just started and compares both sides for the first time.');
  if (since !== undefined && since < limitMs)
    return ok(`Both sides were last compared ${lasting(since)} ago.`);
  return warn(
    since === undefined
      ? 'Both sides have never been compared.'
      : `Both sides were last compared ${lasting(since)} ago.`,
    'It waits while the service is unavailable; otherwise the log says why. `npx deskbridge reconcile` runs it now.',
  );
}
