import {
  type Claim,
  CHANNEL,
  held,
  orderingKeyLock,
  literal,
  type Runner,
  runTogether,
} from './statements.ts';

// Functions that record a job's outcome. Each resolves to whether the claim still held. A claim that does not hold
// changes nothing, so each may be repeated if its answer was lost.

/** Errors are stored for operators, so they are cut to a readable length. */
const ERROR_LIMIT = 2_000;

/**
 * Removes a finished job and promotes the next one of its ordering key. `only: 'done'` if the handler's own transaction
 * should have marked it.
 */
export async function finishJob(runner: Runner, claim: Claim, only?: 'done'): Promise<boolean> {
  const { id, worker, fence, queue, orderingKey } = claim;
  const { rows } = await runner.query({
    name: 'jobs-finish',
    text: 'select finish_job($1, $2, $3, $4, $5, $6) as held',
    values: [id, worker, fence, only ? ['done'] : ['running', 'done'], queue, orderingKey],
  });
  return rows[0]?.['held'] === true;
}

/**
 * Returns whether a job that its handler completed is over or belongs to another worker: then nothing is left to do
 * here.
 */
export async function isOver(runner: Runner, claim: Claim): Promise<boolean> {
  if (await finishJob(runner, claim, 'done')) return true;
  const { rows } = await runner.query({ text: `select from job where ${held(claim)}` });
  return rows.length === 0;
}

/**
 * Makes a failed job a dead letter. `hold`: the later jobs of its ordering key wait until an operator has decided;
 * otherwise they run.
 */
export async function markDead(
  runner: Runner,
  claim: Claim,
  { reason, code, hold }: { reason: string; code: string | undefined; hold: boolean },
): Promise<boolean> {
  return underLock(
    runner,
    claim,
    `update job set state = 'dead', head = ${hold}, dead_at = clock_timestamp(), last_error = ${error(reason)},
      error_code = ${code === undefined ? 'null' : literal(code)}, worker = null, lease_until = null
    where ${held(claim)} and state = 'running'`,
  );
}

async function underLock(runner: Runner, claim: Claim, change: string): Promise<boolean> {
  const queue = literal(claim.queue);
  const key = literal(claim.orderingKey);
  const results = await runTogether(runner, [
    `select pg_advisory_xact_lock(${orderingKeyLock(queue, key)})`,
    change,
    `select promote_next_job(${queue}, ${key})`,
  ]);
  return results[1]?.rowCount === 1;
}

/**
 * Keeps a failed job waiting at the head of its ordering key. Its own worker fetches it in time; the others need no
 * notification.
 */
export async function retryJob(
  runner: Runner,
  claim: Claim,
  { reason, afterMs, countAttempt }: { reason: string; afterMs: number; countAttempt: boolean },
): Promise<boolean> {
  const { rowCount } = await runner.query({
    text: `update job set state = 'ready', run_at = clock_timestamp() + $1 * interval '1 millisecond',
        attempts = attempts - $2::int, last_error = ${error(reason)}, worker = null, lease_until = null
      where ${held(claim)} and state = 'running'`,
    values: [afterMs, countAttempt ? 0 : 1],
  });
  return rowCount === 1;
}

/** Releases an unfinished job as if it had not been fetched, and notifies other workers. */
export async function giveBackJob(runner: Runner, claim: Claim): Promise<boolean> {
  // A locked row is being completed by its handler's transaction: do not wait for it.
  const { rows } = await runner.query({
    text: `with mine as (
        select id from job where ${held(claim)} and state = 'running' for update skip locked
      ), given as (
        update job set state = 'ready', attempts = attempts - 1, worker = null, lease_until = null
        from mine where job.id = mine.id returning job.queue
      ) select pg_notify(${CHANNEL}, queue) from given`,
  });
  return rows.length === 1;
}

const error = (reason: string) => literal(reason.slice(0, ERROR_LIMIT));
