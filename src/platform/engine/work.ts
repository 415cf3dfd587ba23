import type { z } from 'zod';

import type { Tx } from '../database/open.ts';
import type { EngineTables } from './tables.ts';

/** A kind of work: its name in the table, the class whose slots it takes, and what its body is. */
export interface WorkKind<Body> {
  readonly name: string;
  readonly class: string;
  readonly body: z.ZodType<Body>;
}

/** Returns a kind of work. */
export function workKind<Body>(name: string, ofClass: string, body: z.ZodType<Body>): WorkKind<Body> {
  return { name, class: ofClass, body };
}

/** What is stored for work of a kind. */
export type BodyOf<Kind> = Kind extends WorkKind<infer Body> ? Body : never;

/** Work to be added; made by `newWork` and `workFor`. */
export interface NewWork {
  readonly kind: WorkKind<unknown>;
  readonly lane: string;
  readonly body: unknown;
  readonly eventKey: string | undefined;
  readonly mergeKey: string | undefined;
  readonly delayMs: number | undefined;
  readonly dependsOn: string | undefined;
}

export interface NewWorkOptions {
  /** Work with this key is added once for as long as the first of it is kept, done or not. */
  eventKey?: string;
  /**
   * While other work with this key has not begun, this one is not added: the other one then does both, at the earlier
   * of their times. Both must be of the same lane.
   */
  mergeKey?: string;
  /**
   * Milliseconds until it is due; default 0. Nothing behind it in its lane is done before: what is planned for later
   * has a lane of its own, or it holds up what comes meanwhile.
   */
  delayMs?: number;
  /** The `eventKey` of work of the same lane: if that is given up, so is this. */
  dependsOn?: string;
}

/** Returns work to be added to a lane: `Plan.add` or `Engine.add` does it. */
export function newWork<Body>(
  kind: WorkKind<Body>,
  lane: string,
  body: Body,
  { eventKey, mergeKey, delayMs, dependsOn }: NewWorkOptions = {},
): NewWork {
  return { kind, lane, body, eventKey, mergeKey, delayMs, dependsOn };
}

/** Returns the lane of a class with this ordering key. */
export function laneOf(ofClass: string, key: string): string {
  return `${ofClass}:${key}`;
}

/** Returns work for the lane of its class with this ordering key. */
export function workFor<Body>(
  kind: WorkKind<Body>,
  key: string,
  body: Body,
  options: NewWorkOptions = {},
): NewWork {
  return newWork(kind, laneOf(kind.class, key), body, options);
}

export interface Move {
  from: string;
  to: string;
  class: string;
}

/** What a transaction plans besides its effects. It happens at its end, since lanes are locked after all other rows. */
export interface Plan {
  add(...work: readonly NewWork[]): void;
  /**
   * Another lane of the same class takes over all undone work of this one, in the order in which it was added to
   * either, and gets what is added to this one from now on.
   */
  move(lanes: Move): void;
}

/** A transaction that plans work, too. */
export type PlanningTx<Tables extends EngineTables> = Tx<Tables> & { readonly plan: Plan };

/** Effects, in the transaction that ends the work or adds it; it may run again, so it has none outside the database. */
export type Write<Tables extends EngineTables> = (tx: PlanningTx<Tables>) => Promise<void>;

/** How a handler ends its work. */
export interface Done<Tables extends EngineTables> {
  /** In a few words, for people who ask what became of it. */
  outcome: string;
  write?: Write<Tables> | undefined;
  /**
   * What is written is a step, and the work is worked once more from the beginning, in its place: for example in the
   * lane that takes over its own by that write.
   */
  again?: boolean;
  /** What follows once that is committed, at most once and with the best effort: it is lost with its process. */
  afterwards?: (() => Promise<void>) | undefined;
}

/** A piece of work, as its handler gets it. */
export interface Work<Body, Tables extends EngineTables = EngineTables> {
  readonly id: number;
  readonly lane: string;
  readonly eventKey: string | undefined;
  readonly body: Body;
  /** Starts at 1; larger if it failed before, or its process ended. */
  readonly attempt: number;
  /** False if it was begun before, also by an attempt that did not count: effects of that may exist. */
  readonly isFirst: boolean;
  readonly addedAt: Date;
  /** Milliseconds from then until it was begun this time, by the engine's clock alone. */
  readonly waitedMs: number;
  /**
   * When an earlier attempt called `start`: its effect on the other system may have happened. Undefined: it certainly
   * has not.
   */
  readonly startedAt: Date | undefined;
  /** Aborted when this process loses the lane or stops: what the handler returns then no longer counts. */
  readonly signal: AbortSignal;
  /**
   * Records that the effect on another system begins now, together with `write`, in a transaction of its own: call it
   * before each call that cannot simply be repeated, and look for the effect first where `startedAt` says so.
   * @param write resolves to false if it must not begin yet: what it wrote is kept, and nothing is recorded as begun.
   * @returns whether it begins.
   * @throws LaneLost if this process no longer has the lane: then the call must not be made.
   */
  start(write?: (tx: PlanningTx<Tables>) => Promise<unknown>): Promise<boolean>;
  /**
   * Writes in a transaction of its own, before the work ends.
   * @throws LaneLost if this process no longer has the lane: then nothing is written.
   */
  write(write: Write<Tables>): Promise<void>;
}

export interface Handler<Body, Tables extends EngineTables> {
  /** Does the work; an error is classified (`EngineOptions.classify`). May run more than once for the same work. */
  work(work: Work<Body, Tables>): Promise<Done<Tables>>;
  /** Written in the transaction in which the work becomes a dead letter. */
  gaveUp?(body: Body, reason: string): Write<Tables> | undefined;
}
