import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { inWorkspaces, isVisible, type Scope } from './scope.ts';
import type { Near } from './vectors/nearest.ts';

/** Nearest tickets considered before filtering by scope: archived and private ones are few. */
export const LOOKED_AT = 1_000;

/** Returns those of the nearest tickets that are within the scope, in their order. */
export async function withinScope(
  db: ServiceDb,
  near: readonly Near[],
  scope: Scope,
  limit: number,
): Promise<Near[]> {
  if (near.length === 0) return [];
  const ids = near.map(({ ticketId }) => ticketId);
  const { rows } = await sql<{ ticket_id: string }>`
    select s.ticket_id from ticket_search s
    where ${inWorkspaces(scope)} and s.ticket_id = any(${ids}::text[]) and ${isVisible(scope)}`.execute(db);
  const within = new Set(rows.map((row) => row.ticket_id));
  return near.filter(({ ticketId }) => within.has(ticketId)).slice(0, limit);
}
