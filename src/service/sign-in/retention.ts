import { sql } from 'kysely';

import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import type { ServiceDb } from '../handler.ts';

/** Deletes sign-ins that were not completed in time, and links that are no longer valid. */
export async function pruneSignIns(db: ServiceDb, now: Date, signal?: AbortSignal): Promise<void> {
  await deleteInBatches(db, 'sign_in_flow', sql`expires_at <= ${now}`, signal);
  await deleteInBatches(db, 'sign_in_link', sql`expires_at <= ${now}`, signal);
}
