import { setImmediate as breathe } from 'node:timers/promises';

import type { SearchProvider } from '../../../contract/index.ts';
import type { ServiceDb } from '../../handler.ts';
import { fromBytes, lengthOf } from './bytes.ts';

interface Known {
  ticketId: string;
  vector: Int8Array;
  length: number;
}

interface Shelf {
  vectors: Map<string, Known>;
  newest: Date;
}

/** Vectors stored by a transaction that committed late carry an earlier time than those already read. */
const OVERLAP_MS = 60_000;
/** Vectors compared before others get their turn: some 2 ms. */
const STRIDE = 5_000;

export interface Near {
  ticketId: string;
  likeness: number;
}

/**
 * Exact nearest neighbours by cosine over all vectors of a workspace, kept in memory (26 MB for 100,000 tickets) and
 * brought up to date at each search by what was stored since the last one.
 */
export class VectorShelves {
  readonly #shelves = new Map<string, Shelf>();

  async nearest(
    db: ServiceDb,
    provider: SearchProvider,
    workspaceIds: readonly string[],
    asked: Int8Array,
    most: number,
  ): Promise<Near[]> {
    const length = lengthOf(asked);
    const found: Near[] = [];
    let compared = 0;
    for (const workspaceId of workspaceIds) {
      const { vectors } = await this.#update(db, provider, workspaceId);
      for (const { ticketId, vector, length: ownLength } of vectors.values()) {
        let product = 0;
        for (let place = 0; place < asked.length; place++)
          product += (asked[place] ?? 0) * (vector[place] ?? 0);
        found.push({ ticketId, likeness: product / (length * ownLength) });
        if (++compared % STRIDE === 0) await breathe();
      }
    }
    return found.sort((a, b) => b.likeness - a.likeness).slice(0, most);
  }

  async #update(db: ServiceDb, provider: SearchProvider, workspaceId: string): Promise<Shelf> {
    const name = `${provider} ${workspaceId}`;
    const shelf = this.#shelves.get(name) ?? { vectors: new Map<string, Known>(), newest: new Date(0) };
    this.#shelves.set(name, shelf);
    const since = new Date(Math.max(0, shelf.newest.getTime() - OVERLAP_MS));
    const rows = await db
      .selectFrom('ticket_embedding')
      .select(['ticket_id', 'vector', 'stored_at'])
      .where('provider', '=', provider)
      .where('workspace_id', '=', workspaceId)
      .where('stored_at', '>=', since)
      .execute();
    for (const { ticket_id: ticketId, vector: bytes, stored_at: storedAt } of rows) {
      const vector = fromBytes(bytes);
      shelf.vectors.set(ticketId, { ticketId, vector, length: lengthOf(vector) });
      if (storedAt > shelf.newest) shelf.newest = storedAt;
    }
    return shelf;
  }
}
