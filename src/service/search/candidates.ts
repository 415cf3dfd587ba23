import { type RawBuilder, sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import { sameTitleOf } from './index/write.ts';
import { matchAllTerms, anyOf, oneOf } from './queries.ts';
import { type Frequencies, textsWithTerm, weightOf } from './rarity.ts';
import { inWorkspaces, isReadable, isVisible, type Scope } from './scope.ts';
import type { Term } from './words.ts';

/** Limits of how much of the index one search may read, however many tickets there are. */
export interface Bounds {
  /** Texts of the newest tickets that are looked through where words are common. */
  newest: number;
  /** Matching texts of a word that are read from the index, which has no order. */
  matches: number;
  /** Tickets that are ranked, newest first. */
  candidates: number;
}

/** Words of which tickets with only some are looked for: each is compared with the texts of the newest tickets. */
const SOME = 12;

/** From so many times as many texts on, a word is looked for in the tickets of a rarer one instead of read whole. */
const FAR_MORE = 5;

export const BOUNDS: Bounds = { newest: 10_000, matches: 5_000, candidates: 100 };

/** A search for words, prepared. */
export interface Lookup {
  words: string;
  terms: readonly Term[];
  scope: Scope;
  frequencies: Frequencies;
  bounds: Bounds;
}

/**
 * Returns the tickets to rank: exact titles, titles with all words, and the newest tickets that hold all words, in
 * whichever of their texts. Where those are fewer than `limit`, every one is among them, and they are followed by
 * tickets with some of the words, those with the rarest first.
 */
export async function candidatesOf(db: ServiceDb, lookup: Lookup, limit: number): Promise<string[]> {
  const { terms, scope } = lookup;
  if (scope.workspaceIds.length === 0) return [];
  const found = new Set(await withSameTitle(db, lookup));
  if (terms.length === 0) return [...found];
  for (const id of await withTitle(db, lookup, limit)) found.add(id);
  const holding = await withAllWords(db, lookup, limit);
  for (const id of holding) found.add(id);
  if (holding.length < limit && terms.length > 1)
    for (const id of await withSomeWords(db, lookup)) found.add(id);
  return [...found];
}

async function withSameTitle(db: ServiceDb, { words, scope, bounds }: Lookup): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.ticket_id as id from ticket_search s
    where s.title = ${sameTitleOf(words)} and ${inWorkspaces(scope)} and ${isVisible(scope)}
    order by s.created_at desc limit ${bounds.candidates}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the newest tickets with all words in the title: of common words, those among the newest texts, if enough. */
async function withTitle(db: ServiceDb, lookup: Lookup, limit: number): Promise<string[]> {
  const { scope, bounds } = lookup;
  if (areCommon(lookup, limit)) {
    const ids = await titled(db, lookup, newestTexts(scope, bounds));
    if (ids.length >= limit) return ids;
  }
  return titled(db, lookup, sql`select w.* from ticket_word w where ${inWorkspace(scope)}`);
}

/** Returns the newest tickets with all words in the title, of those whose titles are among these texts. */
async function titled(
  db: ServiceDb,
  { terms, scope, bounds }: Lookup,
  texts: RawBuilder<unknown>,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with found as materialized (
      select w.workspace_id, w.ticket_id from (${texts}) w
      where w.field = 'title' and w.words @@ (select ${matchAllTerms(terms)}::tsquery)
      limit ${bounds.matches})
    select s.ticket_id as id from found join ticket_search s using (workspace_id, ticket_id)
    where s.listed and ${isVisible(scope)}
    order by s.created_at desc limit ${bounds.candidates}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns the newest tickets that hold all words; all of them if they are fewer than `limit`.
 *
 * The index of words knows no order, and a common word has a hundred thousand texts, all of which are looked up to read
 * any of them. So where every word is common, the newest tickets are looked through first: most likely they have enough.
 * Otherwise the texts of the rarest word are read, up to a bound, and those of their tickets are looked through for the
 * others. Only where neither is enough, all texts of the rarest words are read.
 */
async function withAllWords(db: ServiceDb, lookup: Lookup, limit: number): Promise<string[]> {
  const { terms, scope, bounds, frequencies } = lookup;
  const textsOf = (term: Term) => textsWithTerm(term, frequencies);
  const [rarest, ...others] = terms.toSorted((a, b) => textsOf(a) - textsOf(b));
  if (!rarest) return [];
  const firstOfCommon = areCommon(lookup, limit) ? await inNewest(db, lookup) : undefined;
  if (firstOfCommon && firstOfCommon.length >= limit) return firstOfCommon;
  const { rows } = await sql<{ texts: number; ids: string[] }>`
    with text as materialized (${textsWith(rarest, scope)} limit ${bounds.matches + 1}),
    found as (select distinct workspace_id, ticket_id from text where (select count(*) from text) <= ${bounds.matches})
    select (select count(*) from text) as texts, array(
      select s.ticket_id from found join ticket_search s using (workspace_id, ticket_id)
      where s.listed and ${isVisible(scope)} and ${holdsEach(others, scope)}
      order by s.created_at desc limit ${bounds.candidates}) as ids`.execute(db);
  const [{ texts, ids } = { texts: 0, ids: [] }] = rows;
  if (texts <= bounds.matches) return ids;
  const fromNewest = firstOfCommon ?? (await inNewest(db, lookup));
  if (fromNewest.length >= limit) return fromNewest;
  const isFarMore = (term: Term) => textsOf(term) > FAR_MORE * textsOf(rarest);
  const all = await sql<{ id: string }>`
    select s.ticket_id as id from (${sql.join(
      [rarest, ...others.filter((term) => !isFarMore(term))].map((term) => sql`(${textsWith(term, scope)})`),
      sql` intersect `,
    )}) found join ticket_search s using (workspace_id, ticket_id)
    where s.listed and ${isVisible(scope)} and ${holdsEach(others.filter(isFarMore), scope)}
    order by s.created_at desc limit ${bounds.candidates}`.execute(db);
  return all.rows.map(({ id }) => id);
}

/** Whether at least so many of the newest tickets have each of the words. */
function areCommon({ terms, frequencies }: Lookup, tickets: number): boolean {
  return terms.every((term) => isCommon(term, frequencies, tickets));
}

/** Whether at least so many of the newest tickets have the word: frequencies are counted among them. */
function isCommon(term: Term, frequencies: Frequencies, tickets: number): boolean {
  return textsWithTerm(term, frequencies) >= tickets;
}

/** Returns those of the newest tickets that hold all words. */
async function inNewest(db: ServiceDb, { terms, scope, bounds }: Lookup): Promise<string[]> {
  const held = sql.join(
    terms.map((term) => sql`bool_or(w.words @@ ${anyOf(term)}::tsquery)`),
    sql` and `,
  );
  const { rows } = await sql<{ id: string }>`
    with found as materialized (
      select w.workspace_id, w.ticket_id from (${newestTexts(scope, bounds)}) w
      where w.words @@ ${oneOf(terms.map(anyOf))}::tsquery and ${isReadable(scope)}
      group by w.workspace_id, w.ticket_id having ${held})
    select s.ticket_id as id from found join ticket_search s using (workspace_id, ticket_id)
    where s.listed and ${isVisible(scope)}
    order by s.created_at desc limit ${bounds.candidates}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns tickets with some of the words that say most: those whose words are together the rarest come first. They are
 * looked for among the newest, and with words that are not common also among all others.
 */
async function withSomeWords(
  db: ServiceDb,
  { terms, scope, bounds, frequencies }: Lookup,
): Promise<string[]> {
  const weights = terms
    .map((term, place) => ({
      place,
      query: anyOf(term),
      weight: weightOf(term, frequencies),
      is_common: isCommon(term, frequencies, bounds.candidates),
    }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, SOME);
  const { rows } = await sql<{ id: string }>`
    with term as materialized (
      select place, query::tsquery as query, weight, is_common
      from jsonb_to_recordset(${JSON.stringify(weights)}::jsonb)
        t (place integer, query text, weight real, is_common boolean)
    ), hit as (
      select w.workspace_id, w.ticket_id, term.place, term.weight from (${newestTexts(scope, bounds)}) w
        join term on w.words @@ term.query
        where ${isReadable(scope)}
      union
      select w.workspace_id, w.ticket_id, term.place, term.weight from term cross join lateral (
        select w.workspace_id, w.ticket_id from ticket_word w
        where w.words @@ term.query and ${inWorkspace(scope)} and ${isReadable(scope)}
        limit ${bounds.matches}) w
      where not term.is_common
    ), weighed as (
      select workspace_id, ticket_id, sum(weight) as weight from hit group by workspace_id, ticket_id
    )
    select s.ticket_id as id from weighed join ticket_search s using (workspace_id, ticket_id)
    where s.listed and ${isVisible(scope)}
    order by weighed.weight desc, s.created_at desc limit ${bounds.candidates}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The texts of a word that the viewer may read. */
function textsWith(term: Term, scope: Scope): RawBuilder<unknown> {
  return sql`select w.workspace_id, w.ticket_id from ticket_word w
    where w.words @@ (select ${anyOf(term)}::tsquery) and ${inWorkspace(scope)} and ${isReadable(scope)}`;
}

/** SQL condition that each of these words occurs in a text of the ticket of a row `s`. */
function holdsEach(terms: readonly Term[], scope: Scope): RawBuilder<unknown> {
  if (terms.length === 0) return sql`true`;
  const held = terms.map((term) => sql`bool_or(w.words @@ ${anyOf(term)}::tsquery)`);
  return sql`(select ${sql.join(held, sql` and `)} from ticket_word w
    where w.workspace_id = s.workspace_id and w.ticket_id = s.ticket_id and ${isReadable(scope)})`;
}

function newestTexts(scope: Scope, { newest }: Bounds): RawBuilder<unknown> {
  return sql`select w.* from ticket_word w where ${inWorkspace(scope)} order by w.ticket_at desc limit ${newest}`;
}

function inWorkspace({ workspaceIds }: Scope): RawBuilder<unknown> {
  return isOneOf('w.workspace_id', workspaceIds);
}
