import type { Db, Tx } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** How far a read has come; undefined where it has never been. */
export async function readCursor(db: Db<BridgeTables>, key: string): Promise<Date | undefined> {
  const row = await db.selectFrom('cursor').select('position').where('key', '=', key).executeTakeFirst();
  return row?.position;
}

/** Moves a cursor; never back. */
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
