import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';

/** When a fault strikes, the same for calls and events. */
export const whenItStrikes = {
  /** How often it strikes; null until it is cleared. Without it once, or with `seconds` or `probability` until cleared. */
  times: z.int().min(1).nullable().optional(),
  /** How many that it would hit are let through first. */
  after: z.int().min(0).default(0),
  /** Strikes at this chance only; repeatable where the sandbox's chance is. */
  probability: z.number().gt(0).max(1).default(1),
  /** Is over after so many seconds of the sandbox's clock. */
  seconds: z.number().positive().max(86_400).optional(),
};

interface Striking {
  times?: number | null | undefined;
  after: number;
  probability: number;
  seconds?: number | undefined;
}

/** A fault that is switched on, and how often it has struck. */
export type Listed<Rule> = Rule & { id: number; hits: number };

interface Kept<Rule> {
  id: number;
  rule: Rule;
  hits: number;
  let: number;
  times: number;
  until: number;
}

/** The faults of one sort that are switched on; each is used up as it says. The first that fits strikes. */
export class Rules<Rule extends Striking> {
  readonly #clock: Clock;
  readonly #chance: () => number;
  #kept: Kept<Rule>[] = [];
  #count = 0;

  constructor(clock: Clock, chance: () => number) {
    this.#clock = clock;
    this.#chance = chance;
  }

  add(rule: Rule): void {
    const { times, seconds, probability, after } = rule;
    const once = seconds === undefined && probability === 1 ? 1 : Infinity;
    this.#kept.push({
      id: ++this.#count,
      rule,
      hits: 0,
      let: after,
      times: times === undefined ? once : (times ?? Infinity),
      until: seconds === undefined ? Infinity : this.#now() + seconds * 1000,
    });
  }

  clear(): void {
    this.#kept = [];
  }

  list(): Listed<Rule>[] {
    this.#forget();
    return this.#kept.map(({ id, rule, hits }) => ({ ...rule, id, hits }));
  }

  /** The fault that strikes what `fits` describes, if one does. */
  take(fits: (rule: Rule) => boolean): Rule | undefined {
    this.#forget();
    for (const kept of this.#kept) {
      if (!fits(kept.rule)) continue;
      if (kept.let > 0) {
        kept.let -= 1;
        continue;
      }
      if (kept.rule.probability < 1 && this.#chance() >= kept.rule.probability) continue;
      kept.hits += 1;
      this.#forget();
      return kept.rule;
    }
    return undefined;
  }

  #forget(): void {
    const now = this.#now();
    this.#kept = this.#kept.filter(({ hits, times, until }) => hits < times && now < until);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
