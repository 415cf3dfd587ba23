import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import { readSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { Clock } from '../../platform/clock.ts';

const State = z.enum(['ok', 'warn', 'bad']);
/** `warn`: works, but needs attention. `bad`: something is lost, or will be, until an admin acts. */
export type State = z.infer<typeof State>;
export const RANK: Readonly<Record<State, number>> = { ok: 0, warn: 1, bad: 2 };

const Checked = z.object({
  state: State,
  /** Whether the last notice reported it as `bad`. */
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
  /** One sentence without secrets; channel names are the only user text in it. */
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
 * Returns by how many milliseconds the clock of a response's `Date` header is ahead of ours; undefined without a
 * header.
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

/** Returns a `fetch` that calls `report` with the clock skew (ms) of each response that has a `Date` header. */
export function datedFetch(clock: Clock, report: (skewMs: number) => void): typeof globalThis.fetch {
  return async (url, init) => {
    const askedAt = clock.now();
    const response = await globalThis.fetch(url, init);
    const skew = skewOf(response.headers.get('date'), { askedAt, answeredAt: clock.now() });
    if (skew !== undefined) report(skew);
    return response;
  };
}
