import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import { readSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { Clock } from '../../platform/clock.ts';

const State = z.enum(['ok', 'warn', 'bad']);
/** `warn` still works but needs attention; `bad` loses something, or will, until someone acts. */
export type State = z.infer<typeof State>;
export const RANK: Readonly<Record<State, number>> = { ok: 0, warn: 1, bad: 2 };

const Checked = z.object({
  state: State,
  /** Whether the last notice said that it is bad. */
  announced: z.boolean(),
});

/** The findings of the last health check, for all replicas. */
const States = z.object({
  at: z.string(),
  checks: z.record(z.string(), Checked),
});
export type States = z.infer<typeof States>;

export const STATES_KEY = 'health';

export async function readStates(db: Db<BridgeTables>): Promise<States | undefined> {
  return readSetting(db, STATES_KEY, States);
}

export interface Finding {
  /** `chat.scopes`: a stable id. */
  id: string;
  state: State;
  /** One sentence; never a secret, and no user text but channel names. */
  says: string;
  /** How to fix it; absent if nothing is needed. */
  fix?: string;
}

export const findings = (id: string) => ({
  ok: (says: string): Finding => ({ id, state: 'ok', says }),
  warn: (says: string, fix: string): Finding => ({ id, state: 'warn', says, fix }),
  bad: (says: string, fix: string): Finding => ({ id, state: 'bad', says, fix }),
});

/** `1 post`, `2 posts`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Formats milliseconds: `40 s`, `7 min`, `3 h`, `2 days`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/**
 * Returns the milliseconds that another clock, seen in a response's `Date`, is ahead of ours; undefined without one.
 */
export function skewOf(
  dateHeader: string | null | undefined,
  { askedAt, answeredAt }: { askedAt: Date; answeredAt: Date },
): number | undefined {
  const theirs = Date.parse(dateHeader ?? '');
  if (Number.isNaN(theirs)) return undefined;
  // The header has whole seconds, rounded down: on average half a second is missing.
  const ours = (askedAt.getTime() + answeredAt.getTime()) / 2;
  return theirs + 500 - ours;
}

/** Calls `report` with the skew of each response that has a `Date`. */
export function datedFetch(clock: Clock, tell: (skewMs: number) => void): typeof globalThis.fetch {
  return async (url, init) => {
    const askedAt = clock.now();
    const answer = await globalThis.fetch(url, init);
    const skew = skewOf(answer.headers.get('date'), { askedAt, answeredAt: clock.now() });
    if (skew !== undefined) tell(skew);
    return answer;
  };
}
