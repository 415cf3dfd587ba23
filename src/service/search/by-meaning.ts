import { sql } from 'kysely';

import type { SearchProvider } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import type { Embeddings } from './embeddings.ts';
import { inWorkspaces, isVisible, type Scope } from './scope.ts';

/** Nearest tickets looked at for those within the scope: most are, since archived and private ones are few. */
const LOOKED_AT = 1_000;

/** Search by vectors: ids, nearest first. Tickets whose vector is not made yet are not found. */
export async function findByMeaning(
  db: ServiceDb,
  embeddings: Embeddings,
  provider: SearchProvider,
  words: string,
  scope: Scope,
  limit: number,
): Promise<string[]> {
  const near = await embeddings.nearest(db, provider, scope.workspaceIds, words, LOOKED_AT);
  if (near.length === 0) return [];
  const ids = near.map(({ ticketId }) => ticketId);
  const { rows } = await sql<{ ticket_id: string }>`
    select s.ticket_id from ticket_search s
    where ${inWorkspaces(scope)} and s.ticket_id = any(${ids}::text[]) and ${isVisible(scope)}`.execute(db);
  const within = new Set(rows.map((row) => row.ticket_id));
  return ids.filter((id) => within.has(id)).slice(0, limit);
}
