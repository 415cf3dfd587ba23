import type { Clock } from '../../platform/clock.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating } from '../../platform/repeating.ts';
import type { ServiceDb } from '../handler.ts';
import { deriveNotifications, type Done } from './derive.ts';

const EVERY_MS = 1_000;

export interface NotificationOptions {
  db: ServiceDb;
  clock: Clock;
  log: Log;
  newId: NewId;
  /** Milliseconds between runs; default a second. */
  everyMs?: number | undefined;
}

/** Fills people's inboxes in the background until it is stopped; what fails is repeated. */
export function startNotifications({
  db,
  clock,
  log,
  newId,
  everyMs = EVERY_MS,
}: NotificationOptions): Running {
  const done: Done = new Map();
  return startRepeating({
    work: () => deriveNotifications(db, { newId, now: clock.now(), done }),
    everyMs,
    log,
    failed: 'could not fill inboxes',
  });
}
