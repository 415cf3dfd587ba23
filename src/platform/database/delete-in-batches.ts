import { type RawBuilder, sql } from 'kysely';

import type { Db } from './open.ts';

/** Rows of one statement: few enough that it ends soon and nobody waits for its locks. */
export const BATCH = 1_000;

/**
 * Deletes all rows of `table` for which `condition` (SQL that may name the table's columns) holds, some at a time, each
 * time in a transaction of its own. Rows that another transaction has locked are left for the next time.
 * @param signal ends it after the batch that is running.
 * @returns how many rows were deleted.
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
