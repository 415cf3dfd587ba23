import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';

/** Returns each text's English lexemes, in the order of the texts. */
export async function lexemesOf(db: ServiceDb, texts: readonly string[]): Promise<string[][]> {
  const { rows } = await sql<{ lexemes: string[] }>`
    select tsvector_to_array(to_tsvector('pg_catalog.english', text)) as lexemes
    from unnest(${[...texts]}::text[]) with ordinality as each (text, place) order by place`.execute(db);
  return rows.map(({ lexemes }) => lexemes);
}
