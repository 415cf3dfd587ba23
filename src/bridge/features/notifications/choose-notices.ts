import { noticeChoice } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import type { Answer } from '../../slack/respond.ts';
import { NOTICE_LEVELS } from './rules.ts';
import { noticeLevelOf, setNoticeLevel } from './store.ts';

/**
 * Shows or sets a user's notification level (`/ticket notify`, B43).
 * @param chosen as typed or selected; anything but a level only shows it.
 */
export async function chooseNotices(
  bridge: Bridge,
  account: { team: string; user: string },
  chosen = '',
): Promise<Answer> {
  const level = NOTICE_LEVELS.find((one) => one === chosen.trim().toLowerCase());
  if (level === undefined) return noticeChoice(await noticeLevelOf(bridge, account), false);
  await setNoticeLevel(bridge, account, level);
  return noticeChoice(level, true);
}
