import { randomUUID } from 'node:crypto';

import type { RawBuilder } from 'kysely';

import { inGroups } from '../database/in-groups.ts';
import { type Database, transaction } from '../database/open.ts';
import type { Running } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { systemTimers, type Timer, type Timers } from '../timers.ts';
import { ClassLoop } from './class-loop.ts';
import type { GiveUp, RetryLater } from './errors.ts';
import type { Ground } from './ground.ts';
import type { LaneRun } from './lane-run.ts';
import { DATABASE_NOW, releaseClaims, renewLeases } from './lanes.ts';
import { Listener } from './listener.ts';
import {
  type DeadLetter,
  type ClassFigures,
  classFigures,
  deadLetters,
  discardDeadLetters,
  forgetDone,
  isSettled,
  retryDeadLetters,
  wakeAll,
} from './operate.ts';
import { transactionWithPlan } from './plan.ts';
import type { EngineTables } from './tables.ts';
import type { Handler, NewWork, PlanningTx, WorkKind } from './work.ts';

export interface EngineOptions<Tables extends EngineTables> {
  database: Database<Tables>;
  log: Log;
  /** How many lanes of each class this process works at once, where it has handlers of its kinds. */
  slots: Readonly<Record<string, number>>;
  /**
   * What follows from an error of a handler, by its class: RetryLater or GiveUp; undefined and everything that these do
   * not say: it is tried again after a growing pause. RetryLater and GiveUp themselves and errors of the database are
   * not asked about.
   */
  classify?: (error: unknown, attempt: number) => RetryLater | GiveUp | undefined;
  /** Called when work of a class is tried again. */
  onRetry?: (ofClass: string, reason: RetryLater) => void;
  /** 0 ≤ x < 1; spreads retries. Default Math.random. */
  random?: () => number;
  timers?: Timers;
  /** The time in statements; default the database's clock, which all processes share. */
  now?: RawBuilder<Date>;
  /** Names this process in its leases. No two processes may have the same. Default a UUID. */
  process?: string;
  /** Milliseconds after which another process may take a lane over from one that has died. Default 60,000. */
  leaseMs?: number;
}

const LEASE_MS = 60_000;
/** At most so many pieces are added in one transaction. */
const ADDED_AT_ONCE = 100;
const GRACE_MS = 10_000;
/** For handlers that react to their signal once the grace is over. */
const LAST_WORD_MS = 500;
const LOOK_AGAIN_MS = 50;

/**
 * Everything that a program has to do is a row; this does it, lane by lane, in any number of processes. Work of a lane
 * is done in the order in which it was added, one piece at a time, and each piece ends in the transaction of its
 * effects (docs/architecture.md, Engine).
 */
export class Engine<Tables extends EngineTables> implements Running {
  /** Adds one piece of work in a transaction of its own. Returns whether it is new, by its `eventKey`. */
  readonly add: (work: NewWork) => Promise<boolean>;
  readonly #ground: Ground<Tables>;
  readonly #kinds = new Map<string, { kind: WorkKind<unknown>; handler: Handler<unknown, Tables> }>();
  readonly #loops = new Map<string, ClassLoop<Tables>>();
  readonly #slots: Readonly<Record<string, number>>;
  readonly #listener: Listener<Tables>;
  readonly #channels = new Map<string, () => void>();
  readonly #watchers = new Set<() => void>();
  #renewal: Timer | undefined;
  #state: 'new' | 'started' | 'stopped' = 'new';

