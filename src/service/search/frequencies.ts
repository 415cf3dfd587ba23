import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import type { Frequencies } from './rarity.ts';

/** Texts of the newest tickets that are the sample. */
const SAMPLE = 5_000;
const KEPT_MS = 300_000;
/** With few tickets, each new one changes the frequencies a lot. */
const FEW = 200;
const KEPT_OF_FEW_MS = 5_000;

/** Caches how common words are in the workspaces of a database; counted periodically. */
export class FrequencyCache {
  readonly #known = new WeakMap<ServiceDb, Map<string, Promise<Frequencies>>>();

  of(db: ServiceDb, workspaceIds: readonly string[]): Promise<Frequencies> {
    const known = this.#knownOf(db);
    const name = [...workspaceIds].sort().join(' ');
    const counted = known.get(name);
    if (counted) return counted;
    const frequencies = count(db, workspaceIds);
    known.set(name, frequencies);
    const forget = (): void => void known.delete(name);
    frequencies.then(
      ({ tickets }) => void setTimeout(forget, tickets < FEW ? KEPT_OF_FEW_MS : KEPT_MS).unref(),
      forget,
    );
    return frequencies;
  }

  #knownOf(db: ServiceDb): Map<string, Promise<Frequencies>> {
    const known = this.#known.get(db) ?? new Map<string, Promise<Frequencies>>();
    this.#known.set(db, known);
    return known;
  }
}

async function count(db: ServiceDb, workspaceIds: readonly string[]): Promise<Frequencies> {
  const { rows } = await sql<{ word: string | null; tickets: number }>`
    with sample as materialized (
      select ticket_id, words from ticket_word where workspace_id = any(${[...workspaceIds]}::text[])
      order by ticket_at desc limit ${SAMPLE}
    )
    select null as word, count(distinct ticket_id)::integer as tickets from sample
    union all
    select word, count(*)::integer from (
      select distinct ticket_id, lexeme as word from sample, unnest(words)
    ) one group by word`.execute(db);
  const [first, ...words] = rows;
  return {
    tickets: first?.tickets ?? 0,
    of: new Map(words.map(({ word, tickets }) => [word ?? '', tickets])),
  };
}
