import { shorten } from '../../../contract/index.ts';
import type { ReminderKind } from './rules.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { link } from '../../blocks/card.ts';

const TITLE_SHOWN = 120;

const SAYS: Record<ReminderKind, string> = {
  snooze: ':alarm_clock: is back from its snooze',
  due: ':calendar: is due now',
  'response-soon': ':hourglass_flowing_sand: waits for its first answer, and its time is nearly up',
  'response-late': ':warning: has had no first answer in its time',
  'resolution-soon': ':hourglass_flowing_sand: is not done, and its time is nearly up',
  'resolution-late': ':warning: was not done in its time',
};

/** Returns one line for the team, without the title if it may not be shown. It mentions nobody. */
export function reminderLine(
  kind: ReminderKind,
  {
    code,
    url,
    title,
    assignee,
  }: { code: string; url: string; title: string | undefined; assignee?: string | undefined },
): string {
  const [mark = '', ...words] = SAYS[kind].split(' ');
  const about = title === undefined ? '' : ` “${escapeChat(shorten(title, TITLE_SHOWN))}”`;
  const who = assignee === undefined ? 'nobody has it' : `${escapeChat(assignee)} has it`;
  return `${mark} *${link(url, code)}*${about} ${words.join(' ')}; ${who}.`;
}
