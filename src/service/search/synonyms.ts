import type { ServiceDb } from '../handler.ts';
import { lexemesOf } from './lexemes.ts';
import { THESAURUS } from './thesaurus.ts';

type Entry = readonly string[];

interface Synonyms {
  groups: Entry[][];
  /** The groups that contain a lexeme. */
  of: Map<string, number[]>;
}

let known: Promise<Synonyms> | undefined;

/** Reads the thesaurus, reduced to lexemes by the database once: every Postgres stems English alike. */
async function readThesaurus(db: ServiceDb): Promise<Synonyms> {
  const lines = THESAURUS.trim()
    .split('\n')
    .map((line) => line.split(',').map((entry) => entry.trim()));
  const lexemes = await lexemesOf(db, lines.flat());
  let place = 0;
  const groups = lines.map((line) =>
    line.map(() => lexemes[place++] ?? []).filter((each) => each.length > 0),
  );
  const of = new Map<string, number[]>();
  groups.forEach((group, number) => {
    for (const lexeme of new Set(group.flat())) of.set(lexeme, [...(of.get(lexeme) ?? []), number]);
  });
  return { groups, of };
}

/**
 * Returns the synonyms of each word of a search, given by its lexemes; words that form one term together count as it.
 */
export async function synonymsOf(db: ServiceDb, words: readonly (readonly string[])[]): Promise<Entry[][]> {
  known ??= readThesaurus(db);
  const { groups, of } = await known.catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  const all = new Set(words.flat());
  const said = new Set([...all].flatMap((lexeme) => of.get(lexeme) ?? []));
  const found = words.map(() => new Map<string, Entry>());
  for (const number of said) {
    const group = groups[number] ?? [];
    for (const entry of group.filter((each) => each.every((lexeme) => all.has(lexeme))))
      words.forEach((lexemes, place) => {
        if (!lexemes.some((lexeme) => entry.includes(lexeme))) return;
        for (const other of group) if (other !== entry) found[place]?.set(other.join(' '), other);
      });
  }
  return found.map((entries) => [...entries.values()]);
}
