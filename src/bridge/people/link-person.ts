import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { Person } from './people.ts';

/**
 * Says which user a chat user speaks as from now on; what is on tickets stays as it is. Matching by e-mail and chat
 * account does not change it any more.
 */
export async function linkPerson(
  db: Db<BridgeTables>,
  { team_id, chat_user_id }: Pick<Person, 'team_id' | 'chat_user_id'>,
  userId: string,
  by: 'self' | 'admin',
): Promise<void> {
  await db
    .updateTable('person')
    .set({ user_id: userId, linked_by: by })
    .where('team_id', '=', team_id)
    .where('chat_user_id', '=', chat_user_id)
    .execute();
}

/** Has a chat user matched by e-mail and chat account again, before their next message. False where nobody linked them. */
export async function unlinkPerson(
  db: Db<BridgeTables>,
  { team_id, chat_user_id }: Pick<Person, 'team_id' | 'chat_user_id'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('person')
    .set({ user_id: null, linked_by: null, read_at: new Date(0) })
    .where('team_id', '=', team_id)
    .where('chat_user_id', '=', chat_user_id)
    .where('linked_by', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
