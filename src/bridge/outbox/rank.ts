import { LIMITS } from '../slack/limits.ts';
/** Priority if not everything can be sent at once: replies, then cards, then the bot's emoji. */
export type Rank = 'reply' | 'card' | 'mark';
/** The rank of each kind of post. */
export type Ranks = Readonly<Record<string, Rank>>;

/** Returns the milliseconds for which a row of this kind lets rows of a higher priority go first. */
export function yieldsMs(ranks: Ranks, kind: string): number {
  switch (ranks[kind] ?? 'reply') {
    case 'reply':
      return 0;
    case 'card':
      return LIMITS.cardYieldsMs;
    case 'mark':
      return LIMITS.markYieldsMs;
  }
}

/** The kinds with a higher priority. */
export function goBefore(ranks: Ranks, kind: string): readonly string[] {
  return Object.keys(ranks).filter((other) => yieldsMs(ranks, other) < yieldsMs(ranks, kind));
}

/** The state of a budget for a row that needs a call of it. */
interface Standing {
  /** Milliseconds between two calls. */
  gapMs: number;
  /** Milliseconds until the budget's next call; negative if calls were saved up. */
  dueInMs: number;
  /** Rows that wait for a call of it and come before this one. */
  ahead: number;
}

/** Returns the milliseconds until a row may be sent in all its budgets: 0 is now. */
export function waitFor(standings: readonly Standing[]): number {
  return Math.max(
    0,
    ...standings.map(({ gapMs, dueInMs, ahead }) => {
      const saved = Math.max(dueInMs, -(LIMITS.burst - 1) * gapMs);
      return Math.ceil(saved + ahead * gapMs);
    }),
  );
}

/** Minimum time until the next check. */
const LOOK_AGAIN_MS = 50;

/**
 * Returns the milliseconds for which a row waits for `better` rows of a higher priority in its channel; 0 if it may be
 * sent now. Never longer than its kind yields, counted from when it was planned.
 */
export function yieldFor({
  yields,
  better,
  waitedMs,
  gapMs,
}: {
  /** How long its kind yields. */
  yields: number;
  better: number;
  waitedMs: number;
  gapMs: number;
}): number {
  const rest = yields - waitedMs;
  if (better === 0 || rest <= 0) return 0;
  return Math.min(rest, Math.max(LOOK_AGAIN_MS, better * gapMs));
}
