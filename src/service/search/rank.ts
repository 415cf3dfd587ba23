import type { Field } from './index/texts.ts';
import type { MatchingText } from './matching-texts.ts';
import { type Frequencies, rarityOf, weightOf } from './rarity.ts';
import type { Term } from './words.ts';

/** Weight by place. */
const FIELD: Record<Field, number> = { title: 1, text: 0.9, message: 0.8, note: 0.75 };
/** Weight if another form of the word was found. */
const KIND = { itself: 1, beginning: 0.75, parts: 0.75, typo: 0.85 } as const;
/** Weight of the matched share of the title. */
const TITLE_SHARE = 0.15;
const SAME_TITLE = 1;
/** More than all else together: a ticket with all of the words comes first, also among those of several searches. */
const ALL_WORDS = 4;
/** Weight of meaning relative to words, whose score is squared: few matching words say little. */
const MEANING = 1;
/** Weight of a word that a ticket does not contain, but that is about the same as the ticket. */
const SAME_CONCEPT = 0.8;

/** The matches of a ticket. */
export interface Candidate {
  id: string;
  createdAt: Date;
  isSameTitle: boolean;
  /** The stems of its title. */
  title: readonly string[];
  /** The lexemes of the search in each of its texts. */
  texts: readonly MatchingText[];
  /** Similarity of the vectors, 1 is identical; undefined if there is none. */
  similarity: number | undefined;
  /** The ticket's topics: the strength of each concept relative to its strongest. */
  concepts: ReadonlyMap<number, number>;
}

export interface Ranked {
  id: string;
  score: number;
  /** The share of the words' weight that it contains. */
  words: number;
  /** The same, with words that are about the same as the ticket. */
  covered: number;
  similarity: number;
  isSameTitle: boolean;
  /** Whether it contains every word of the search. */
  hasAll: boolean;
  /** The lexemes that matched, and the texts that have some of them. */
  lexemes: string[];
  texts: readonly MatchingText[];
}

/** Ranks the candidates, best first: by the share of the words' weight that each contains, and by meaning. */
export function rank(
  terms: readonly Term[],
  candidates: readonly Candidate[],
  frequencies: Frequencies,
  conceptsOf: ReadonlyMap<string, readonly number[]> = new Map(),
): Ranked[] {
  const rarity = (lexeme: string) => rarityOf(lexeme, frequencies);
  const weights = terms.map((term) => weightOf(term, frequencies));
  const ranked = candidates.map((candidate) => {
    const lexemes = new Set<string>();
    let score = 0;
    let covered = 0;
    let hasAll = terms.length > 0;
    terms.forEach((term, place) => {
      const { share, by } = bestOf(term, candidate);
      const weight = weights[place] ?? 0;
      score += share * weight;
      if (share === 0) hasAll = false;
      const same = sameConcept(conceptsOf.get(term.meant ?? term.word) ?? [], candidate);
      covered += Math.max(share, SAME_CONCEPT * same) * weight;
      for (const lexeme of by) lexemes.add(lexeme);
    });
    const all = sum(weights) || 1;
    const words = score / all + TITLE_SHARE * shareOf(candidate.title, lexemes, rarity);
    const similarity = Math.max(0, candidate.similarity ?? 0);
    const total =
      words ** 2 + MEANING * similarity + (candidate.isSameTitle ? SAME_TITLE : 0) + (hasAll ? ALL_WORDS : 0);
    const { id, isSameTitle } = candidate;
    return {
      candidate,
      id,
      score: total,
      words,
      covered: covered / all,
      similarity,
      isSameTitle,
      hasAll,
      lexemes: [...lexemes],
      texts: candidate.texts,
    };
  });
  return ranked
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.candidate.createdAt.getTime() - a.candidate.createdAt.getTime() ||
        (a.id < b.id ? 1 : -1),
    )
    .map(({ candidate: _, ...each }) => each);
}

/** Returns a ticket's score for one word: the best of its options, each in one of its texts. */
function bestOf(term: Term, { texts }: Candidate): { share: number; by: readonly string[] } {
  let share = 0;
  let by: readonly string[] = [];
  for (const { lexemes, begins, kind } of term.options)
    for (const text of texts) {
      const of = FIELD[text.field] * KIND[kind];
      if (of <= share || !lexemes.every((lexeme) => text.lexemes.has(lexeme))) continue;
      const longer =
        begins === undefined ? [] : [...text.lexemes].filter((lexeme) => lexeme.startsWith(begins));
      if (begins !== undefined && longer.length === 0) continue;
      share = of;
      by = [...lexemes, ...longer];
    }
  return { share, by };
}

/** How much a ticket is about one of these concepts; the root undoes how their strengths are sharpened. */
function sameConcept(concepts: readonly number[], ticket: Candidate): number {
  return Math.cbrt(Math.max(0, ...concepts.map((concept) => ticket.concepts.get(concept) ?? 0)));
}

function shareOf(
  title: readonly string[],
  found: ReadonlySet<string>,
  rarity: (lexeme: string) => number,
): number {
  const all = sum(title.map(rarity));
  return all === 0 ? 0 : sum(title.filter((lexeme) => found.has(lexeme)).map(rarity)) / all;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
