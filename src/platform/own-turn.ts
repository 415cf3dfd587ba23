import { setImmediate } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller of this function gets. Work that is cut into pieces of a few
 * milliseconds waits here between them: with a plain `setImmediate`, the pieces of all requests would run in the same
 * turn, and a dozen of them would hold up everything else for a dozen times as long.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}
