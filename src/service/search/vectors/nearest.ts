import { setImmediate as othersFirst } from 'node:timers/promises';

import { sql } from 'kysely';

import type { ServiceDb } from '../../handler.ts';
import type { ProviderName } from '../providers/provider.ts';
import { CONCEPT_BYTES, conceptsOf, fromBytes, lengthOf, MOST_DIMENSIONS } from './bytes.ts';

/** Vectors of a transaction that committed late have an earlier time than those already read. */
const OVERLAP_MS = 10_000;
/** Vectors read at once: of 500, a tenth more of what they were read from stays in memory. */
const PAGE = 200;
/** Vectors estimated at once: it takes two milliseconds, then requests come first. */
const ESTIMATED = 10_000;
/** Tickets whose vectors are kept, newest first: of a million, most were solved long ago. */
const KEPT = 200_000;
/** Up to this number all vectors are compared exactly; above it, only those whose signs agree most. */
const EXACT = 5_000;
const COMPARED = 1_500;
/** Steps in which similarity is estimated, and strengths are kept. */
const LEVELS = 1_000;
const FULL = 255;
/** Room is made for a tenth more than needed. */
const SPARE = 1.1;
/** Concepts kept of a ticket. */
const CONCEPTS = 10;
/** Weight of being about the same, relative to the nearness of the vectors, where both are known. */
const SAME_CONCEPTS = 4;
/** Tickets that the similarity of a search to any ticket is estimated from. */
export const SAMPLE = 500;

export interface Near {
  ticketId: string;
  /** 1 is identical, 0 nothing in common. */
  similarity: number;
}

export interface Described extends Near {
  /** What the ticket is about, if its vector says so: each concept, relative to its strongest. */
  concepts: ReadonlyMap<number, number>;
}

/** A search's vector, and the concepts that it is about. */
export interface Asked {
  vector: Int8Array;
  concepts: readonly (readonly [concept: number, strength: number])[];
}

export function askedBy(bytes: Uint8Array): Asked {
  return { vector: fromBytes(bytes), concepts: conceptsOf(bytes) };
}

/** A search, prepared to be compared with many tickets. */
class Comparison {
  readonly vector: Int8Array;
  readonly length: number;
  readonly signs: Uint32Array;
  /** The strength of each concept, by its number; empty where the vectors have none. */
  readonly concepts: Float32Array;

  constructor({ vector, concepts }: Asked) {
    this.vector = vector;
    this.length = lengthOf(vector);
    this.signs = signsOf(vector);
    this.concepts = new Float32Array(Math.max(0, ...concepts.map(([concept]) => concept + 1)));
    for (const [concept, strength] of concepts) this.concepts[concept] = strength;
  }

  similarity(cosine: number, sameConcepts: number): number {
    return this.concepts.length === 0
      ? cosine
      : (cosine + SAME_CONCEPTS * sameConcepts) / (1 + SAME_CONCEPTS);
  }
}

/** A signed byte divided by it is from -7 to 7 and takes half a byte; cosines then differ by less than 0.01. */
const HALVED = 18;
const lowOf = (byte: number) => ((byte & 15) ^ 8) - 8;
const highOf = (byte: number) => ((byte >> 4) ^ 8) - 8;

/**
 * The vectors of one workspace: half a byte per dimension, the signs alone, which are compared first, and the concepts.
 * Rows are only added or replaced.
 */
class WorkspaceVectors {
  readonly ids: string[] = [];
  newest = new Date(0);
  /** Older tickets are left out. */
  oldest: string | undefined;
  readonly #rowOf = new Map<string, number>();
  #dimensions = 0;
  #vectors = new Uint8Array(0);
  #lengths = new Float32Array(0);
  #signs = new Uint32Array(0);
  #concepts = new Uint16Array(0);
  #strengths = new Uint8Array(0);

