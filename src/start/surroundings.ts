import type { Config } from './config.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createIds, type NewId } from '../platform/ids.ts';
import { createLog, type Log } from '../platform/log.ts';
import { systemRandom } from '../platform/random.ts';

/** Dependencies that every program gets passed in. */
export interface Surroundings {
  log: Log;
  clock: Clock;
  newId: NewId;
  random: () => number;
  version: string;
}

/** Returns the system's own. */
export function systemSurroundings(config: Config, version: string, terminal: boolean): Surroundings {
  const log = createLog({ level: config.LOG_LEVEL ?? 'info', pretty: config.LOG_PRETTY ?? terminal });
  return { log, clock: systemClock, newId: createIds(systemClock), random: systemRandom, version };
}
