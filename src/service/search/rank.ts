import type { Term } from './words.ts';

/** Weight by place: the title (A), the description or a name (B), a message (C), an internal note (D). */
const FIELD: Record<string, number> = { A: 1, B: 0.9, C: 0.8, D: 0.75 };
/** Weight if another form of the word was found. */
const KIND = { itself: 1, typo: 0.85 } as const;
const PREFIX = 0.75;
/** Letters that may follow a prefix: "print" finds "printer", but not every longer word. */
const LONGEST_REST = 5;
/** Weight of the matched share of the title. */
const TITLE_SHARE = 0.15;
/** Weights of a word that is in no ticket, and of one found only in another form. */
const UNKNOWN = 0.7;
const INSTEAD = 0.75;
const LEAST = 0.15;
/** Weight of a word that says nothing; such words alone are found all the same. */
const LITTLE = 0.03;
/** Words of requests that say nothing of what they are about, however rare they are in the tickets. */
const SAYS_LITTLE = new Set(
  (
    "cannot can't cant could couldn't won't don't doesn't didn't isn't it's i'm i've get gets getting got need needs " +
    'needed want wants wanted would like please help who whom someone somebody anybody anyone everybody nobody every ' +
    'each again still already anymore longer now only just also really much let go going know tell say ask should must ' +
    'may might shall thanks hello hi issue problem problems trouble try tried keep keeps'
  ).split(' '),
);
const SAME_TITLE = 1;
/** Weight of meaning relative to words, whose score is squared: few matching words say little. */
const MEANING = 1;
/** Weight of a word that a ticket does not contain, but that is about the same as the ticket. */
const SAME_CONCEPT = 0.8;

/** The matches of a ticket. */
export interface Candidate {
  id: string;
  createdAt: Date;
  isSameTitle: boolean;
  title: readonly string[];
  /** Each lexeme found, with the fields that contain it: `{laptop: 'AC'}`. */
  found: ReadonlyMap<string, string>;
  /** Similarity of the vectors, 1 is identical; undefined if there is none. */
  similarity: number | undefined;
  /** What the ticket is about: each concept, relative to its strongest. */
  concepts: ReadonlyMap<number, number>;
}

/** How common lexemes are in a sample of the tickets. */
export interface Frequencies {
  tickets: number;
  of: ReadonlyMap<string, number>;
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
  /** The lexemes that matched. */
  lexemes: string[];
}

/** Ranks the candidates, best first: by the share of the words' weight that each contains, and by meaning. */
export function rank(
  terms: readonly Term[],
  candidates: readonly Candidate[],
  frequencies: Frequencies,
  conceptsOf: ReadonlyMap<string, readonly number[]> = new Map(),
): Ranked[] {
  const rarity = (lexeme: string) =>
    Math.log(1 + frequencies.tickets / (1 + (frequencies.of.get(lexeme) ?? 0))) /
    Math.log(1 + frequencies.tickets);
  const weights = terms.map((term) => weightOf(term, frequencies, rarity));
  const ranked = candidates.map((candidate) => {
    const lexemes = new Set<string>();
    let score = 0;
    let covered = 0;
    terms.forEach((term, place) => {
      const { share, by } = bestOf(term, candidate);
      const weight = weights[place] ?? 0;
      score += share * weight;
      const same = sameConcept(conceptsOf.get(term.meant ?? term.word) ?? [], candidate);
      covered += Math.max(share, SAME_CONCEPT * same) * weight;
      for (const lexeme of by) lexemes.add(lexeme);
    });
    const all = sum(weights) || 1;
    const words = score / all + TITLE_SHARE * shareOf(candidate.title, lexemes, rarity);
    const similarity = Math.max(0, candidate.similarity ?? 0);
    const total = words ** 2 + MEANING * similarity + (candidate.isSameTitle ? SAME_TITLE : 0);
    const { id, isSameTitle } = candidate;
    return {
      candidate,
      id,
      score: total,
      words,
      covered: covered / all,
      similarity,
      isSameTitle,
      lexemes: [...lexemes],
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

function weightOf(term: Term, { of }: Frequencies, rarity: (lexeme: string) => number): number {
  if (SAYS_LITTLE.has(term.word)) return LITTLE;
  const known = (lexemes: readonly string[]) => lexemes.filter((lexeme) => of.has(lexeme));
  const [own, ...others] = term.options;
  const itself = known(own?.lexemes ?? []);
  if (itself.length > 0) return Math.max(LEAST, ...itself.map(rarity));
  const instead = others.flatMap(({ lexemes }) => known(lexemes));
  return instead.length > 0 ? Math.max(LEAST, INSTEAD * Math.max(...instead.map(rarity))) : UNKNOWN;
}

/** Returns a ticket's score for one word: the best of its options. */
function bestOf(term: Term, { found }: Candidate): { share: number; by: readonly string[] } {
  let best: { share: number; by: readonly string[] } = { share: 0, by: [] };
  const consider = (share: number, by: readonly string[]): void => {
    if (share > best.share) best = { share, by };
  };
  for (const { lexemes, kind } of term.options)
    consider(Math.min(...lexemes.map((lexeme) => fieldOf(found.get(lexeme)))) * KIND[kind], lexemes);
  if (term.isPrefix)
    for (const [lexeme, fields] of found)
      if (lexeme.startsWith(term.word) && lexeme.length - term.word.length <= LONGEST_REST)
        consider(fieldOf(fields) * PREFIX, [lexeme]);
  return best;
}

/** How much a ticket is about one of these concepts; the root undoes how their strengths are sharpened. */
function sameConcept(concepts: readonly number[], ticket: Candidate): number {
  return Math.cbrt(Math.max(0, ...concepts.map((concept) => ticket.concepts.get(concept) ?? 0)));
}

function fieldOf(fields: string | undefined): number {
  return Math.max(0, ...Array.from(fields ?? '', (field) => FIELD[field] ?? 0));
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
