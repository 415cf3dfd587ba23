import type { Bridge } from '../bridge.ts';
import type { ChatAction } from '../slack/interaction.ts';

/** The notifications that a chat user gets (B43). */
export const NOTICE_LEVELS = ['all', 'mine', 'none'] as const;
export type NoticeLevel = (typeof NOTICE_LEVELS)[number];
const DEFAULT_LEVEL: NoticeLevel = 'all';

/** Returns a chat user's notification level (B43). */
export async function noticeLevelOf(
  { database }: Pick<Bridge, 'database'>,
  { team, user }: Pick<ChatAction, 'team' | 'user'>,
): Promise<NoticeLevel> {
  const row = await database.db
    .selectFrom('notification_preference')
    .select('level')
    .where((where) => where.and({ team_id: team, chat_user_id: user }))
    .executeTakeFirst();
  return row?.level ?? DEFAULT_LEVEL;
}