  /**
   * Makes no objects, of which 100,000 would leave more memory behind than the vectors take.
   *
   * @param from where its bytes begin.
   * @param expected how many there will be, so that there is room for them and not for many more.
   */
  put(ticketId: string, bytes: Uint8Array, from: number, to: number, expected: number): void {
    const dimensions = Math.min(to - from, MOST_DIMENSIONS);
    this.#dimensions ||= dimensions;
    if (dimensions !== this.#dimensions) return;
    const row = this.#rowOf.get(ticketId) ?? this.ids.push(ticketId) - 1;
    this.#rowOf.set(ticketId, row);
    this.#makeRoom(expected);
    this.#signs.fill(0, row * this.#words, (row + 1) * this.#words);
    this.#vectors.fill(0, row * this.#halves, (row + 1) * this.#halves);
    let squares = 0;
    for (let place = 0; place < dimensions; place++) {
      const value = ((bytes[from + place] ?? 0) << 24) >> 24;
      const half = Math.round(value / HALVED);
      squares += half * half;
      const at = row * this.#halves + (place >> 1);
      this.#vectors[at] = (this.#vectors[at] ?? 0) | ((half & 15) << (4 * (place & 1)));
      if (value > 0) setBit(this.#signs, row * this.#words, place);
    }
    this.#lengths[row] = Math.sqrt(squares) || 1;
    for (let place = 0; place < CONCEPTS; place++) {
      const at = from + MOST_DIMENSIONS + place * CONCEPT_BYTES;
      const has = at + CONCEPT_BYTES <= to;
      this.#concepts[row * CONCEPTS + place] = has ? (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) : 0;
      this.#strengths[row * CONCEPTS + place] = has ? (bytes[at + 2] ?? 0) : 0;
    }
  }

  get #words(): number {
    return Math.ceil(this.#dimensions / 32);
  }

  get #halves(): number {
    return Math.ceil(this.#dimensions / 2);
  }

  near(asked: Comparison, row: number): Near {
    const from = row * this.#halves;
    let product = 0;
    for (let place = 0; place < asked.vector.length; place += 2) {
      const both = this.#vectors[from + place / 2] ?? 0;
      product += (asked.vector[place] ?? 0) * lowOf(both) + (asked.vector[place + 1] ?? 0) * highOf(both);
    }
    const cosine = product / (asked.length * (this.#lengths[row] ?? 1));
    return {
      ticketId: this.ids[row] ?? '',
      similarity: asked.similarity(cosine, this.#sameConcepts(asked, row)),
    };
  }

  rowOf(ticketId: string): number | undefined {
    return this.#rowOf.get(ticketId);
  }

  /** Returns the rows worth an exact comparison. */
  async likely(asked: Comparison): Promise<number[]> {
    const rows = this.ids.length;
    if (rows <= EXACT) return Array.from({ length: rows }, (_, row) => row);
    // Estimated from the signs alone, and counted by their rank to find the threshold.
    const cosines = Float32Array.from({ length: this.#dimensions + 1 }, (_, different) =>
      Math.cos((Math.PI * different) / this.#dimensions),
    );
    const estimates = new Uint16Array(rows);
    const counts = new Uint32Array(LEVELS + 1);
    for (let row = 0; row < rows; row++) {
      if (row % ESTIMATED === ESTIMATED - 1) await othersFirst();
      const cosine = cosines[this.#differences(asked, row)] ?? 0;
      const estimate = asked.similarity(cosine, this.#sameConcepts(asked, row));
      const level = Math.round(Math.max(0, Math.min(1, estimate)) * LEVELS);
      estimates[row] = level;
      counts[level] = (counts[level] ?? 0) + 1;
    }
    let least = LEVELS;
    for (let within = counts[least] ?? 0; least > 0 && within < COMPARED; within += counts[least] ?? 0)
      least--;
    const likely: number[] = [];
    for (let row = 0; row < rows; row++) if ((estimates[row] ?? 0) >= least) likely.push(row);
    return likely;
  }

  /** Rows spread over all of them. */
  sample(): number[] {
    const step = Math.max(1, Math.floor(this.ids.length / SAMPLE));
    return this.ids.flatMap((_, row) => (row % step === 0 ? row : []));
  }

  /** In how many signs a row differs. */
  #differences(asked: Comparison, row: number): number {
    const words = this.#words;
    let different = 0;
    for (let word = 0; word < words; word++)
      different += bitsOf((asked.signs[word] ?? 0) ^ (this.#signs[row * words + word] ?? 0));
    return different;
  }

  #sameConcepts({ concepts }: Comparison, row: number): number {
    if (concepts.length === 0) return 0;
    let sum = 0;
    for (let place = row * CONCEPTS; place < (row + 1) * CONCEPTS; place++)
      sum += (concepts[this.#concepts[place] ?? 0] ?? 0) * (this.#strengths[place] ?? 0);
    return sum / FULL;
  }

  /** What a ticket is about: each concept, relative to its strongest. */
  conceptsOf(row: number): Map<number, number> {
    const places = Array.from({ length: CONCEPTS }, (_, place) => row * CONCEPTS + place);
    const strongest = Math.max(1, ...places.map((place) => this.#strengths[place] ?? 0));
    return new Map(
      places
        .filter((place) => (this.#strengths[place] ?? 0) > 0)
        .map((place) => [this.#concepts[place] ?? 0, (this.#strengths[place] ?? 0) / strongest]),
    );
  }

  #makeRoom(expected: number): void {
    if (this.ids.length <= this.#lengths.length) return;
    const rows = Math.ceil(Math.max(64, this.ids.length, expected) * SPARE);
    const grown = <A extends Uint8Array | Uint16Array | Float32Array | Uint32Array>(old: A, made: A): A => {
      made.set(old);
      return made;
    };
    this.#vectors = grown(this.#vectors, new Uint8Array(rows * this.#halves));
    this.#lengths = grown(this.#lengths, new Float32Array(rows));
    this.#signs = grown(this.#signs, new Uint32Array(rows * this.#words));
    this.#concepts = grown(this.#concepts, new Uint16Array(rows * CONCEPTS));
    this.#strengths = grown(this.#strengths, new Uint8Array(rows * CONCEPTS));
  }
}

const nearOf = (vectors: WorkspaceVectors, comparison: Comparison, row: number): Near =>
  vectors.near(comparison, row);

/**
 * Nearest neighbours by cosine, in memory (50 MB for 100,000 tickets), updated at each search with vectors stored since
 * the last one.
 */
export class InMemoryVectorIndex {
  readonly #workspaces = new Map<string, WorkspaceVectors>();
  readonly #updates = new Map<string, Promise<unknown>>();
  readonly #kept: number;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  /** Returns the nearest tickets of these workspaces, nearest first. */
  async nearest(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Asked,
    most: number,
  ): Promise<Near[]> {
    const found = await this.#compare(
      db,
      provider,
      workspaceIds,
      asked,
      (vectors, comparison) => vectors.likely(comparison),
      nearOf,
    );
    return found.sort((a, b) => b.similarity - a.similarity).slice(0, most);
  }

  /** Returns the similarity of these tickets, and what they are about. */
  describe(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Asked,
    ids: readonly string[],
  ): Promise<Described[]> {
    return this.#compare(
      db,
      provider,
      workspaceIds,
      asked,
      (vectors) => ids.flatMap((id) => vectors.rowOf(id) ?? []),
      (vectors, comparison, row) => ({ ...vectors.near(comparison, row), concepts: vectors.conceptsOf(row) }),
    );
  }

  /** Returns the similarities of some tickets, whatever they are about. */
  async sample(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Asked,
  ): Promise<number[]> {
    const found = await this.#compare(
      db,
      provider,
      workspaceIds,
      asked,
      (vectors) => vectors.sample(),
      nearOf,
    );
    return found.map(({ similarity }) => similarity);
  }

  async #compare<T>(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Asked,
    rowsOf: (vectors: WorkspaceVectors, comparison: Comparison) => number[] | Promise<number[]>,
    resultOf: (vectors: WorkspaceVectors, comparison: Comparison, row: number) => T,
  ): Promise<T[]> {
    const comparison = new Comparison(asked);
    const found: T[] = [];
    for (const workspaceId of workspaceIds) {
      const vectors = await this.update(db, provider, workspaceId);
      for (const row of await rowsOf(vectors, comparison)) found.push(resultOf(vectors, comparison, row));
    }
    return found;
  }

  /** Reads vectors stored since the last update; concurrent searches share one update. */
  async update(db: ServiceDb, provider: ProviderName, workspaceId: string): Promise<WorkspaceVectors> {
    const name = `${provider} ${workspaceId}`;
    const vectors = this.#workspaces.get(name) ?? new WorkspaceVectors();
    this.#workspaces.set(name, vectors);
    const update =
      this.#updates.get(name) ??
      readStored(db, provider, workspaceId, vectors, this.#kept).finally(() => this.#updates.delete(name));
    this.#updates.set(name, update);
    await update;
    return vectors;
  }
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
      vectors.put(id, page.vectors, start, end, expected);
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

function signsOf(vector: Int8Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32));
  vector.forEach((value, place) => {
    if (value > 0) setBit(signs, 0, place);
  });
  return signs;
}

function setBit(words: Uint32Array, first: number, place: number): void {
  const word = first + (place >>> 5);
  words[word] = (words[word] ?? 0) | (1 << (place & 31));
}

/** Returns the number of set bits of 32. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
