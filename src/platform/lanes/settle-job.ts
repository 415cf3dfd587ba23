import { type Claim, CHANNEL, held, laneLock, literal, type Runner, runTogether } from './statements.ts';

// What becomes of a job after its handler. Each resolves to whether the claim still held; a claim that does not hold
// changes nothing, so each may be repeated when its answer was lost.

/** Errors are kept for people to read, not to fill the disk. */
const ERROR_LIMIT = 2_000;

/** Takes a finished job away and moves its lane on. `only: 'done'` where the handler's own transaction should have marked it. */
export async function finishJob(runner: Runner, claim: Claim, only?: 'done'): Promise<boolean> {
  const { id, worker, fence, queue, key } = claim;
  const { rows } = await runner.query({
    name: 'lanes-finish',
    text: 'select finish_job($1, $2, $3, $4, $5, $6) as held',
    values: [id, worker, fence, only ? ['done'] : ['running', 'done'], queue, key],
  });
  return rows[0]?.['held'] === true;
}

/** Whether a job that its handler completed is over, or another's: then nothing of it is left to do here. */
export async function isOver(runner: Runner, claim: Claim): Promise<boolean> {
  if (await finishJob(runner, claim, 'done')) return true;
  const { rows } = await runner.query({ text: `select from job where ${held(claim)}` });
  return rows.length === 0;
}

/** Puts a failed job aside. `hold`: its lane waits until a person has decided; otherwise it moves on. */
export async function parkJob(runner: Runner, claim: Claim, reason: string, hold: boolean): Promise<boolean> {
  return underLock(
    runner,
    claim,
    `update job set state = 'parked', head = ${hold}, parked_at = clock_timestamp(), last_error = ${error(reason)},
      worker = null, lease_until = null
    where ${held(claim)} and state = 'running'`,
  );
}

async function underLock(runner: Runner, claim: Claim, change: string): Promise<boolean> {
  const queue = literal(claim.queue);
  const key = literal(claim.key);
  const results = await runTogether(runner, [
    `select pg_advisory_xact_lock(${laneLock(queue, key)})`,
    change,
    `select promote_lane(${queue}, ${key})`,
  ]);
  return results[1]?.rowCount === 1;
}

/** Lets a failed job wait at the head of its lane. Its own worker looks again in time; the others need not know. */
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

/** Gives a job back unfinished, as if it had not been taken, and wakes other workers for it. */
export async function giveBackJob(runner: Runner, claim: Claim): Promise<boolean> {
  // A row that is locked is just being completed by its handler's transaction: not ours to wait for.
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
