import { randomFillSync } from 'node:crypto';

import { monotonicFactory } from 'ulid';

import type { Clock } from './clock.ts';

/** Makes an id: `prefix_` and a lower-case ULID, so ids of one process sort by when they were made. */
export type NewId = (prefix: string) => string;

/**
 * Returns an id generator for the given clock. `random` (0 ≤ x < 1) makes ids repeatable in tests; by default they use
 * the system's cryptographic source.
 */
export function createIds(clock: Clock, random: () => number = fromTheSystem()): NewId {
  const ulid = monotonicFactory(random);
  return (prefix) => `${prefix}_${ulid(clock.now().getTime()).toLowerCase()}`;
}

/**
 * Random bytes fetched at once. ULID's own source fetches each of an id's 16 bytes separately, which took most of its
 * time.
 */
const AT_ONCE = 4_096;

function fromTheSystem(): () => number {
  const bytes = new Uint8Array(AT_ONCE);
  let at = AT_ONCE;
  return () => {
    if (at === AT_ONCE) {
      randomFillSync(bytes);
      at = 0;
    }
    return (bytes[at++] ?? 0) / 256;
  };
}
