import { type RawBuilder, sql } from 'kysely';

import type { Db } from './open.ts';

/** Rows per statement: few enough that it ends soon and releases its locks. */
export const BATCH = 1_000;

/**
 * Deletes all rows of `table` that match `condition` (SQL that may name the table's columns), in batches, each in its
 * own transaction. Rows locked by another transaction are left for the next run.
 * @param signal stops after the running batch.
 * @returns the number of rows deleted.
 */
export async function deleteInBatches<Tables>(
  db: Db<Tables>,
  table: string,
  condition: RawBuilder<unknown>,
  signal?: AbortSignal,
): Promise<number> {
  const name = sql.table(table);
  for (let total = 0; ;) {
    const { numAffectedRows } = await sql`
      delete from ${name} where ctid = any(array(
        select ${name}.ctid from ${name} where ${condition} limit ${BATCH} for update of ${name} skip locked))`.execute(
      db,
    );
    const deleted = Number(numAffectedRows);
    total += deleted;
    if (deleted < BATCH || signal?.aborted) return total;
  }
}
