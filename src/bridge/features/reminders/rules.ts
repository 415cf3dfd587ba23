import { addWorkingTime, type Hours } from '../../../platform/working-time.ts';

/** A service that warns of its targets tells these itself. */
export const TARGET_KINDS = ['response-soon', 'response-late', 'resolution-soon', 'resolution-late'] as const;
export const REMINDER_KINDS = ['snooze', 'due', 'all-away', ...TARGET_KINDS] as const;
export type ReminderKind = (typeof REMINDER_KINDS)[number];

/** A target of a ticket's priority, in minutes from its opening; null if there is none. */
export interface Target {
  responseMinutes: number | null;
  resolutionMinutes: number | null;
}

export interface ReminderFacts {
  createdAt: string;
  respondedAt: string | null;
  snoozeUntil: string | null;
  dueAt: string | null;
  /** When the targets end, in business hours (Ext); null from a service that does not count them. */
  firstReplyDueAt: string | null;
  resolutionDueAt: string | null;
  /** Since when the targets wait for the requester (Ext): then they end at no instant yet. */
  slaPausedAt: string | null;
  /** Nobody has it, because all to whom its queue assigns tickets were away when it came (B68). */
  allAway: boolean;
  /** Done, closed or archived: no reminders. */
  ended: boolean;
  target: Target | undefined;
  /** When the queue's team works; undefined: around the clock. */
  hours: Hours | undefined;
}

export interface Reminder {
  kind: ReminderKind;
  at: Date;
}

/** The team is warned when this part of a target's business time has passed. */
const WARNING_PART = 4 / 5;

/** Returns when to remind the team of a ticket, and of what. Targets and their warnings count business hours. */
export function remindersOf({ ended, allAway, target, hours, ...ticket }: ReminderFacts): Reminder[] {
  if (ended) return [];
  const opened = new Date(ticket.createdAt);
  const reminders: Reminder[] = [];
  const add = (kind: ReminderKind, at: Date) => reminders.push({ kind, at });
  const addTarget = (
    what: 'response' | 'resolution',
    minutes: number | null | undefined,
    dueAt: string | null,
  ) => {
    if (!minutes) return;
    const due = dueAt === null ? addWorkingTime(hours, opened, minutes) : new Date(dueAt);
    const soon = addWorkingTime(hours, opened, minutes * WARNING_PART);
    if (due === undefined) return;
    // If the hours changed since the due time was set, the warning may fall after it.
    if (soon !== undefined && soon < due) add(`${what}-soon`, soon);
    add(`${what}-late`, due);
  };
  if (allAway) add('all-away', opened);
  if (ticket.snoozeUntil !== null) add('snooze', new Date(ticket.snoozeUntil));
  if (ticket.dueAt !== null) add('due', new Date(ticket.dueAt));
  if (ticket.slaPausedAt !== null) return reminders;
  if (ticket.respondedAt === null) addTarget('response', target?.responseMinutes, ticket.firstReplyDueAt);
  addTarget('resolution', target?.resolutionMinutes, ticket.resolutionDueAt);
  return reminders;
}
