import type { Selectable } from 'kysely';

import type { Tx } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** A file of a chat message, and its copy on the ticket. */
export type FileCopy = Omit<Selectable<BridgeTables['file_copy']>, 'created_at' | 'done_at'>;

/** How a copy ended, or what is known of it since. */
export type CopyEnd = Pick<FileCopy, 'id' | 'state'> & Partial<Pick<FileCopy, 'reason' | 'service_file_id'>>;

/** File names may contain names of people, so they are kept only while they are needed. */
const FORGOTTEN = { name: '', url: '', permalink: '', author_id: null };

/** Stores how copies ended. */
export async function endCopies(tx: Tx<BridgeTables>, ends: readonly CopyEnd[], now: Date): Promise<void> {
  for (const { id, ...end } of ends)
    await tx
      .updateTable('file_copy')
      .set({ ...end, ...FORGOTTEN, done_at: now })
      .where('id', '=', id)
      .execute();
}
