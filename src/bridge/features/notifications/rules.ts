import type { Notice } from '../../../contract/index.ts';
import type { NoticeLevel } from '../../people/notice-level.ts';

/**
 * Returns whether a user wants a notification: with `mine` not of tickets that they only follow, with `none` of none
 * (B43).
 */
export function isWanted(
  { kind }: Pick<Notice, 'kind'>,
  level: NoticeLevel,
  { isAssignee }: { isAssignee: boolean },
): boolean {
  if (level === 'all') return true;
  if (level === 'none') return false;
  return isAssignee || kind === 'mention' || kind === 'passed-on';
}

/**
 * Returns whether a user may read it: notes are the team's, a private ticket is only for those who see it (B0, B14).
 */
export function mayRead(
  { kind }: Pick<Notice, 'kind'>,
  { isNote, sees, isTeam }: { isNote: boolean; sees: boolean; isTeam: boolean },
): boolean {
  // A user may know that it was taken from them.
  if (kind === 'passed-on') return true;
  return sees && (!isNote || isTeam);
}
