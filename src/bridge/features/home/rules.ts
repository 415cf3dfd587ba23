import { hasEnded, snoozeOf } from '../../tickets/status-rules.ts';

/** As much of a ticket's record as says where it stands on somebody's Home. */
export interface HomeTicket {
  id: string;
  requesterId: string | null;
  assigneeId: string | null;
  approvers: readonly { id: string }[];
  approvedAt: string | null;
  declinedAt: string | null;
  archivedAt: string | null;
  updatedAt: string;
  snoozeUntil: string | null;
  status: { statusGroup: { label: string } };
}

/** The parts of a Home, in their order (B38). */
export const HOME_PARTS = ['approvals', 'assigned', 'requests', 'recent'] as const;
export type HomePart = (typeof HOME_PARTS)[number];

/**
 * The tickets of each part of a person's Home, the newest change first. Judged by the record, for a service may not know
 * the filters that they were listed by. A ticket stands in each part that it belongs to, and once in each.
 */
export function partsOf<Ticket extends HomeTicket>(
  listed: readonly Ticket[],
  userId: string,
  now: Date,
): Record<HomePart, Ticket[]> {
  const known = new Map(listed.map((ticket) => [ticket.id, ticket]));
  const tickets = [...known.values()]
    .filter(({ archivedAt }) => archivedAt === null)
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
  const open = tickets.filter(({ status }) => !hasEnded(status.statusGroup.label));
  return {
    approvals: open.filter(
      ({ approvers, approvedAt, declinedAt }) =>
        approvedAt === null && declinedAt === null && approvers.some(({ id }) => id === userId),
    ),
    // What is put aside comes back to who works on it when its time has come; its requester sees it meanwhile.
    assigned: open.filter((ticket) => ticket.assigneeId === userId && snoozeOf(ticket, now) === undefined),
    requests: open.filter(({ requesterId }) => requesterId === userId),
    recent: tickets.filter(
      ({ requesterId, status }) => requesterId === userId && hasEnded(status.statusGroup.label),
    ),
  };
}

/** Where somebody is on their Home: everything in short, or one part, page by page from 1. */
export interface HomePlace {
  part: HomePart | 'all';
  page: number;
}

/** A button's value as a place; what is not one is everything. */
export function placeOf(value: string): HomePlace {
  const [, part = '', page = ''] = /^(\w+) (\d{1,4})$/.exec(value) ?? [];
  const known = HOME_PARTS.find((one) => one === part);
  return known ? { part: known, page: Math.max(1, Number(page)) } : { part: 'all', page: 1 };
}
