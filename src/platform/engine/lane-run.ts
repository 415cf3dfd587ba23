import { backoff } from '../backoff.ts';
import { isDatabaseAway } from '../database/away.ts';
import type { Tx } from '../database/open.ts';
import { inSpan } from '../tracing.ts';
import { describeError, GiveUp, LaneLost, leaveToNewer, RetryLater } from './errors.ts';
import type { Claimed, Ground } from './ground.ts';
import { type Claim, restLane } from './lanes.ts';
import {
  beginFirst,
  endWork,
  giveUpDependents,
  giveUpWork,
  markStarted,
  retryWork,
  type StoredWork,
} from './pieces.ts';
import { type CarriedOut, transactionWithPlan } from './plan.ts';
import type { EngineTables } from './tables.ts';
import type { Done, Handler, PlanningTx, Work, WorkKind, Write } from './work.ts';

const NOTHING = async () => undefined;

/** After so many pieces it is the turn of other lanes. */
const PIECES_IN_A_ROW = 20;

/** Works one lane under one claim: piece after piece, each ended in the transaction of its effects. */
export class LaneRun<Tables extends EngineTables> {
  readonly claim: Claim;
  readonly #ground: Ground<Tables>;
  readonly #abort = new AbortController();
  #dueInMs: number | undefined;
  readonly #first: StoredWork;
  #isStopping = false;

  constructor(ground: Ground<Tables>, { claim, first }: Claimed) {
    this.#ground = ground;
    this.claim = claim;
    this.#first = first;
  }

  /**
   * Resolves when the lane rests, or is no longer this process's. Rejects if that could not be recorded.
   * @returns milliseconds until the lane is due again; undefined if it is not, as far as this process knows.
   */
  async run(): Promise<number | undefined> {
    let next: StoredWork | undefined = this.#first;
    for (let count = 1; next !== undefined; count++) {
      const isLast = count >= PIECES_IN_A_ROW;
      next = await this.#inItsTrace(next, () => !this.#isStopping && !isLast);
    }
    return this.#dueInMs;
  }

  /** Takes no more work after the piece under way. */
  drain(): void {
    this.#isStopping = true;
  }

  /** The grace of a stop is over: what is under way is left to another process. */
  giveBack(): void {
    this.#isStopping = true;
    this.#abort.abort(new Error('this process is stopping'));
  }

  /** Another process has the lane. */
  lose(): void {
    this.#abort.abort(new LaneLost(this.claim.lane));
  }

  /** Does one piece, with the work that it adds, in the trace of what added it. */
  async #inItsTrace(stored: StoredWork, takesMore: () => boolean): Promise<StoredWork | undefined> {
    if (stored.trace === null) return this.#work(stored, takesMore);
    const attributes = { 'deskbridge.attempt': stored.attempts };
    const options = { kind: 'consumer' as const, parent: stored.trace, attributes };
    return inSpan(`work ${stored.kind}`, options, () => this.#work(stored, takesMore));
  }