  constructor(options: EngineOptions<Tables>) {
    const { database, log } = options;
    this.#ground = {
      database,
      log,
      timers: options.timers ?? systemTimers,
      random: options.random ?? Math.random,
      process: options.process ?? randomUUID(),
      now: options.now ?? DATABASE_NOW,
      channel: `${database.schema}.work`,
      leaseMs: options.leaseMs ?? LEASE_MS,
      classify: options.classify ?? (() => undefined),
      onRetry: options.onRetry ?? (() => undefined),
      slots: {
        keep: (lane) => (this.#state === 'started' ? this.#loops.get(lane.class)?.keep(lane.key) : undefined),
        wake: (classes) => this.#wake(classes),
      },
      kinds: this.#kinds,
    };
    this.#slots = options.slots;
    this.#listener = new Listener(this.#ground, (ofClass) => this.#onWork(ofClass), this.#channels);
    this.add = inGroups((work) => this.#addAll(work), ADDED_AT_ONCE);
  }

  /** Whether it hears of work that other processes add; else it finds that within seconds. */
  get isListening(): boolean {
    return this.#listener.isListening;
  }

  /**
   * Calls `notified` at each notification on a channel of the database, and whenever some may have been missed: as the
   * connection is lost, and as it is back. Before `start`.
   */
  listen(channel: string, notified: () => void): void {
    this.#channels.set(channel, notified);
  }

  /**
   * Registers what does the work of a kind. Before `start`: a process claims only lanes of classes for which it has
   * handlers, and it needs those of all kinds of such a class.
   */
  handle<Body>(kind: WorkKind<Body>, handler: Handler<Body, Tables>): void {
    if (this.#kinds.has(kind.name)) throw new Error(`two handlers of the kind ${kind.name}`);
    const slots = this.#slots[kind.class];
    if (slots === undefined) throw new Error(`no slots for the class ${kind.class} of the kind ${kind.name}`);
    if (!this.#loops.has(kind.class)) this.#loops.set(kind.class, this.#loopOf(kind.class, slots));
    // The body is read by the kind before the handler gets it.
    this.#kinds.set(kind.name, { kind, handler });
  }

  /** Runs a transaction that plans work; as `transaction` of the database it may run again. */
  async transaction<Result>(write: (tx: PlanningTx<Tables>) => Promise<Result>): Promise<Result> {
    return transactionWithPlan(this.#ground, { write, end: async (_tx, written) => written });
  }

  /** Resolves once it works, also while the database is away: then it goes on trying. */
  async start(): Promise<void> {
    if (this.#state !== 'new') throw new Error('an engine starts once');
    this.#state = 'started';
    this.#renewLater();
    await this.#listener.start();
    // When it hears of work, it has looked everywhere.
    if (!this.#listener.isListening) this.#onWork(undefined);
  }

  /**
   * Claims nothing more, lets work under way end for `graceMs` milliseconds, and leaves the rest to other processes.
   */
  async stop(graceMs: number = GRACE_MS): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    const drained = Promise.all([...this.#loops.values()].map((loop) => loop.drain()));
    if (!(await this.#within(graceMs, drained))) {
      for (const run of this.#runs()) run.giveBack();
      await this.#within(LAST_WORD_MS, drained);
    }
    this.#renewal?.cancel();
    this.#listener.stop();
    await this.#release();
    this.#tellWatchers();
  }

  deadLetters(): Promise<DeadLetter[]> {
    return deadLetters(this.#ground.database.db);
  }

  /** Lets dead letters, and what was given up with them, be done in their old places. Returns how many. */
  async retryDeadLetters(which: readonly number[] | 'all'): Promise<number> {
    const retried = await retryDeadLetters(this.#ground, which);
    this.#onWork(undefined);
    return retried;
  }

  /** Ends dead letters, and what was given up with them, undone. Returns how many. */
  discardDeadLetters(which: readonly number[] | 'all'): Promise<number> {
    return discardDeadLetters(this.#ground, which);
  }

  figures(): Promise<ClassFigures[]> {
    return classFigures(this.#ground, Object.keys(this.#slots));
  }

  /** Deletes work that was done before this moment, and lanes without work. Returns how much work. */
  forget(before: Date): Promise<number> {
    return forgetDone(this.#ground, before);
  }

  /** Makes all work, or that of one class, due now. */
  async dueNow(ofClass?: string): Promise<void> {
    await wakeAll(this.#ground, ofClass);
    this.#onWork(ofClass);
  }

  /**
   * Resolves when no work is due or under way, in any process; dead letters and what is planned for later do not count.
   */
  async settled(): Promise<void> {
    for (;;) {
      // Before it looks, or it would miss what happens meanwhile.
      const change = this.#nextChange();
      const isIdle = [...this.#loops.values()].every((loop) => loop.isIdle);
      if (isIdle && (await isSettled(this.#ground))) return;
      if (this.#state === 'stopped') throw new Error('the engine was stopped before its work was done');
      // Other processes do not tell this one what they have done.
      await this.#within(LOOK_AGAIN_MS, change);
    }
  }

  #loopOf(name: string, slots: number): ClassLoop<Tables> {
    return new ClassLoop(this.#ground, {
      class: name,
      slots,
      onIdle: () => this.#tellWatchers(),
    });
  }

  async #addAll(work: readonly NewWork[]): Promise<boolean[]> {
    const { added } = await transactionWithPlan(this.#ground, {
      write: async (tx) => tx.plan.add(...work),
      end: async (_tx, _written, carried) => carried,
    });
    const fresh = new Set(added);
    // Of two with one key, the first is new.
    return work.map(({ eventKey }) => eventKey === undefined || fresh.delete(eventKey));
  }

  #onWork(ofClass: string | undefined): void {
    this.#wake(ofClass === undefined ? [...this.#loops.keys()] : [ofClass]);
  }

  #wake(classes: Iterable<string>): void {
    if (this.#state !== 'started') return;
    for (const name of classes) this.#loops.get(name)?.wake();
  }

  #runs(): LaneRun<Tables>[] {
    return [...this.#loops.values()].flatMap((loop) => loop.runs);
  }

  #renewLater(): void {
    const { timers, leaseMs } = this.#ground;
    this.#renewal = timers.after(leaseMs / 3, () => {
      void this.#renew().finally(() => {
        if (this.#state === 'started' || this.#runs().length > 0) this.#renewLater();
      });
    });
  }

  async #renew(): Promise<void> {
    const { database, log } = this.#ground;
    const runs = this.#runs();
    if (runs.length === 0) return;
    const claims = runs.map(({ claim }) => claim);
    try {
      const held = await transaction(database.db, (tx) => renewLeases(tx, claims, this.#ground));
      const still = new Set(this.#runs());
      for (const run of runs) if (!held.has(run.claim.fence) && still.has(run)) run.lose();
    } catch (error) {
      log.warn({ err: error }, 'leases could not be renewed; trying again');
    }
  }

  async #release(): Promise<void> {
    const { database, log } = this.#ground;
    const claims = this.#runs().map(({ claim }) => claim);
    if (claims.length === 0) return;
    try {
      await transaction(database.db, (tx) => releaseClaims(tx, claims));
    } catch (error) {
      log.warn({ err: error }, 'leases could not be given back; they end by themselves');
    }
  }

  /** Returns whether something ends within a time. */
  #within(ms: number, ending: Promise<unknown>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = this.#ground.timers.after(ms, () => resolve(false));
    void ending.then(() => resolve(true));
    return promise.finally(() => timer.cancel());
  }

  #nextChange(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#watchers.add(() => resolve(undefined));
    return promise;
  }

  #tellWatchers(): void {
    for (const tell of this.#watchers) tell();
    this.#watchers.clear();
  }
}
