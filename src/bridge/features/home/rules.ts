import { hasEnded, snoozedUntil } from '../../tickets/rules.ts';

/** The parts of a ticket's record that decide its place on a Home. */
export interface HomeTicket {
  id: string;
  requesterId: string | null;
  assigneeId: string | null;
  approvers: readonly { id: string }[];
  approvedAt: string | null;
  declinedAt: string | null;
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** The newest public message; a service may not say. */
  lastReply?: { authorId: string | null; createdAt: string } | null | undefined;
  snoozeUntil: string | null;
  status: { statusGroup: { label: string } };
}

/** The sections of a Home, in order (B38). */
export const HOME_PARTS = ['approvals', 'assigned', 'requests', 'recent'] as const;
export type HomePart = (typeof HOME_PARTS)[number];

/**
 * Returns whether a ticket in a section waits for the reader: by who wrote last, for the one who has to answer. What is
 * on hold waits for its requester.
 */
export function waitsFor(
  { status, requesterId, lastReply }: Pick<HomeTicket, 'status' | 'requesterId' | 'lastReply'>,
  part: HomePart,
): boolean {
  const isOnHold = status.statusGroup.label === 'Waiting';
  const isByRequester = !lastReply || lastReply.authorId === requesterId;
  switch (part) {
    case 'approvals':
      return true;
    case 'assigned':
      return !isOnHold && isByRequester;
    case 'requests':
      return isOnHold || !isByRequester;
    case 'recent':
      return false;
  }
}

/**
 * Returns the tickets of each section of a user's Home: first what waits for them, longest first, then the latest
 * change first. Checked by the record, because a service may ignore the filters. A ticket is once in each section that
 * it belongs to.
 */
export function homeSections<Ticket extends HomeTicket>(
  listed: readonly Ticket[],
  userId: string,
  now: Date,
): Record<HomePart, Ticket[]> {
  const known = new Map(listed.map((ticket) => [ticket.id, ticket]));
  const tickets = [...known.values()]
    .filter(({ archivedAt }) => archivedAt === null)
    .toSorted((a, b) => compare(b.updatedAt, a.updatedAt));
  const open = tickets.filter(({ status }) => !hasEnded(status.statusGroup.label));
  const own = tickets.filter(({ requesterId }) => requesterId === userId);
  return {
    approvals: waitingFirst(
      'approvals',
      open.filter(
        ({ approvers, approvedAt, declinedAt }) =>
          approvedAt === null && declinedAt === null && approvers.some(({ id }) => id === userId),
      ),
    ),
    // A snoozed ticket returns to its assignee when its time has come; its requester sees it meanwhile.
    assigned: waitingFirst(
      'assigned',
      open.filter((ticket) => ticket.assigneeId === userId && snoozedUntil(ticket, now) === undefined),
    ),
    requests: waitingFirst(
      'requests',
      own.filter(({ status }) => !hasEnded(status.statusGroup.label)),
    ),
    recent: own.filter(({ status }) => hasEnded(status.statusGroup.label)),
  };
}

function waitingFirst<Ticket extends HomeTicket>(part: HomePart, tickets: readonly Ticket[]): Ticket[] {
  const since = ({ lastReply, createdAt }: HomeTicket) => lastReply?.createdAt ?? createdAt;
  return [
    ...tickets.filter((ticket) => waitsFor(ticket, part)).toSorted((a, b) => compare(since(a), since(b))),
    ...tickets.filter((ticket) => !waitsFor(ticket, part)),
  ];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
