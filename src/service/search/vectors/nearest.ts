import { sql } from 'kysely';

import type { ServiceDb } from '../../handler.ts';
import type { ProviderName } from '../providers/provider.ts';
import { fromBytes, lengthOf } from './bytes.ts';

/** Vectors of a transaction that committed late have an earlier time than those already read. */
const OVERLAP_MS = 10_000;
/** Vectors read at once: processing them takes a few milliseconds. */
const PAGE = 2_000;
/** Up to this number all vectors are compared exactly; above it, only those whose signs agree most. */
const EXACT = 5_000;
const COMPARED = 1_500;

export interface Near {
  ticketId: string;
  /** Cosine: 1 is identical, 0 nothing in common. */
  similarity: number;
}

/**
 * The vectors of one workspace: one signed byte per dimension, and the signs alone, which are compared first. Rows are
 * only added or replaced.
 */
class WorkspaceVectors {
  readonly ids: string[] = [];
  newest = new Date(0);
  readonly #rowOf = new Map<string, number>();
  #dimensions = 0;
  #vectors = new Int8Array(0);
  #lengths = new Float32Array(0);
  #signs = new Uint32Array(0);

  put(ticketId: string, vector: Int8Array): void {
    this.#dimensions ||= vector.length;
    if (vector.length !== this.#dimensions) return;
    const row = this.#rowOf.get(ticketId) ?? this.ids.push(ticketId) - 1;
    this.#rowOf.set(ticketId, row);
    this.#makeRoom();
    this.#vectors.set(vector, row * this.#dimensions);
    this.#lengths[row] = lengthOf(vector);
    this.#signs.set(signsOf(vector), row * this.#words);
  }

  get #words(): number {
    return Math.ceil(this.#dimensions / 32);
  }

  similarity(asked: Int8Array, length: number, row: number): number {
    const from = row * this.#dimensions;
    let product = 0;
    for (let place = 0; place < asked.length; place++)
      product += (asked[place] ?? 0) * (this.#vectors[from + place] ?? 0);
    return product / (length * (this.#lengths[row] ?? 1));
  }

  rowOf(ticketId: string): number | undefined {
    return this.#rowOf.get(ticketId);
  }

  /** Returns the rows worth an exact comparison. */
  likely(asked: Int8Array): number[] {
    const rows = this.ids.map((_, row) => row);
    if (rows.length <= EXACT) return rows;
    const signs = signsOf(asked);
    const words = this.#words;
    // Number of rows per number of differing signs, to choose the threshold.
    const differences = new Uint16Array(rows.length);
    const counts = new Uint32Array(this.#dimensions + 1);
    for (let row = 0; row < rows.length; row++) {
      let different = 0;
      for (let word = 0; word < words; word++)
        different += bitsOf((signs[word] ?? 0) ^ (this.#signs[row * words + word] ?? 0));
      differences[row] = different;
      counts[different] = (counts[different] ?? 0) + 1;
    }
    let most = 0;
    for (let within = 0; most < counts.length && within < COMPARED; most++) within += counts[most] ?? 0;
    return rows.filter((row) => (differences[row] ?? 0) < most);
  }

  #makeRoom(): void {
    if (this.ids.length <= this.#lengths.length) return;
    const rows = Math.max(64, Math.ceil(this.ids.length * 1.5));
    const grown = <A extends Int8Array | Float32Array | Uint32Array>(old: A, made: A): A => {
      made.set(old);
      return made;
    };
    this.#vectors = grown(this.#vectors, new Int8Array(rows * this.#dimensions));
    this.#lengths = grown(this.#lengths, new Float32Array(rows));
    this.#signs = grown(this.#signs, new Uint32Array(rows * this.#words));
  }
}

/**
 * Nearest neighbours by cosine, in memory (60 MB for 100,000 tickets), updated at each search with vectors stored since
 * the last one.
 */
export class InMemoryVectorIndex {
  readonly #workspaces = new Map<string, WorkspaceVectors>();
  readonly #updates = new Map<string, Promise<unknown>>();

  /** Returns the nearest tickets of these workspaces, nearest first. */
  async nearest(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Int8Array,
    most: number,
  ): Promise<Near[]> {
    const found = await this.#compare(db, provider, workspaceIds, asked, (vectors) => vectors.likely(asked));
    return found.sort((a, b) => b.similarity - a.similarity).slice(0, most);
  }

  /** Returns the similarity of these tickets. */
  similarities(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Int8Array,
    ids: readonly string[],
  ): Promise<Near[]> {
    return this.#compare(db, provider, workspaceIds, asked, (vectors) =>
      ids.flatMap((id) => vectors.rowOf(id) ?? []),
    );
  }

  async #compare(
    db: ServiceDb,
    provider: ProviderName,
    workspaceIds: readonly string[],
    asked: Int8Array,
    rowsOf: (vectors: WorkspaceVectors) => number[],
  ): Promise<Near[]> {
    const length = lengthOf(asked);
    const found: Near[] = [];
    for (const workspaceId of workspaceIds) {
      const vectors = await this.update(db, provider, workspaceId);
      for (const row of rowsOf(vectors))
        found.push({
          ticketId: vectors.ids[row] ?? '',
          similarity: vectors.similarity(asked, length, row),
        });
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
      readStored(db, provider, workspaceId, vectors).finally(() => this.#updates.delete(name));
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
): Promise<void> {
  // As text: the database's times have more digits than a Date.
  let after = new Date(Math.max(0, vectors.newest.getTime() - OVERLAP_MS)).toISOString();
  let afterId = '';
  for (;;) {
    const { rows } = await sql<{ ticket_id: string; vector: Buffer; stored_at: Date; place: string }>`
      select ticket_id, vector, stored_at, stored_at::text as place from ticket_embedding
      where provider = ${provider} and workspace_id = ${workspaceId}
        and (stored_at, ticket_id) > (${after}::timestamptz, ${afterId}) and stored_at >= ${after}::timestamptz
      order by stored_at, ticket_id limit ${PAGE}`.execute(db);
    for (const row of rows) {
      vectors.put(row.ticket_id, fromBytes(row.vector));
      if (row.stored_at > vectors.newest) vectors.newest = row.stored_at;
      after = row.place;
      afterId = row.ticket_id;
    }
    if (rows.length < PAGE) return;
  }
}

function signsOf(vector: Int8Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32));
  vector.forEach((value, place) => {
    if (value > 0) signs[place >>> 5] = (signs[place >>> 5] ?? 0) | (1 << (place & 31));
  });
  return signs;
}

/** Returns the number of set bits of 32. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
