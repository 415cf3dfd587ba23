import type { Term } from './words.ts';

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

/** How common lexemes are in a sample of the tickets. */
export interface Frequencies {
  tickets: number;
  of: ReadonlyMap<string, number>;
}

/** Returns how much a lexeme says: 1 if it is in no text of the sample, 0 if it is in all. */
export function rarityOf(lexeme: string, { of, tickets }: Frequencies): number {
  return Math.log(1 + tickets / (1 + (of.get(lexeme) ?? 0))) / Math.log(1 + tickets);
}

/** Returns how much a word of a search says. */
export function weightOf(term: Term, frequencies: Frequencies): number {
  const { of } = frequencies;
  const rarity = (lexeme: string) => rarityOf(lexeme, frequencies);
  if (SAYS_LITTLE.has(term.word)) return LITTLE;
  const known = (lexemes: readonly string[]) => lexemes.filter((lexeme) => of.has(lexeme));
  const [own, ...others] = term.options;
  const itself = known(own?.lexemes ?? []);
  if (itself.length > 0) return Math.max(LEAST, ...itself.map(rarity));
  const instead = others.flatMap(({ lexemes }) => known(lexemes));
  return instead.length > 0 ? Math.max(LEAST, INSTEAD * Math.max(...instead.map(rarity))) : UNKNOWN;
}

/** Returns in how many tickets of the sample a word is. */
export function textsWithTerm({ options }: Term, { of }: Frequencies): number {
  return Math.max(
    ...options.map(({ lexemes, begins }) =>
      Math.min(
        ...[...lexemes, ...(begins === undefined ? [] : [begins])].map((lexeme) => of.get(lexeme) ?? 0),
      ),
    ),
  );
}
