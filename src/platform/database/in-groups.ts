import { inTime } from '../in-time.ts';
import { isDatabaseAway } from './away.ts';

/** A group that waits longer for its turn is stored beside the one before, which may wait for a lock. */
const LONGEST_WAIT_MS = 20;

/**
 * Groups of several kinds that are stored one after the other: each kind collects while the others are stored, so all
 * are larger, and none waits for a lock that another one holds.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when it is the turn of the caller, with the function that ends it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#last = promise;
    await inTime(LONGEST_WAIT_MS, before);
    return () => resolve(undefined);
  }
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Stores items in groups, in the order in which they came: while one group is being stored the next one collects,
 * without a timer, so an item that comes alone does not wait. A group that fails is halved until the item at fault is
 * alone, which fails alone; if the database is away, all of it fails.
 * @param store stores a group in one transaction and resolves to the result of each item.
 * @param turns shared with groups of other kinds, which are then not stored at the same time.
 * @returns a function that stores one item. Items that it is called with in one turn of the event loop are one group.
 */
export function inGroups<Item, Result>(
  store: (items: readonly Item[]) => Promise<readonly Result[]>,
  atMost: number,
  turns?: Turns,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isStoring = false;

  async function storeWaiting(): Promise<void> {
    for (;;) {
      const end = await turns?.take();
      const group = waiting.splice(0, atMost);
      await storeGroup(group);
      end?.();
      if (waiting.length === 0) break;
    }
    isStoring = false;
  }

  async function storeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await store(group.map(({ item }) => item));
      for (const [n, { resolve }] of group.entries()) resolve(results[n] as Result);
    } catch (error) {
      if (group.length === 1 || isDatabaseAway(error)) for (const { reject } of group) reject(error);
      else {
        const half = Math.ceil(group.length / 2);
        await storeGroup(group.slice(0, half));
        await storeGroup(group.slice(half));
      }
    }
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ item, resolve, reject });
    if (!isStoring) {
      isStoring = true;
      queueMicrotask(() => void storeWaiting());
    }
    return promise;
  };
}
