import { Outdated, transaction, type Tx } from '../database/open.ts';
import { traceparent } from '../tracing.ts';
import { claimLocked } from './claims.ts';
import { LaneLost } from './errors.ts';
import type { Claimed, Ground, KeptSlot, Slots } from './ground.ts';
import {
  type Claim,
  type LockedLane,
  lockLanes,
  makeLanes,
  moveLane,
  notifyClasses,
  readLanes,
  wakeLanes,
  type WokenLane,
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

/** What became of a plan. */
export interface CarriedOut {
  /** The event keys of the work that is new. */
  added: ReadonlySet<string>;
  /** Whether it gave the lane of the claim under which it was made to another one, which ends the claim. */
  isMoved: boolean;
  /** The lanes that may be due sooner: all that got work, but for that of the claim. */
  touched: ReadonlySet<string>;
}

/**
 * Runs a transaction that plans work, as `transaction` of the database: its effects, the locks of all lanes, the plan,
 * and what ends with it. This process works the lanes that it made due, as far as it has slots for them; all hear of
 * the rest.
 * @param own the claim under which the work is done that ends with this transaction.
 * @throws LaneLost if that claim no longer holds.
 */
export async function transactionWithPlan<Tables extends EngineTables, Written, Result>(
  ground: Ground<Tables>,
  {
    write,
    own,
    end,
  }: {
    write: (tx: PlanningTx<Tables>) => Promise<Written>;
    own?: Claim;
    end: (tx: Tx<Tables>, written: Written, carried: CarriedOut) => Promise<Result>;
  },
): Promise<Result> {
  let woken = new Woken(ground.slots);
  try {
    const { result, claimed } = await transaction(ground.database.db, async (tx) => {
      // It may run again.
      woken.giveBack();
      woken = new Woken(ground.slots);
      const planned = new Planned();
      const written = await write(Object.assign(tx, { plan: planned }));
      const laneOf = await lockPlanned(tx, planned, own);
      const carried = await carryOut(tx, ground, { planned, laneOf, own });
      const result = await end(tx, written, carried);
      return { result, claimed: await wakeTouched(tx, ground, carried.touched, woken) };
    });
    woken.start(claimed);
    return result;
  } catch (error) {
    woken.fail();
    throw error;
  }
}

/** The lanes that a transaction makes due: those for which this process keeps a slot, and the rest. */
class Woken {
  readonly #slots: Slots;
  readonly #kept = new Map<string, KeptSlot>();
  #lanes: readonly WokenLane[] = [];

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  /** Keeps a slot for each lane that is free, while there are any. */
  keep(lanes: readonly WokenLane[]): { kept: string[]; rest: WokenLane[] } {
    this.#lanes = lanes;
    for (const lane of lanes) {
      const slot = lane.is_free ? this.#slots.keep(lane) : undefined;
      if (slot) this.#kept.set(lane.key, slot);
    }
    return { kept: [...this.#kept.keys()], rest: lanes.filter(({ key }) => !this.#kept.has(key)) };
  }

  /** It is committed: works what was claimed with it, and lets others of this process find the rest. */
  start(claimed: readonly Claimed[]): void {
    const rest = this.#lanes.filter(({ key }) => !this.#kept.has(key));
    for (const one of claimed) {
      this.#kept.get(one.claim.lane)?.start(one);
      this.#kept.delete(one.claim.lane);
    }
    this.giveBack();
    this.#wake(rest);
  }

  /** It may be committed all the same, where only the answer is missing: then its lanes are looked for. */
  fail(): void {
    this.giveBack();
    this.#wake(this.#lanes);
  }

  giveBack(): void {
    for (const slot of this.#kept.values()) slot.giveBack();
    this.#kept.clear();
  }

  #wake(lanes: readonly WokenLane[]): void {
    this.#slots.wake(new Set(lanes.map((lane) => lane.class)));
  }
}

/** Returns the lane that has the work of a lane now. */
type LaneOf = (lane: string) => string;

/**
 * Locks all lanes that a transaction touches: the last locks that it takes.
 * @param own the claim under which the work is done that ends with this transaction.
 * @throws LaneLost if that claim no longer holds.
 * @throws Outdated if a lane was moved or deleted meanwhile: the transaction is to be run again.
 */
async function lockPlanned<Tables extends EngineTables>(
  tx: Tx<Tables>,
  planned: Planned,
  own: Claim | undefined,
): Promise<LaneOf> {
  const classes = new Map<string, string>();
  for (const { lane, kind } of planned.work) classes.set(lane, kind.class);
  for (const { from, to, class: ofClass } of planned.moves) classes.set(from, ofClass).set(to, ofClass);
  const known = await readLanes(tx, [...classes.keys()]);
  const laneOf = (lane: string) => known.of(lane);
  const wanted = new Map([...classes].map(([lane, ofClass]) => [laneOf(lane), ofClass]));
  const missing = new Map([...wanted].filter(([lane]) => !known.has(lane)));
  if (missing.size > 0) await makeLanes(tx, missing);
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

/** Moves lanes and adds work, once its lanes are locked. */
async function carryOut<Tables extends EngineTables>(
  tx: Tx<Tables>,
  { now }: Pick<Ground<Tables>, 'now'>,
  { planned: { work, moves }, laneOf, own }: { planned: Planned; laneOf: LaneOf; own: Claim | undefined },
): Promise<CarriedOut> {
  // 1. Lanes are moved.
  const movedTo = new Map<string, string>();
  for (const move of moves) {
    const [from, to] = [laneOf(move.from), laneOf(move.to)];
    if (from === to) continue;
    await moveLane(tx, from, to);
    movedTo.set(from, to);
  }
  // 2. Work is added, to where it belongs after that.
  const placeOf = ({ lane }: NewWork) => movedTo.get(laneOf(lane)) ?? laneOf(lane);
  const merged = await mergeWork(tx, work, { now });
  const rest = work.filter(({ mergeKey }) => mergeKey === undefined || !merged.has(mergeKey));
  const added = await insertWork(tx, rest, rest.map(placeOf), { now, trace: traceparent() });
  await giveUpDependents(
    tx,
    work.flatMap(({ dependsOn }) => dependsOn ?? []),
    { now },
  );
  // 3. What follows for the lane of the claim is recorded with the end of its work.
  const isAsItWas = ({ mergeKey }: NewWork) => mergeKey !== undefined && merged.get(mergeKey) === 'as it was';
  const touched = new Set([...movedTo.values(), ...work.filter((one) => !isAsItWas(one)).map(placeOf)]);
  if (own) touched.delete(own.lane);
  return { added, isMoved: own !== undefined && movedTo.has(own.lane), touched };
}

/**
 * Records when lanes are due. This process claims those that it can work at once, and all hear of the rest.
 * @returns what it has claimed.
 */
async function wakeTouched<Tables extends EngineTables>(
  tx: Tx<Tables>,
  ground: Ground<Tables>,
  touched: ReadonlySet<string>,
  woken: Woken,
): Promise<Claimed[]> {
  const { kept, rest } = woken.keep(await wakeLanes(tx, [...touched], ground));
  const claimed = await claimLocked(tx, ground, kept);
  await notifyClasses(tx, ground.channel, rest);
  return claimed;
}
