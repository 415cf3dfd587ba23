import type { Db, Tx } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** Returns the progress of a read; undefined if it never ran. */
export async function readCursor(db: Db<BridgeTables>, key: string): Promise<Date | undefined> {
  const row = await db.selectFrom('cursor').select('position').where('key', '=', key).executeTakeFirst();
  return row?.position;
}

/** Advances a cursor; never moves it back. */
export async function moveCursor(
  db: Db<BridgeTables> | Tx<BridgeTables>,
  key: string,
  position: Date,
): Promise<void> {
  await db
    .insertInto('cursor')
    .values({ key, position })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ position })
        .where((where) => where('cursor.position', '<', position)),
    )
    .execute();
}
