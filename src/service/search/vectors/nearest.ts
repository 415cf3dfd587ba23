import { setImmediate as othersFirst } from 'node:timers/promises';

import { sql } from 'kysely';

import type { ServiceDb } from '../../handler.ts';
import type { ProviderName } from '../providers/provider.ts';
import { CONCEPTS_BYTES, conceptsFromBytes, cosine, fromBytes, lengthOf, sameConcepts } from './bytes.ts';

/** Vectors of a transaction that committed late have an earlier time than those already read. */
const OVERLAP_MS = 10_000;
/** Vectors read at once: of 500, a tenth more of what they were read from stays in memory. */
const PAGE = 200;
/** Tickets compared at once: it takes some milliseconds, then requests come first. */
const COMPARED = 10_000;
/** Tickets whose vectors are kept, newest first: of a million, most were solved long ago. */
const KEPT = 200_000;
/** Room is made for a tenth more than needed. */
const SPARE = 1.1;
/** Tickets that the similarity of a search to any ticket is estimated from. */
export const SAMPLE = 500;

export interface Near {
  ticketId: string;
  /** 1 is identical, 0 nothing in common. */
  similarity: number;
}

export interface Described extends Near {
  /** The ticket's topics, if the provider returns them: the strength of each concept relative to its strongest. */
  concepts: ReadonlyMap<number, number>;
}

/** A search: the vector that a provider made, or the concepts that the built-in model finds in it. */
export type Asked =
  { kind: 'vector'; vector: Int8Array } | { kind: 'concepts'; concepts: ReadonlyMap<number, number> };

/** Returns a search by its encoded vector or concepts. */
export function askedBy(provider: ProviderName, bytes: Uint8Array): Asked {
  return provider === 'built-in'
    ? { kind: 'concepts', concepts: conceptsFromBytes(bytes) }
    : { kind: 'vector', vector: fromBytes(bytes) };
}

/** The encoded vectors or concepts of the tickets of one workspace, a row each. Rows are only added or replaced. */
class WorkspaceVectors {
  readonly ids: string[] = [];
  newest = new Date(0);
  /** Older tickets are left out. */
  oldest: string | undefined;
  readonly #rowOf = new Map<string, number>();
  /** Bytes of a row. All vectors of a provider are equally long; of concepts, a ticket may have fewer. */
  #width: number;
  readonly #hasConcepts: boolean;
  #bytes = new Uint8Array(0);

  constructor(provider: ProviderName) {
    this.#hasConcepts = provider === 'built-in';
    this.#width = this.#hasConcepts ? CONCEPTS_BYTES : 0;
  }

