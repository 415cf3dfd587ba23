import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import type { Stems } from './similarity.ts';

/** Returns the word stems of each text in the search's language, in the order of the texts. */
export async function stemsOf(db: ServiceDb, texts: readonly string[]): Promise<Stems[]> {
  const { rows } = await sql<{ stems: string[] }>`
    select tsvector_to_array(to_tsvector(language::regconfig, text)) as stems
    from search_setting, unnest(${texts}::text[]) with ordinality as each (text, place) order by place`.execute(
    db,
  );
  return rows.map(({ stems }) => stems);
}
