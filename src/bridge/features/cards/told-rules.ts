/** The fields of a ticket whose changes its thread announces (B30). */
export interface Told {
  statusId: string;
  priority: string;
  assigneeId: string | null;
  queueId: string | null;
  dueAt: string | null;
  snoozeUntil: string | null;
  title: string | null;
  approval: 'approved' | 'declined' | null;
}

/** Returns the announced state of a ticket's record. */
export function toldOf(
  ticket: Omit<Told, 'approval'> & { approvedAt: string | null; declinedAt: string | null },
): Told {
  const { statusId, priority, assigneeId, queueId, dueAt, snoozeUntil, title } = ticket;
  const approval = ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : null;
  return { statusId, priority, assigneeId, queueId, dueAt, snoozeUntil, title, approval };
}

/** In the order in which they are announced. */
const FIELDS = [
  'title',
  'queueId',
  'statusId',
  'priority',
  'assigneeId',
  'dueAt',
  'snoozeUntil',
  'approval',
] as const satisfies (keyof Told)[];

/** Returns the differences since the last announcement; each once, however often it changed meanwhile. */
export function changesToTell(before: Told, now: Told): (keyof Told)[] {
  return FIELDS.filter((field) => before[field] !== now[field]);
}