  /** Does one piece. Returns the next one of the lane, if it is to be done under this claim. */
  async #work(stored: StoredWork, takesMore: () => boolean): Promise<StoredWork | undefined> {
    try {
      const done = await this.#handle(stored);
      const next = await this.#end(stored, done, takesMore);
      this.#ground.log.debug({ ...factsOf(stored), outcome: done.outcome }, 'work done');
      await this.#doAfterwards(stored, done);
      return next;
    } catch (error) {
      return this.#fail(stored, error, takesMore);
    }
  }

  async #handle(stored: StoredWork): Promise<Done<Tables>> {
    if (stored.body === null) return { outcome: 'erased' };
    const { kind, handler } = this.#kindOf(stored);
    const body = readBody(kind, stored);
    return handler.work(this.#workOf(stored, body));
  }

  #kindOf({ kind, waited_ms: waitedMs }: StoredWork): {
    kind: WorkKind<unknown>;
    handler: Handler<unknown, Tables>;
  } {
    const known = this.#ground.kinds.get(kind);
    if (!known) throw leaveToNewer(`this version does no work of kind ${kind}`, waitedMs);
    return known;
  }

  #workOf(stored: StoredWork, body: unknown): Work<unknown, Tables> {
    return {
      id: stored.id,
      lane: stored.lane,
      eventKey: stored.event_key ?? undefined,
      body,
      attempt: stored.attempts,
      isFirst: stored.begins === 1,
      addedAt: stored.added_at,
      waitedMs: stored.waited_ms,
      startedAt: stored.started_at ?? undefined,
      signal: this.#abort.signal,
      start: (write) => this.#start(stored, write),
      write: (write) => this.#transaction(write, NOTHING),
    };
  }

  async #start(
    { id }: StoredWork,
    write: ((tx: PlanningTx<Tables>) => Promise<unknown>) | undefined,
  ): Promise<boolean> {
    return this.#transaction(
      async (tx) => (await write?.(tx)) !== false,
      async (tx, begins) => {
        if (begins) await markStarted(tx, id, this.#ground);
        return begins;
      },
    );
  }

  async #doAfterwards(stored: StoredWork, { afterwards }: Done<Tables>): Promise<void> {
    try {
      await afterwards?.();
    } catch (error) {
      this.#ground.log.warn({ ...factsOf(stored), err: error }, 'what follows from done work failed');
    }
  }

  /** Ends a piece with its effects and what they add, and begins the next one with it. */
  async #end(
    { id }: StoredWork,
    { outcome, write, again = false }: Done<Tables>,
    takesMore: () => boolean,
  ): Promise<StoredWork | undefined> {
    return this.#transaction(write ?? NOTHING, async (tx, _written, { isMoved }) => {
      if (!again) await endWork(tx, id, outcome, this.#ground);
      return isMoved ? undefined : this.#nextOrRest(tx, takesMore());
    });
  }

  async #fail(stored: StoredWork, error: unknown, takesMore: () => boolean): Promise<StoredWork | undefined> {
    const { log, random } = this.#ground;
    if (error instanceof LaneLost || this.#abort.signal.reason instanceof LaneLost) {
      log.warn(factsOf(stored), 'another process has taken over a lane');
      return undefined;
    }
    const next = this.#whatFollows(stored, error);
    if (next instanceof GiveUp) return this.#giveUp(stored, next, takesMore);
    const afterMs = next.afterMs ?? backoff(stored.attempts, random);
    const facts = { ...factsOf(stored), err: error, retryInMs: Math.round(afterMs) };
    log[next.countsAttempt ? 'warn' : 'debug'](facts, 'work failed; it is tried again');
    this.#ground.onRetry(this.#ground.kinds.get(stored.kind)?.kind.class ?? '', next);
    return this.#retry(stored, { error: next.message, afterMs, countsAttempt: next.countsAttempt });
  }

  #whatFollows({ attempts }: StoredWork, error: unknown): RetryLater | GiveUp {
    if (this.#abort.signal.aborted)
      return new RetryLater('its process stopped', { afterMs: 0, countsAttempt: false, cause: error });
    if (error instanceof GiveUp || error instanceof RetryLater) return error;
    if (isDatabaseAway(error)) return new RetryLater(describeError(error), { cause: error });
    return this.#ground.classify(error, attempts) ?? new RetryLater(describeError(error), { cause: error });
  }

  async #retry(
    { id }: StoredWork,
    retry: { error: string; afterMs: number; countsAttempt: boolean },
  ): Promise<undefined> {
    await this.#transaction(NOTHING, async (tx) => {
      await retryWork(tx, id, retry, this.#ground);
      await this.#rest(tx, false);
    });
  }

  async #giveUp(
    stored: StoredWork,
    reason: GiveUp,
    takesMore: () => boolean,
  ): Promise<StoredWork | undefined> {
    this.#ground.log.error({ ...factsOf(stored), err: reason }, 'work was given up');
    const error = reason.message;
    const write = this.#writeOfGivingUp(stored, error) ?? NOTHING;
    return this.#transaction(write, async (tx, _written, { isMoved }) => {
      await giveUpWork(tx, stored.id, { error, code: reason.code }, this.#ground);
      if (stored.event_key !== null) await giveUpDependents(tx, [stored.event_key], this.#ground);
      return isMoved ? undefined : this.#nextOrRest(tx, takesMore());
    });
  }

  /** What its handler writes as well; nothing if it does not know the work, or its kind cannot read it. */
  #writeOfGivingUp(stored: StoredWork, error: string): Write<Tables> | undefined {
    const known = this.#ground.kinds.get(stored.kind);
    const read = known?.kind.body.safeParse(stored.body);
    return read?.success ? known?.handler.gaveUp?.(read.data, error) : undefined;
  }

  /** Runs a transaction under this claim. */
  #transaction<Written, Result>(
    write: (tx: PlanningTx<Tables>) => Promise<Written>,
    end: (tx: Tx<Tables>, written: Written, carried: CarriedOut) => Promise<Result>,
  ): Promise<Result> {
    return transactionWithPlan(this.#ground, { write, own: this.claim, end });
  }

  async #nextOrRest(tx: Tx<Tables>, takesMore: boolean): Promise<StoredWork | undefined> {
    const { lane } = this.claim;
    const [next] = takesMore ? await beginFirst(tx, [lane], this.#ground) : [];
    if (next === undefined) await this.#rest(tx, true);
    return next;
  }

  async #rest(tx: Tx<Tables>, behind: boolean): Promise<void> {
    this.#dueInMs = await restLane(tx, this.claim.lane, { now: this.#ground.now, behind });
  }
}

function readBody(kind: WorkKind<unknown>, { body }: StoredWork): unknown {
  const read = kind.body.safeParse(body);
  if (!read.success)
    throw new GiveUp(`what is stored for ${kind.name} cannot be read: ${read.error.message}`);
  return read.data;
}

function factsOf({ id, lane, kind, attempts }: StoredWork) {
  return { work: id, lane, kind, attempt: attempts };
}
