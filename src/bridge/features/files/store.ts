import type { Insertable, Selectable } from 'kysely';

import type { Db, Tx } from '../../../platform/database/open.ts';
import type { BridgeTables } from '../../schema/tables.ts';

/** A file of a ticket message, with the link of the chat message that shows it. */
export type Upload = Selectable<BridgeTables['upload']>;

export async function uploadOf(db: Db<BridgeTables>, linkId: string): Promise<Upload | undefined> {
  return db.selectFrom('upload').selectAll().where('link_id', '=', linkId).executeTakeFirst();
}

/** Returns the files among a ticket message's links. */
export async function uploadsAmong(db: Db<BridgeTables>, linkIds: readonly string[]): Promise<Upload[]> {
  if (linkIds.length === 0) return [];
  return db.selectFrom('upload').selectAll().where('link_id', 'in', linkIds).execute();
}

/** Records a file; an existing record for the link stays unchanged. */
export async function recordUpload(
  tx: Tx<BridgeTables>,
  upload: Insertable<BridgeTables['upload']>,
): Promise<void> {
  await tx
    .insertInto('upload')
    .values(upload)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Records Slack's id of a file before Slack is asked to share it.
 * @returns false if another process was faster: its id stays, and ours is shown nowhere.
 */
export async function claimUpload(db: Db<BridgeTables>, linkId: string, fileId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('upload')
    .set({ file_id: fileId })
    .where('link_id', '=', linkId)
    .where('file_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function setUpload(
  db: Db<BridgeTables>,
  linkId: string,
  values: Partial<Pick<Insertable<BridgeTables['upload']>, 'requested_at' | 'accepted_at' | 'attempts'>>,
): Promise<void> {
  await db.updateTable('upload').set(values).where('link_id', '=', linkId).execute();
}
