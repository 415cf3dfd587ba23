import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';

/**
 * Notified when others may read a ticket or queue than before: open pages of every process read again what they show.
 */
export const READERS_CHANNEL = 'deskbridge_readers';

/** Tells all processes, once the transaction is committed, that others may read something than before; not what. */
export async function tellReadersChange(tx: ServiceTx): Promise<void> {
  await sql`select pg_notify(${READERS_CHANNEL}, '')`.execute(tx);
}
