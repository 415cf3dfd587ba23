import type { CommandName } from './table-rules.ts';
import { chooseNotices } from '../notifications/index.ts';
import type { Work } from './asked.ts';
import { assign, close, due, reopen, setPriority, snooze, status } from './change.ts';
import { linkChannel, unlinkChannel } from './link.ts';
import { help, list, search, show } from './look.ts';
import { observed } from './observed.ts';
import { settings } from './settings.ts';
import { note, reply } from './speak.ts';
import { stats } from './stats.ts';
import { why } from './why.ts';

/**
 * The implementation of each command in the table; a new one is a row there, and its implementation here.
 * run-command.ts handles `new`, because its ticket opens once its parent message is posted.
 */
export const WORK: Record<Exclude<CommandName, 'new'>, Work> = {
  help,
  list,
  search,
  show,
  status,
  assign,
  priority: setPriority,
  reply,
  note,
  close,
  reopen,
  snooze,
  due,
  stats,
  why,
  link: linkChannel,
  unlink: unlinkChannel,
  observed,
  settings,
  notify: {
    changes: false,
    run: (bridge, { team, person, words }) =>
      chooseNotices(bridge, { team, user: person.chat_user_id }, words),
  },
};
