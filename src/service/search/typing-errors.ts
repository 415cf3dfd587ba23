import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { type Bounds, newestMatches } from './candidates.ts';
import { oneOf } from './questions.ts';
import type { Scope } from './scope.ts';

/** Words of a search that are compared; shorter ones look like everything. */
const COMPARED_WORDS = 8;
const SHORTEST_COMPARED = 3;
/** Words of titles that one word may have been meant to be. */
const MEANT = 5;

/**
 * Tickets whose titles bear words much like these, those first that bear most of them: so a typing error finds what it
 * meant. The words are compared with the words of titles, of which there are few, and not with all titles.
 */
export async function findAlike(
  db: ServiceDb,
  words: string,
  scope: Scope,
  limit: number,
  bounds: Bounds,
): Promise<string[]> {
  const compared = comparedWords(words);
  const meant = await meantWords(db, compared, scope);
  if (meant.length === 0) return [];
  const found = new Set<string>();
  const every = meant.map((query) => `(${query})`).join(' & ');
  for (const query of meant.length > 1 ? [every, oneOf(meant)] : [every]) {
    const { rows } = await sql<{ ticket_id: string }>`
      select s.ticket_id from ${newestMatches('title_words', query, scope, bounds)} c
      join ticket_search s using (workspace_id, ticket_id)
      order by (select sum(word_similarity(word, s.title)) from unnest(${compared}::text[]) word) desc,
        s.created_at desc, s.ticket_id desc
      limit ${limit}`.execute(db);
    for (const row of rows) found.add(row.ticket_id);
    if (found.size >= limit) break;
  }
  return [...found];
}

/** For each word that looks like some of the titles' words: a query for these, the likest ones. */
async function meantWords(db: ServiceDb, compared: readonly string[], scope: Scope): Promise<string[]> {
  if (compared.length === 0) return [];
  const { rows } = await sql<{ query: string }>`
    select string_agg(nullif(plainto_tsquery(language::regconfig, meant.word)::text, ''), ' | ') as query
    from search_setting, unnest(${[...compared]}::text[]) with ordinality asked (word, place),
      lateral words_like(asked.word, ${[...scope.workspaceIds]}::text[], ${MEANT}) meant (word)
    group by place having count(*) > 0 order by place`.execute(db);
  return rows.flatMap(({ query }) => (query ? [query] : []));
}

function comparedWords(words: string): string[] {
  const long = words
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST_COMPARED);
  return [...new Set(long)].slice(0, COMPARED_WORDS);
}
