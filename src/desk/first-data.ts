import type { FastifyRequest } from 'fastify';

import { AnsweredError, ServiceError } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { inTime } from '../platform/in-time.ts';
import type { Offered } from './offered.ts';
import type { Answering } from './operations.ts';
import { isUnauthorized } from './refusal.ts';
import type { Session, Sessions } from './session.ts';

/** What the page would ask for first, sent with it. */
export interface FirstData extends ShownSession {
  /** When it was read. */
  at: string;
  /** Responses of `/desk/api`, each with what the page asks by: the operation, its path parameters and its query. */
  answers: FirstAnswer[];
}

/** The response of `GET /desk/session`. */
export interface ShownSession {
  signIn: boolean;
  session: { userId?: string | null | undefined; role?: string } | null;
}

interface FirstAnswer {
  name: Offered;
  params: Record<string, string>;
  query: Record<string, string>;
  /** Of a read that is a POST. */
  body?: Record<string, unknown>;
  answer: unknown;
}

/** Reads one operation. Its answer is sent if it comes in time; undefined if the service refuses it. */
type Read = (
  name: Offered,
  input?: Partial<Omit<FirstAnswer, 'name' | 'answer'>>,
) => Promise<Record<string, unknown> | undefined>;

const ALL = { limit: '1000' };
const LATEST_TICKETS = { sortBy: 'updatedAt', sortDirection: 'desc', limit: '50' };
const LATEST_MESSAGES = { sortBy: 'createdAt', sortDirection: 'desc', limit: '500' };

/** Of a ticket (src/ui/desk/ticket/workflow-runs.tsx). */
const LATEST_RUNS = { limit: '50' };

type Filters = Record<string, string>;
type Records = readonly Record<string, unknown>[];

const itemsOf = (list: Record<string, unknown> | undefined) => (list?.['items'] ?? []) as Records;

const MOST_PEOPLE = 200;

/** The built-in views, as filters of the list of tickets; `ME` is the signed-in user. */
const ME = 'me';
const VIEWS: Readonly<Record<string, Filters>> = {
  open: { openFilter: 'true', snoozedFilter: 'false' },
  mine: { openFilter: 'true', snoozedFilter: 'false', assigneeId: ME },
  unassigned: { openFilter: 'true', snoozedFilter: 'false', unassignedFilter: 'true' },
  snoozed: { openFilter: 'true', snoozedFilter: 'true' },
  approvals: { openFilter: 'true', undecidedFilter: 'true', approverId: ME },
  all: {},
};
/** The views that the navigation shows without a number, and how many it shows with one. */
const UNCOUNTED = 'all';
const COUNTED = 30;

interface Place {
  /** The last name of the path: of a view, or a ticket's reference. */
  name: string;
  /** The signed-in user, if any is known. */
  me: Promise<string | undefined>;
  /** Whether a person is signed in, and not an API key of another service. */
  isPerson: boolean;
}

/** What the page at a path asks for first; the first pattern that matches counts. */
const READS: readonly [path: RegExp, reads: (read: Read, place: Place) => Promise<unknown>[]][] = [
  [/^\/$/, (read, place) => listReads(read, { ...place, name: 'open' })],
  [/^\/requests$/, (read) => requestsReads(read)],
  [/^\/requests\/(?!(?:new|account)$)([^/]+)$/, (read, place) => requestReads(read, place)],
  [/^\/views\/([^/]+)$/, (read, place) => listReads(read, place)],
  // The list stands beside the ticket.
  [
    /^\/tickets\/([^/]+)$/,
    (read, place) => listReads(read, { ...place, name: 'open' }, readTicket(read, place)),
  ],
];

function listReads(
  read: Read,
  place: Place,
  beside: Promise<Records> = Promise.resolve([]),
): Promise<unknown>[] {
  return [...frame(read, place), readPeople(read, [readTickets(read, place), beside])];
}

/** The requests of a person who asks. */
function requestsReads(read: Read): Promise<unknown>[] {
  const lists = [{ ...LATEST_TICKETS, openFilter: 'true' }, LATEST_TICKETS].map(async (query) =>
    itemsOf(await read('listTickets', { query })),
  );
  return [readPeople(read, lists)];
}

/** One of these requests. */
function requestReads(read: Read, place: Place): Promise<unknown>[] {
  return [
    read('listQueues', { query: ALL }),
    read('listStatuses', { query: ALL }),
    readPeople(read, [readTicket(read, place, false)]),
  ];
}

/** What stands around every list and ticket. */
function frame(read: Read, place: Place): Promise<unknown>[] {
  const queues = read('listQueues', { query: ALL });
  return [
    queues,
    read('listWorkspaces', { query: ALL }),
    read('listStatuses', { query: ALL }),
    read('countNotifications'),
    countViews(read, place, queues),
  ];
}

/** In the order in which the page counts them (src/ui/desk/list/view-link.tsx). */
async function countViews(read: Read, { me }: Place, listed: ReturnType<Read>): Promise<void> {
  const [userId, saved, queues] = await Promise.all([me, read('listViews', { query: ALL }), listed]);
  const own = Object.entries(VIEWS).filter(([key]) => key !== UNCOUNTED);
  const views = itemsOf(saved) as unknown as { id: string; filters: Filters }[];
  const ofQueues = (itemsOf(queues) as unknown as { id: string }[]).map(
    ({ id }) => [id, { ...VIEWS['open'], queueId: id }] as const,
  );
  const filters = [...own, ...views.map((view) => [view.id, view.filters] as const), ...ofQueues]
    .slice(0, COUNTED)
    .map(([key, query]) => ({ key, query: withMe(query, userId ?? 'nobody') }));
  // Only the page knows the time zone in which the days of `due` end: it asks itself.
  if (filters.some(({ query }) => query['due'])) return;
  await read('countTickets', { body: { filters } });
}

