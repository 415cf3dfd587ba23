import type { Bridge } from '../../bridge.ts';
import { DEFAULT_LEVEL, type NoticeLevel } from './rules.ts';

interface Account {
  team: string;
  user: string;
}

/** Returns a chat user's notification level (B43). */
export async function noticeLevelOf(
  { database }: Pick<Bridge, 'database'>,
  { team, user }: Account,
): Promise<NoticeLevel> {
  const row = await database.db
    .selectFrom('notification_preference')
    .select('level')
    .where('team_id', '=', team)
    .where('chat_user_id', '=', user)
    .executeTakeFirst();
  return row?.level ?? DEFAULT_LEVEL;
}

export async function setNoticeLevel(
  { database }: Pick<Bridge, 'database'>,
  { team, user }: Account,
  level: NoticeLevel,
): Promise<void> {
  await database.db
    .insertInto('notification_preference')
    .values({ team_id: team, chat_user_id: user, level })
    .onConflict((conflict) => conflict.columns(['team_id', 'chat_user_id']).doUpdateSet({ level }))
    .execute();
}
