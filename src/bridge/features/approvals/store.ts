import type { Insertable, Selectable, Updateable } from 'kysely';

import type { Db } from '../../../platform/database/open.ts';
import type { BridgeTables } from '../../schema/tables.ts';

/** A question to one user in their direct messages. */
export type Ask = Selectable<BridgeTables['question']>;
type AskKey = Pick<Ask, 'kind' | 'ticket_id' | 'user_id'>;

export async function asksOf(db: Db<BridgeTables>, ticketId: string): Promise<Ask[]> {
  return db.selectFrom('question').selectAll().where('ticket_id', '=', ticketId).execute();
}

export async function findAsk(db: Db<BridgeTables>, key: AskKey): Promise<Ask | undefined> {
  return db
    .selectFrom('question')
    .selectAll()
    .where('kind', '=', key.kind)
    .where('ticket_id', '=', key.ticket_id)
    .where('user_id', '=', key.user_id)
    .executeTakeFirst();
}

/**
 * Records that a user is asked.
 * @returns false if they were before, or for a survey if anyone was: then nothing is recorded.
 */
export async function recordAsk(
  db: Db<BridgeTables>,
  ask: Insertable<BridgeTables['question']>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('question')
    .values(ask)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== undefined && numInsertedOrUpdatedRows > 0n;
}

export async function setAsk(
  db: Db<BridgeTables>,
  key: AskKey,
  values: Updateable<BridgeTables['question']>,
): Promise<void> {
  await db
    .updateTable('question')
    .set(values)
    .where('kind', '=', key.kind)
    .where('ticket_id', '=', key.ticket_id)
    .where('user_id', '=', key.user_id)
    .execute();
}
