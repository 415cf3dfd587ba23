import { sql } from 'kysely';

import type { Database } from '../../../src/platform/database/open.ts';
import type { Tables } from '../../../src/service/schema/tables.ts';

/**
 * Copies one row of a table, as if the API had written it many times.
 * @param values SQL expressions for the columns that differ from the row, at least those that are unique; in them `n`
 *   is the number of the copy, and `o` the row.
 */
export async function copyRow(
  { db }: Pick<Database<Tables>, 'db'>,
  row: { table: string; workspaceId: string; id: string },
  copies: number,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const differing = Object.entries({ id: 'left(o.id, 400) || n', ...values }).map(
    ([column, value]) => `'${column}', ${value}`,
  );
  await db.transaction().execute(async (tx) => {
    // Neither foreign keys nor triggers: the copies are like the row.
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`insert into ${sql.table(row.table)}
      select t.* from ${sql.table(row.table)} o, generate_series(1, ${copies}::int) n,
        jsonb_populate_record(o, jsonb_build_object(${sql.raw(differing.join(', '))})) t
      where o.workspace_id = ${row.workspaceId} and o.id = ${row.id}`.execute(tx);
  });
}
