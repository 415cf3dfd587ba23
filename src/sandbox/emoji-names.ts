import { gemoji } from 'gemoji';

/** Names that Slack has and GitHub's list of emoji lacks. */
const SLACK_NAMES: Record<string, string> = {
  double_vertical_bar: '⏸️',
  large_brown_circle: '🟤',
  large_green_circle: '🟢',
  large_orange_circle: '🟠',
  large_purple_circle: '🟣',
  large_yellow_circle: '🟡',
  robot_face: '🤖',
  shrug: '🤷',
  thinking_face: '🤔',
};

export interface EmojiGroup {
  title: string;
  /** The sign, then the names it goes by. */
  emoji: [sign: string, ...names: string[]][];
}

/** The emoji that the page draws and offers, as their groups are shown. */
export function emojiGroups(): EmojiGroup[] {
  const groups = new Map<string, EmojiGroup>();
  for (const { emoji, names, category } of gemoji) {
    const group = groups.get(category) ?? { title: category, emoji: [] };
    const ours = Object.keys(SLACK_NAMES).filter((name) => SLACK_NAMES[name] === emoji);
    group.emoji.push([emoji, ...ours.slice(0, 1), ...names, ...ours.slice(1)]);
    groups.set(category, group);
  }
  return [...groups.values()];
}
