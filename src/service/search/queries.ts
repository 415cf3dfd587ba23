import { type RawBuilder, sql } from 'kysely';

import type { Term } from './words.ts';

/** Returns the `tsquery` of one word of a search. */
export function anyOf({ options }: Term): string {
  return oneOf(
    options.map(({ lexemes, begins }) =>
      [...lexemes.map(quotedTerm), ...(begins === undefined ? [] : [`${quotedTerm(begins)}:*`])].join(' & '),
    ),
  );
}

/** Returns the `tsquery` of all words, in one text. */
export function matchAllTerms(terms: readonly Term[]): string {
  return terms.map((term) => `(${anyOf(term)})`).join(' & ');
}

/**
 * Returns a condition that the texts of a ticket, the columns `(workspace, id)`, hold all words of a search, each in
 * any of them.
 * @param isReadable of a row `w` of the index: whether it may be looked into.
 */
export function holdsAll(
  ticket: RawBuilder<unknown>,
  terms: readonly Term[],
  isReadable: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const holding = terms.map(
    // The query comes from a subselect, not as a value, so that the planner does not take to reading the whole table.
    (term) => sql`select w.workspace_id, w.ticket_id from ticket_word w
      where w.words @@ (select ${anyOf(term)}::tsquery) and ${isReadable}`,
  );
  return sql<boolean>`${ticket} in (${sql.join(holding, sql` intersect `)})`;
}

/** Returns a word as a quoted `tsquery` lexeme. */
export function quotedTerm(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}

export function oneOf(queries: readonly string[]): string {
  return queries.map((query) => `(${query})`).join(' | ');
}
