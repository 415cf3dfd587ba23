/** As much of a ticket as its thread is told the changes of, line by line (B30). */
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

/** What a thread is told of a ticket, as its record says it. */
export function toldOf(
  ticket: Omit<Told, 'approval'> & { approvedAt: string | null; declinedAt: string | null },
): Told {
  const { statusId, priority, assigneeId, queueId, dueAt, snoozeUntil, title } = ticket;
  const approval = ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : null;
  return { statusId, priority, assigneeId, queueId, dueAt, snoozeUntil, title, approval };
}

/** In the order in which they are told. */
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

/** What is different since the thread was told last; however often something was changed meanwhile, it is told once. */
export function changesToTell(before: Told, now: Told): (keyof Told)[] {
  return FIELDS.filter((field) => before[field] !== now[field]);
}
