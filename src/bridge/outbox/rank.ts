import { LIMITS } from '../slack/limits.ts';
import type { OutboxBody } from './outbox.ts';

type Kind = OutboxBody['kind'];

/** Priority if not everything can be sent at once: replies, then cards, then the bot's emoji. */
type Rank = 'reply' | 'card' | 'mark';

const RANKS: Readonly<Record<Kind, Rank>> = {
  post: 'reply',
  edit: 'reply',
  delete: 'reply',
  file: 'reply',
  line: 'reply',
  root: 'reply',
  room: 'reply',
  begin: 'reply',
  whisper: 'reply',
  ask: 'reply',
  unfurl: 'card',
  card: 'card',
  home: 'card',
  mark: 'mark',
  status: 'mark',
  reaction: 'mark',
};

function rankOf(kind: string): Rank {
  return kind in RANKS ? RANKS[kind as Kind] : 'reply';
}

/** Returns the milliseconds for which a row of this kind lets rows of a higher priority go first. */
export function yieldsMs(kind: string): number {
  switch (rankOf(kind)) {
    case 'reply':
      return 0;
    case 'card':
      return LIMITS.cardYieldsMs;
    case 'mark':
      return LIMITS.markYieldsMs;
  }
}

/** The same for every kind. */
export const YIELDS_MS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.keys(RANKS).map((kind) => [kind, yieldsMs(kind)]),
);

/** The kinds with a higher priority. */
export function goBefore(kind: string): readonly string[] {
  return Object.keys(RANKS).filter((other) => yieldsMs(other) < yieldsMs(kind));
}

/** The state of a budget for a row that needs a call of it. */
export interface Standing {
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
  kind,
  better,
  waitedMs,
  gapMs,
}: {
  kind: string;
  better: number;
  waitedMs: number;
  gapMs: number;
}): number {
  const rest = yieldsMs(kind) - waitedMs;
  if (better === 0 || rest <= 0) return 0;
  return Math.min(rest, Math.max(LOOK_AGAIN_MS, better * gapMs));
}
