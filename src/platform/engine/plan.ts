import { type Db, Outdated, transaction, type Tx } from '../database/open.ts';
import { traceparent } from '../tracing.ts';
import { LaneLost } from './errors.ts';
import type { Ground } from './ground.ts';
import {
  type Claim,
  followMoves,
  type LockedLane,
  lockLanes,
  makeLanes,
  moveLane,
  notifyClasses,
  wakeLanes,
} from './lanes.ts';
import { giveUpDependents, insertWork, mergeWork } from './pieces.ts';
import type { EngineTables } from './tables.ts';
import type { Move, NewWork, Plan, PlanningTx } from './work.ts';

/** What a transaction has planned so far. */
export class Planned implements Plan {
  readonly work: NewWork[] = [];
  readonly moves: Move[] = [];

  add(...work: readonly NewWork[]): void {
    this.work.push(...work);
  }

  move(lanes: Move): void {
    this.moves.push(lanes);
  }
}

/**
 * Runs a transaction that plans work, as `transaction` of the database.
 * @param carry carries the plan out, at the transaction's end.
 */
export function planning<Tables extends EngineTables, Written, Result>(
  db: Db<Tables>,
  write: (tx: PlanningTx<Tables>) => Promise<Written>,
  carry: (tx: Tx<Tables>, planned: Planned, written: Written) => Promise<Result>,
): Promise<Result> {
  return transaction(db, async (tx) => {
    const planned = new Planned();
    const written = await write(Object.assign(tx, { plan: planned }));
    return carry(tx, planned, written);
  });
}

/** Returns the lane that has the work of a lane now. */
type LaneOf = (lane: string) => string;

/**
 * Locks all lanes that a transaction touches: the last locks that it takes.
 * @param own the claim under which the work is done that ends with this transaction.
 * @throws LaneLost if that claim no longer holds.
 * @throws Outdated if a lane was moved or deleted meanwhile: the transaction is to be run again.
 */
export async function lockPlanned<Tables extends EngineTables>(
  tx: Tx<Tables>,
  planned: Planned,
  own?: Claim,
): Promise<LaneOf> {
  const classes = new Map<string, string>();
  for (const { lane, kind } of planned.work) classes.set(lane, kind.class);
  for (const { from, to, class: ofClass } of planned.moves) classes.set(from, ofClass).set(to, ofClass);
  const moves = classes.size === 0 ? new Map<string, string>() : await followMoves(tx, [...classes.keys()]);
  const laneOf = (lane: string) => moves.get(lane) ?? lane;
  const wanted = new Map([...classes].map(([lane, ofClass]) => [laneOf(lane), ofClass]));
  if (wanted.size > 0) await makeLanes(tx, wanted);
  const locked = await lockLanes(tx, new Set([...wanted.keys(), ...(own ? [own.lane] : [])]));
  if (own && locked.get(own.lane)?.fence !== own.fence) throw new LaneLost(own.lane);
  for (const [lane, ofClass] of wanted) checkLane(locked.get(lane), ofClass);
  return laneOf;
}

function checkLane(lane: LockedLane | undefined, ofClass: string): void {
  if (!lane || lane.moved_to !== null) throw new Outdated('a lane was moved before it was locked');
  if (lane.class !== ofClass)
    throw new Error(
      `work of class ${ofClass} was added to ${lane.key}, whose work is of class ${lane.class}`,
    );
}

/** What became of a plan. */
export interface CarriedOut {
  /** The event keys of the work that is new. */
  added: ReadonlySet<string>;
  /** The classes that have work due sooner than before. */
  woken: readonly string[];
}

/**
 * Moves lanes and adds work, once its lanes are locked.
 * @param own the lane of the work that ends with this transaction, whose next time is recorded with that.
 */
export async function carryOut<Tables extends EngineTables>(
  tx: Tx<Tables>,
  { now, channel }: Pick<Ground<Tables>, 'now' | 'channel'>,
  { work, moves }: Planned,
  laneOf: LaneOf,
  own?: string,
): Promise<CarriedOut> {
  // 1. Lanes are moved.
  const touched = new Set<string>();
  for (const move of moves) {
    const [from, to] = [laneOf(move.from), laneOf(move.to)];
    if (from === to) continue;
    await moveLane(tx, from, to);
    touched.add(to);
  }
  // 2. Work is added, to where it belongs after that.
  const movedTo = new Map(moves.map(({ from, to }) => [laneOf(from), laneOf(to)]));
  const lanes = work.map(({ lane }) => movedTo.get(laneOf(lane)) ?? laneOf(lane));
  await mergeWork(tx, work, { now });
  const added =
    work.length === 0 ? new Set<string>() : await insertWork(tx, work, lanes, { now, trace: traceparent() });
  await giveUpDependents(
    tx,
    work.flatMap(({ dependsOn }) => dependsOn ?? []),
    { now },
  );
  // 3. Those lanes are due, and all processes hear of it when this is committed.
  for (const lane of lanes) touched.add(lane);
  if (own !== undefined) touched.delete(own);
  const woken = touched.size === 0 ? [] : await wakeLanes(tx, [...touched], { now });
  if (woken.length > 0) await notifyClasses(tx, channel, woken);
  return { added, woken };
}
