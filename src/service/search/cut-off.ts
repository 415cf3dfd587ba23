import type { Ranked } from './rank.ts';
import type { Described } from './vectors/nearest.ts';

/** The share of the words' weight that a hit by its words alone contains. */
export const BY_WORDS = 0.6;

/**
 * How likely a hit is an answer: a logistic model, fitted on one half of the labelled set, and on other searches, each
 * also with its answer taken away. A search that is clearly about something (`strength`) has an answer only where a
 * ticket is about the same.
 */
const WEIGHTS = {
  base: -2.36,
  words: -2.59,
  mostWords: 7.52,
  coveredSquared: 5,
  similarity: 4,
  strength: -1.8,
};
/** A hit needs at least this share of the search's words; with fewer, it is rather about another problem. */
const MOST_WORDS = 0.5;
/** The best hit must be as likely as this for a search to have an answer, and the others nearly as likely. */
const LEAST = -2;
const LESS = 1;

/** The strength of a search whose provider does not say what it is about: as if it were clear. */
const USUAL_STRENGTH = 1;

/** Returns the hits to be listed, of those that were ranked by words and meaning. */
export function isListed(ranked: readonly Ranked[], strength = USUAL_STRENGTH): (hit: Ranked) => boolean {
  const best = Math.max(...ranked.map((hit) => likelihood(hit, strength)));
  return (hit) => hit.isSameTitle || (best > LEAST && likelihood(hit, strength) > LEAST - LESS);
}

function likelihood({ words, covered, similarity }: Ranked, strength: number): number {
  return (
    WEIGHTS.base +
    WEIGHTS.words * words +
    WEIGHTS.mostWords * Math.max(0, words - MOST_WORDS) +
    WEIGHTS.coveredSquared * covered ** 2 +
    WEIGHTS.similarity * similarity +
    WEIGHTS.strength * strength
  );
}

/** Spreads above the mean of all tickets that count as nothing in common, and as the same. */
const NOTHING = 1;
const SAME = 8;
/** Prior for a provider while there are few tickets: weight in tickets, mean similarity and spread. */
const ASSUMED = { tickets: 10, mean: 0.2, spread: 0.08 };

/**
 * Puts the similarities of any provider on one scale, for each has its own: by how far a ticket stands out from what is
 * usual for this search. The spread is that of the less similar tickets, which the answers do not widen.
 */
export function calibrated(near: readonly Described[], usual: readonly number[]): Described[] {
  const { tickets } = ASSUMED;
  const mean = (sum(usual) + tickets * ASSUMED.mean) / (usual.length + tickets);
  const below = usual.filter((similarity) => similarity < mean).map((similarity) => (mean - similarity) ** 2);
  const spread = Math.sqrt((sum(below) + tickets * ASSUMED.spread ** 2) / (below.length + tickets));
  return near.map((each) => {
    const above = (each.similarity - mean) / spread;
    return { ...each, similarity: Math.max(0, Math.min(1, (above - NOTHING) / (SAME - NOTHING))) };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
