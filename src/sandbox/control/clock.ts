import { z } from 'zod';

import type { SandboxClock } from '../clock.ts';
import type { Journal } from '../journal.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 3_650 * UNIT_MS.d;

/** `250ms`, `90s`, `5m`, `1.5h`, `2d`; a number is seconds. Gives milliseconds. */
const duration = z.union([z.number().nonnegative(), z.string()]).transform((given, context) => {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(String(given)) ?? [];
  const milliseconds = Math.round(Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]);
  if (milliseconds <= LONGEST_MS) return milliseconds;
  context.addIssue('a duration looks like "90s", "5m" or "1h", up to 3650d');
  return z.NEVER;
});

const clockRequest = z
  .strictObject({
    advance: duration.optional(),
    /** Seconds that pass in one second; 0 holds the clock. */
    speed: z.number().min(0).max(1_000).optional(),
    /** Resets to the machine's time and speed, before the other fields apply. */
    reset: z.boolean().default(false),
  })
  .refine(({ advance, speed, reset }) => advance !== undefined || speed !== undefined || reset, {
    message: 'say advance, speed or reset',
  });

export interface ClockState {
  now: string;
  speed: number;
  /** Seconds before the machine's clock. */
  ahead: number;
}

export interface ClockControl {
  /** Moves the sandbox's clock: what waits by it (retries, response addresses, scheduled messages) follows. */
  clock(request: z.input<typeof clockRequest>): ClockState;
  showClock(): ClockState;
}

export function createClockControl(clock: SandboxClock, journal: Journal): ClockControl {
  const showClock = () => ({
    now: clock.now().toISOString(),
    speed: clock.speed,
    ahead: clock.ahead / 1_000,
  });
  return {
    showClock,
    clock(request) {
      const { advance, speed, reset } = clockRequest.parse(request);
      if (reset) clock.reset();
      if (speed !== undefined) clock.run(speed);
      if (advance !== undefined) clock.advance(advance);
      journal.record('clock', { now: clock.now().toISOString(), speed: clock.speed });
      return showClock();
    },
  };
}