/** As the page does (`asQuery` in src/ui/desk/list/views.ts): a filter may have several values. */
const withMe = (filters: Filters, userId: string): Filters =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      value
        .split(',')
        .map((one) => (one === ME ? userId : one))
        .join(),
    ]),
  );

async function readTickets(read: Read, { name, me }: Place): Promise<Records> {
  const filters = VIEWS[name];
  const userId = filters && Object.values(filters).includes(ME) ? await me : '';
  if (!filters || userId === undefined) return [];
  return itemsOf(await read('listTickets', { query: { ...withMe(filters, userId), ...LATEST_TICKETS } }));
}

/** Another service may not list messages by a reference: there the page reads them by the ticket's id. */
async function readTicket(
  read: Read,
  { name: reference, isPerson }: Place,
  isForTeam = true,
): Promise<Records> {
  const ticket = read('readTicket', { params: { id: reference } });
  const ofTicket = async (name: Offered) => {
    const id = (await ticket)?.['id'];
    if (typeof id === 'string') await read(name, { params: { id } });
  };
  const listOfTicket = async (name: Offered, more: Record<string, string> = {}) => {
    const ticketId = (await ticket)?.['id'];
    if (typeof ticketId === 'string') await read(name, { query: { ticketId, ...more } });
  };
  const [messages] = await Promise.all([
    isPerson ? read('listTicketMessages', { query: { ticketId: reference, ...LATEST_MESSAGES } }) : undefined,
    isForTeam && ofTicket('readTicketActivity'),
    isPerson && ofTicket('readDraft'),
    isForTeam && isPerson && listOfTicket('listScheduledReplies'),
    isForTeam && isPerson && ofTicket('listReplyDrafts'),
    isForTeam && listOfTicket('listWorkflowRuns', LATEST_RUNS),
  ]);
  return [(await ticket) ?? {}, ...itemsOf(messages)];
}

/** Reads the people whom the records name. */
async function readPeople(read: Read, records: readonly Promise<Records>[]): Promise<void> {
  const ids = (await Promise.all(records))
    .flat()
    .flatMap((record) => [
      record['requesterId'],
      record['assigneeId'],
      record['authorId'],
      ...((record['approvers'] ?? []) as Records).map(({ id }) => id),
    ])
    .filter((id) => typeof id === 'string');
  const set = [...new Set(ids)].slice(0, MOST_PEOPLE).join(',');
  if (set) await read('listUsers', { query: { set, limit: String(MOST_PEOPLE) } });
}

export interface FirstDataOptions {
  sessions: Sessions;
  /** The response of `GET /desk/session`. Throws ServiceError. */
  shownSession: (session: Session) => Promise<ShownSession>;
  /** As `/desk/api` answers. Throws ServiceError. */
  answer: Answering;
  clock: Clock;
  /** The page waits no longer for its data; then it asks itself, which takes as long and a round trip more. */
  withinMs: number;
}

/**
 * Returns the session and the answers that the page at a request's path needs, read at once. Undefined for a user who
 * is not signed in, and if the service fails or takes too long; of several answers, those that come in time are sent.
 */
export async function readFirstData(
  request: FastifyRequest,
  { sessions, shownSession, answer, clock, withinMs }: FirstDataOptions,
): Promise<FirstData | undefined> {
  const session = sessions.read(request);
  if (!session) return undefined;
  const data: FirstData = { signIn: false, session: null, at: clock.now().toISOString(), answers: [] };
  const read: Read = async (name, { params = {}, query = {}, body } = {}) => {
    try {
      const found = await answer(session, name, { params, query, body });
      // The page reads on where a list ended before its limit.
      if (!isShort(found, query))
        data.answers.push({ name, params, query, ...(body && { body }), answer: found });
      return found as Record<string, unknown>;
    } catch (error) {
      // The page asks again, and shows why it is refused.
      if (error instanceof AnsweredError && error.status < 500 && !isUnauthorized(error)) return undefined;
      throw error;
    }
  };
  const shown = shownSession(session).then((found) => Object.assign(data, found));
  const me = shown.then(
    (found) => found.session?.userId ?? undefined,
    () => undefined,
  );
  const { pathname } = new URL(request.url, 'http://desk');
  const reads = READS.map(([path, of]) => ({ found: path.exec(pathname), of })).find(({ found }) => found);
  const name = decoded(reads?.found?.[1]);
  const all = Promise.all([
    shown,
    ...(reads?.of(read, { name, me, isPerson: session.kind === 'person' }) ?? []),
  ]);
  try {
    await inTime(withinMs, all);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
  // Answers that come from now on are not sent.
  return data.session ? { ...data, answers: [...data.answers] } : undefined;
}

/** Whether a list ended before its limit, because its records are large. */
function isShort(answer: unknown, { limit }: Record<string, string>): boolean {
  const { items, nextCursor } = (answer ?? {}) as { items?: unknown; nextCursor?: unknown };
  return Array.isArray(items) && items.length < Number(limit) && typeof nextCursor === 'string';
}

/** An address that a user typed may be badly encoded. */
function decoded(name = ''): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
