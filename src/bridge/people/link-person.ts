import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { Person } from './people.ts';

/**
 * Links a chat user to a user from now on; existing messages stay. Overrides matching by e-mail address and chat
 * account.
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

/** Removes a link, so that the chat user is matched again before their next message. False if there was none. */
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
