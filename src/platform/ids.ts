import { monotonicFactory } from 'ulid';

import type { Clock } from './clock.ts';

/** Makes an id: `prefix_` and a lower-case ULID, so ids of one process sort by when they were made. */
export type NewId = (prefix: string) => string;

/**
 * Ids by the given clock. `random` (0 ≤ x < 1) makes them repeatable in tests; without it ULID's own
 * cryptographic source is used.
 */
export function createIds(clock: Clock, random?: () => number): NewId {
  const ulid = monotonicFactory(random);
  return (prefix) => `${prefix}_${ulid(clock.now().getTime()).toLowerCase()}`;
}
