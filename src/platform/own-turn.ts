import { setImmediate } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller of this function gets. Work that is cut into pieces of a
 * few milliseconds waits here between them: with a plain `setImmediate`, the pieces of all requests would run in the
 * same turn, and a dozen of them would hold up everything else for a dozen times as long.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}

/** Characters that are worked on in one turn: parsing so many, or reading their words, takes some ten milliseconds. */
const IN_ONE_TURN = 100_000;

/**
 * Maps items whose texts may be long, with the event loop free in between.
 * @param lengthOf returns the characters of an item's text.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  lengthOf: (item: Item) => number,
  map: (item: Item, place: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let characters = 0;
  for (const [place, item] of items.entries()) {
    characters += lengthOf(item);
    if (place > 0 && characters > IN_ONE_TURN) {
      await ownTurn();
      characters = lengthOf(item);
    }
    results.push(map(item, place));
  }
  return results;
}
