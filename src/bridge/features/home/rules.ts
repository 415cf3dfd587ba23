import { hasEnded, snoozeOf } from '../../tickets/rules.ts';

/** The parts of a ticket's record that decide its place on a Home. */
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

/** The sections of a Home, in order (B38). */
export const HOME_PARTS = ['approvals', 'assigned', 'requests', 'recent'] as const;
export type HomePart = (typeof HOME_PARTS)[number];

/**
 * Returns the tickets of each section of a user's Home, the latest change first. Checked by the record, because a
 * service may ignore the filters. A ticket is once in each section that it belongs to.
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
    // A snoozed ticket returns to its assignee when its time has come; its requester sees it meanwhile.
    assigned: open.filter((ticket) => ticket.assigneeId === userId && snoozeOf(ticket, now) === undefined),
    requests: open.filter(({ requesterId }) => requesterId === userId),
    recent: tickets.filter(
      ({ requesterId, status }) => requesterId === userId && hasEnded(status.statusGroup.label),
    ),
  };
}

/** The contents of a Home: the overview, or a page of one section, from 1. */
export interface HomePlace {
  part: HomePart | 'all';
  page: number;
}

/** Parses a button's value; the overview if it is invalid. */
export function parseHomePlace(value: string): HomePlace {
  const [, part = '', page = ''] = /^(\w+) (\d{1,4})$/.exec(value) ?? [];
  const known = HOME_PARTS.find((one) => one === part);
  return known ? { part: known, page: Math.max(1, Number(page)) } : { part: 'all', page: 1 };
}
