import { sql } from 'kysely';

import { plainText } from '../../../platform/text/plain-text.ts';
import type { ServiceDb, ServiceTx } from '../../handler.ts';
import { quotedTerm } from '../queries.ts';
import { fold, readWords } from '../reader.ts';
import { stemsOfWords } from './lexemes.ts';

const AT_ONCE = 20;
/** Words of a document that are indexed, and places of each: Postgres refuses a tsvector of more than a megabyte. */
const WORDS = 20_000;
const PLACES = 20;
/** The largest position that a tsvector can hold. */
const LAST_PLACE = 16_383;

/** Indexes documents of knowledge bases that are new or changed; returns how many. */
export async function indexDocuments(tx: ServiceTx): Promise<number> {
  const { rows } = await sql<{ workspace_id: string; id: string; title: string; content: string }>`
    select workspace_id, id, title, content from knowledge_base_document where words is null
    order by workspace_id, id limit ${AT_ONCE} for no key update skip locked`.execute(tx);
  for (const { workspace_id, id, title, content } of rows) {
    const [inTitle = [], inContent = []] = await contentStems(tx, [title, plainText(content)]);
    const words = [...weighted(inTitle, 'A'), ...weighted(inContent, 'B')].join(' ');
    await sql`update knowledge_base_document set words = ${words}::tsvector
      where workspace_id = ${workspace_id} and id = ${id}`.execute(tx);
  }
  return rows.length;
}

/**
 * Returns the words of each plain text that say something, as stems where they have some, in the order of the text:
 * what a question and an answer to it have in common.
 */
export async function contentStems(db: ServiceDb, texts: readonly string[]): Promise<string[][]> {
  const parts = texts.map((text) => readWords(fold(text)).flatMap((word) => word.parts));
  const stems = await stemsOfWords(db, parts.flat());
  return parts.map((each) => each.flatMap((part) => stems.get(part) ?? [part]));
}

/** Returns each word with its places and weight, in the form of a tsvector. */
function weighted(words: readonly string[], weight: 'A' | 'B'): string[] {
  const places = new Map<string, number[]>();
  for (const [index, word] of words.slice(0, WORDS).entries()) {
    const known = places.get(word) ?? [];
    places.set(word, known);
    if (known.length < PLACES) known.push(Math.min(index + 1, LAST_PLACE));
  }
  return [...places].map(
    ([word, at]) => `${quotedTerm(word)}:${at.map((place) => `${place}${weight}`).join(',')}`,
  );
}
