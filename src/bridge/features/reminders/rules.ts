export const REMINDER_KINDS = [
  'snooze',
  'due',
  'response-soon',
  'response-late',
  'resolution-soon',
  'resolution-late',
] as const;
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
  /** Done, closed or archived: no reminders. */
  ended: boolean;
  target: Target | undefined;
}

export interface Reminder {
  kind: ReminderKind;
  at: Date;
}

/** The team is warned when this part of a target's time is left: a fifth. */
const WARNING_PART = 5;

const MINUTE_MS = 60_000;

/** Returns when to remind the team of a ticket, and of what. */
export function remindersOf({ ended, target, ...ticket }: ReminderFacts): Reminder[] {
  if (ended) return [];
  const opened = Date.parse(ticket.createdAt);
  const reminders: Reminder[] = [];
  const add = (kind: ReminderKind, at: number) => reminders.push({ kind, at: new Date(at) });
  const addTarget = (
    what: 'response' | 'resolution',
    minutes: number | null | undefined,
    dueAt: string | null,
  ) => {
    if (!minutes) return;
    const due = dueAt === null ? opened + minutes * MINUTE_MS : Date.parse(dueAt);
    add(`${what}-soon`, due - (minutes * MINUTE_MS) / WARNING_PART);
    add(`${what}-late`, due);
  };
  if (ticket.snoozeUntil !== null) add('snooze', Date.parse(ticket.snoozeUntil));
  if (ticket.dueAt !== null) add('due', Date.parse(ticket.dueAt));
  if (ticket.respondedAt === null) addTarget('response', target?.responseMinutes, ticket.firstReplyDueAt);
  addTarget('resolution', target?.resolutionMinutes, ticket.resolutionDueAt);
  return reminders;
}
