import { type RawBuilder, sql } from 'kysely';

import type { ServiceTx } from './handler.ts';
import { unprocessable } from './problem.ts';
import type { Tables } from './schema/tables.ts';

/** Rows that refer to a record, all of which its answer has. */
interface Referring {
  table: keyof Tables;
  workspaceId: string;
  /** The column with the record's id, and the id. */
  column: string;
  id: string;
  /** The row that would be written again, which needs no room. */
  except: RawBuilder<boolean>;
}

/**
 * Requires that one more row may refer to a record.
 * @param most how many may.
 * @param says what is refused, behind the number, and what to do instead: `children of a ticket. Choose another
 *   parent`.
 * @throws ServiceProblem 422
 */
export async function requireRoomForOne(
  tx: ServiceTx,
  { table, workspaceId, column, id, except }: Referring,
  { most, path, says }: { most: number; path: string; says: string },
): Promise<void> {
  const { rows } = await sql`
    select from ${sql.table(table)}
    where workspace_id = ${workspaceId} and ${sql.ref(column)} = ${id} and not ${except}
    limit ${most}::int`.execute(tx);
  if (rows.length >= most) throw unprocessable(path, `There are at most ${most} ${says}`);
}
