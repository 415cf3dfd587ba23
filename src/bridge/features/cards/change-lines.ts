import { PRIORITY_WORD, shorten } from '../../../contract/index.ts';
import type { Told } from './told-rules.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { moment } from '../../blocks/card.ts';

/** Names of a ticket's values, not yet escaped. */
interface ChangeWords {
  status: string;
  queue: string | undefined;
  /** Undefined if there is none, or none that the service names. */
  assignee: string | undefined;
}

const TITLE_SHOWN = 150;

/**
 * Returns one change of a ticket as a line in its thread (B30).
 * @param who name of the user; undefined if unknown.
 * @param isOwn whether the assignee assigned it to themselves.
 */
export function changeLine(
  field: keyof Told,
  now: Told,
  words: ChangeWords,
  { who, isOwn }: { who: string | undefined; isOwn: boolean },
): string {
  const [done, said] = phrase(field, now, words, isOwn);
  return who === undefined ? said : `*${escapeChat(who)}* ${done}`;
}

/** In the active voice with a user, and in the passive without. */
function phrase(field: keyof Told, now: Told, words: ChangeWords, isOwn: boolean): [string, string] {
  switch (field) {
    case 'statusId': {
      const status = `*${escapeChat(words.status)}*`;
      return [`set the status to ${status}`, `The status is now ${status}`];
    }
    case 'priority': {
      const word = escapeChat(PRIORITY_WORD[now.priority] ?? now.priority);
      return [`set the priority to *${word}*`, `The priority is now *${word}*`];
    }
    case 'assigneeId': {
      if (now.assigneeId === null) return ['left this unassigned', 'Nobody is assigned any more'];
      if (isOwn) return ['took this', 'Somebody took this'];
      const name = `*${escapeChat(words.assignee ?? 'somebody')}*`;
      return [`assigned this to ${name}`, `Assigned to ${name}`];
    }
    case 'queueId': {
      const queue = words.queue === undefined ? 'no queue' : `*${escapeChat(words.queue)}*`;
      return [`moved this to ${queue}`, `Moved to ${queue}`];
    }
    case 'dueAt':
      if (now.dueAt === null) return ['took the due date away', 'No longer due at a date'];
      return [`set the due date to ${moment(new Date(now.dueAt))}`, `Due ${moment(new Date(now.dueAt))}`];
    case 'snoozeUntil': {
      if (now.snoozeUntil === null) return ['woke this up', 'No longer snoozed'];
      const until = moment(new Date(now.snoozeUntil));
      return [`snoozed this until ${until}`, `Snoozed until ${until}`];
    }
    case 'title': {
      const title = escapeChat(shorten(now.title ?? '', TITLE_SHOWN));
      return [`renamed this to “${title}”`, `Now called “${title}”`];
    }
    case 'approval': {
      if (now.approval === null) return ['asked for approval anew', 'To be approved anew'];
      return [`${now.approval} this`, now.approval === 'approved' ? 'Approved' : 'Declined'];
    }
  }
}