  /** @param expected how many there will be, so that there is room for them and not for many more. */
  put(ticketId: string, encoded: Uint8Array, expected: number): void {
    this.#width ||= encoded.length;
    // Made by an older model; it is made again.
    if (this.#hasConcepts ? encoded.length > this.#width : encoded.length !== this.#width) return;
    const row = this.#rowOf.get(ticketId) ?? this.ids.push(ticketId) - 1;
    this.#rowOf.set(ticketId, row);
    this.#makeRoom(expected);
    this.encoded(row).fill(0).set(encoded);
  }

  rowOf(ticketId: string): number | undefined {
    return this.#rowOf.get(ticketId);
  }

  similarity(row: number, compare: Comparison): number {
    return compare(this.#bytes, row * this.#width, (row + 1) * this.#width);
  }

  /** The encoded vector or concepts of a row, which are not copied. */
  encoded(row: number): Uint8Array {
    return this.#bytes.subarray(row * this.#width, (row + 1) * this.#width);
  }

  /** Rows spread over all of them. */
  sample(): number[] {
    const step = Math.max(1, Math.floor(this.ids.length / SAMPLE));
    return this.ids.flatMap((_, row) => (row % step === 0 ? row : []));
  }

  #makeRoom(expected: number): void {
    if (this.ids.length * this.#width <= this.#bytes.length) return;
    const rows = Math.ceil(Math.max(64, this.ids.length, expected) * SPARE);
    const grown = new Uint8Array(rows * this.#width);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Compares a search with the row from one place to before another: 1 is identical, 0 nothing in common. */
type Comparison = (bytes: Uint8Array, from: number, to: number) => number;

function comparisonWith(asked: Asked): Comparison {
  if (asked.kind === 'concepts') return (bytes, from, to) => sameConcepts(asked.concepts, bytes, from, to);
  const length = lengthOf(asked.vector);
  return (bytes, from, to) => cosine(asked.vector, length, bytes, from, to);
}

/**
 * Nearest neighbours in memory, by comparing a search with every ticket: 3 MB for the concepts of 100,000 tickets, 26
 * MB for a provider's vectors, and the tickets' ids. Updated at each search with what was stored since the last one.
 */
export class InMemoryVectorIndex {
  readonly #workspaces = new Map<string, WorkspaceVectors>();
  readonly #updates = new Map<string, Promise<unknown>>();
  readonly #kept: number;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  /**
   * Returns the nearest tickets of these workspaces, nearest first; none that has nothing in common with the search.
   */
  async nearest(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Asked,
    most: number,
  ): Promise<Near[]> {
    const compare = comparisonWith(asked);
    const found: Near[] = [];
    for (const workspaceId of workspaceIds) {
      const vectors = await this.update(db, provider, workspaceId);
      const similarities = await similaritiesOf(vectors, compare);
      // The least that is among the nearest, so that only these are sorted with their tickets.
      const least = similarities.toSorted().at(-most) ?? -Infinity;
      for (const [row, similarity] of similarities.entries())
        if (similarity !== 0 && similarity >= least)
          found.push({ ticketId: vectors.ids[row] ?? '', similarity });
    }
    return found.sort((a, b) => b.similarity - a.similarity).slice(0, most);
  }

  /** Returns the similarity of these tickets, and what they are about. */
  async describe(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Asked,
    ids: readonly string[],
  ): Promise<Described[]> {
    const compare = comparisonWith(asked);
    const described: Described[] = [];
    for (const workspaceId of workspaceIds) {
      const vectors = await this.update(db, provider, workspaceId);
      for (const ticketId of ids) {
        const row = vectors.rowOf(ticketId);
        if (row === undefined) continue;
        const concepts =
          asked.kind === 'concepts'
            ? relative(conceptsFromBytes(vectors.encoded(row)))
            : new Map<number, number>();
        described.push({ ticketId, similarity: vectors.similarity(row, compare), concepts });
      }
    }
    return described;
  }

  /** Returns the similarities of some tickets, whatever they are about. */
  async sample(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Asked,
  ): Promise<number[]> {
    const compare = comparisonWith(asked);
    const found: number[] = [];
    for (const workspaceId of workspaceIds) {
      const vectors = await this.update(db, provider, workspaceId);
      for (const row of vectors.sample()) found.push(vectors.similarity(row, compare));
    }
    return found;
  }

  /** Reads vectors stored since the last update; concurrent searches share one update. */
  async update(db: ServiceDb, provider: ProviderName, workspaceId: string): Promise<WorkspaceVectors> {
    const name = `${provider} ${workspaceId}`;
    const vectors = this.#workspaces.get(name) ?? new WorkspaceVectors(provider);
    this.#workspaces.set(name, vectors);
    const update =
      this.#updates.get(name) ??
      readStored(db, provider, workspaceId, vectors, this.#kept).finally(() => this.#updates.delete(name));
    this.#updates.set(name, update);
    await update;
    return vectors;
  }
}

async function similaritiesOf(vectors: WorkspaceVectors, compare: Comparison): Promise<Float32Array> {
  const similarities = new Float32Array(vectors.ids.length);
  for (let row = 0; row < similarities.length; row++) {
    if (row % COMPARED === COMPARED - 1) await othersFirst();
    similarities[row] = vectors.similarity(row, compare);
  }
  return similarities;
}

/** Each strength relative to the strongest. */
function relative(concepts: ReadonlyMap<number, number>): Map<number, number> {
  const strongest = Math.max(...concepts.values());
  return new Map([...concepts].map(([concept, strength]) => [concept, strength / strongest]));
}

async function readStored(
  db: ServiceDb,
  provider: ProviderName,
  workspaceId: string,
  vectors: WorkspaceVectors,
  kept: number,
): Promise<void> {
  const expected = vectors.ids.length === 0 ? await countStored(db, provider, workspaceId, kept) : 0;
  vectors.oldest ??= await oldestKept(db, provider, workspaceId, kept);
  // As text: the database's times have more digits than a Date.
  let after = new Date(Math.max(0, vectors.newest.getTime() - OVERLAP_MS)).toISOString();
  let afterId = '';
  for (;;) {
    const page = await readPage(db, provider, workspaceId, vectors.oldest, after, afterId);
    if (!page) return;
    const lengths = page.lengths.split(SEPARATOR);
    const ids = page.ids.split(SEPARATOR);
    let end = 0;
    for (const [place, id] of ids.entries()) {
      const start = end;
      end += Number(lengths[place]);
      vectors.put(id, page.vectors.subarray(start, end), expected);
    }
    if (page.newest > vectors.newest) vectors.newest = page.newest;
    if (ids.length < PAGE) return;
    after = page.place;
    afterId = ids.at(-1) ?? '';
  }
}

/** Between ids, and between lengths; in neither of them. */
const SEPARATOR = ' ';

/** Each kind of value in one: as an object of each row, they would leave more behind than the vectors take. */
interface Page {
  ids: string;
  vectors: Buffer;
  lengths: string;
  newest: Date;
  /** When the last one was stored. */
  place: string;
}

/** Returns the vectors stored next after this time and ticket; undefined if there are none. */
async function readPage(
  db: ServiceDb,
  provider: ProviderName,
  workspaceId: string,
  oldest: string,
  after: string,
  afterId: string,
): Promise<Page | undefined> {
  const { rows } = await sql<Page>`
    select string_agg(ticket_id, ${SEPARATOR} order by stored_at, ticket_id) as ids,
      string_agg(vector, ''::bytea order by stored_at, ticket_id) as vectors,
      string_agg(length(vector)::text, ${SEPARATOR} order by stored_at, ticket_id) as lengths,
      max(stored_at) as newest, max(stored_at)::text as place
    from (
      select ticket_id, vector, stored_at from ticket_embedding
      where provider = ${provider} and workspace_id = ${workspaceId} and ticket_id >= ${oldest}
        and (stored_at, ticket_id) > (${after}::timestamptz, ${afterId}) and stored_at >= ${after}::timestamptz
      order by stored_at, ticket_id limit ${PAGE}) page
    having count(*) > 0`.execute(db);
  return rows[0];
}

async function countStored(
  db: ServiceDb,
  provider: ProviderName,
  workspaceId: string,
  kept: number,
): Promise<number> {
  const { rows } = await sql<{ stored: number }>`
    select count(*)::integer as stored from (
      select from ticket_embedding where provider = ${provider} and workspace_id = ${workspaceId} limit ${kept}) s`.execute(
    db,
  );
  return rows[0]?.stored ?? 0;
}

/** Returns the id of the oldest ticket to be kept; ids are in the order of time. */
async function oldestKept(
  db: ServiceDb,
  provider: ProviderName,
  workspaceId: string,
  kept: number,
): Promise<string> {
  const { rows } = await sql<{ ticket_id: string }>`
    select ticket_id from ticket_embedding where provider = ${provider} and workspace_id = ${workspaceId}
    order by ticket_id desc offset ${kept - 1} limit 1`.execute(db);
  return rows[0]?.ticket_id ?? '';
}
