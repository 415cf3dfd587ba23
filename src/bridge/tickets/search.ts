import { type Answer, AnsweredError, ServiceError } from '../../client/index.ts';
import { LIMITS } from '../../contract/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Person } from '../people/people.ts';
import { isTrusted } from '../people/trust.ts';
import { maySee, takesPart, hasEnded, type SimilarTicket, UNTITLED } from './rules.ts';
import { isInTeam, teamsOf, type Ticket } from './find-ticket.ts';
import { userNames, ticketUrl } from './ticket-facts.ts';

export const BEST = LIMITS.semanticSearch.maxLimit;
/** Tickets with all of the words that are considered if the service has no search. */
const LISTED = 100;

export type Match = Answer<'semanticSearch'>['matches'][number];

/** A search result, and why it was found, if the service says so. */
export interface Hit {
  ticket: Listed;
  match?: Match | undefined;
}

/** The user who searches, with the queues of their teams. */
export interface Searcher {
  person: Pick<Person, 'user_id'>;
  queues: TeamQueues;
}

export const EVERYBODY: Searcher = { person: { user_id: null }, queues: new Set() };

/**
 * Returns the best tickets for a search, by words and meaning, of all workspaces offered in chat (B45, B62). Visibility
 * is part of the query, and checked here too, for a service without that filter (B35).
 */
export async function searchTickets(
  bridge: Pick<Bridge, 'service' | 'channels' | 'trust'>,
  words: string,
  searcher: Searcher,
  limits: Limits = {},
): Promise<Found> {
  const hits: Hit[] = [];
  let meaning = true;
  for (const workspaceId of await bridge.channels.offered()) {
    const found = await hitsIn(bridge, workspaceId, words, searcher, limits);
    hits.push(...found.hits);
    meaning &&= found.meaning;
  }
  const seen: Hit[] = [];
  for (const hit of hits.toSorted((a, b) => (b.match?.score ?? 0) - (a.match?.score ?? 0)))
    if (seen.length < BEST && (await isVisible(bridge, hit.ticket, searcher.person, searcher.queues)))
      seen.push(hit);
  return { hits: seen, meaning };
}

export interface Found {
  hits: Hit[];
  /** False: the service left meaning out of the search. */
  meaning: boolean;
}

interface Limits {
  excludeTicketId?: string | undefined;
  signal?: AbortSignal;
}

/** A service without this search is asked for the tickets with all of the words. */
async function hitsIn(
  bridge: Pick<Bridge, 'service' | 'trust'>,
  workspaceId: string,
  words: string,
  searcher: Searcher,
  { excludeTicketId, signal }: Limits,
): Promise<Found> {
  const asked = words.slice(0, LIMITS.shortText).toWellFormed();
  const { service } = bridge;
  const { teamQueueIds, ...seen } = visibleTo(searcher);
  const visible = { ...seen, ...(!(await isTrusted(bridge)) && { onlyOwn: true }) };
  const limits = signal ? { signal } : {};
  try {
    const query = { query: asked, limit: BEST, excludeTicketId, workspaceId, teamQueueIds, ...visible };
    const { items, matches, meaning } = await service.semanticSearch({ query }, limits);
    const matchOf = ({ id }: Listed) => matches.find(({ ticketId }) => ticketId === id);
    return { hits: items.map((ticket) => ({ ticket, match: matchOf(ticket) })), meaning };
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    const query = { search: asked, limit: LISTED, workspaceId, ...visible };
    const { items } = await service.listTickets({ query }, limits);
    const others = items.filter(({ id }) => id !== excludeTicketId);
    return { hits: others.map((ticket) => ({ ticket })), meaning: true };
  }
}

/** A chat user without a user in the service sees public tickets. */
function visibleTo({ person: { user_id }, queues }: Searcher): {
  visibleToUserId?: string;
  teamQueueIds?: string;
  private?: false;
} {
  if (user_id === null) return { private: false };
  return { visibleToUserId: user_id, teamQueueIds: [...queues].filter((id) => id !== null).join(',') };
}

export type Listed = Answer<'listTickets'>['items'][number];

/** The queues whose team a user is in; null stands for tickets without one, which belong to every team. */
type TeamQueues = ReadonlySet<string | null>;

/** Does not rely on the service's filter alone (Ext). Only the full record contains the followers. */
export async function isVisible(
  bridge: Pick<Bridge, 'service' | 'channels' | 'trust'>,
  ticket: Listed,
  { user_id }: Pick<Person, 'user_id'>,
  queues: TeamQueues,
): Promise<boolean> {
  const { service, channels } = bridge;
  if (!(await channels.isOffered(ticket.queue?.workspaceId))) return false;
  if (queues.has(ticket.queueId)) return true;
  // Who is a user of the service was found by what it lets them read of queues that are not for everyone.
  const isOpen = user_id !== null || (await channels.readersOf(ticket.queueId)) === 'workspace';
  const sees = isOpen && (await isTrusted(bridge)) ? maySee : takesPart;
  if (sees({ ...ticket, followers: [] }, user_id)) return true;
  return user_id !== null && sees(await service.readTicket({ params: { id: ticket.id } }), user_id);
}

/** Returns the queues whose team a user is in (B0); null stands for tickets without one, which belong to every team. */
export async function queuesOf(bridge: Bridge, person: Person): Promise<TeamQueues> {
  const own = [...(await teamsOf(bridge))].flatMap(([id, team]) => (isInTeam(team, person) ? [id] : []));
  return new Set(own.length > 0 ? [...own, null] : []);
}

/** Hits that may be shown among which solved ones are looked for, and tickets that are shown. */
const LOOKED_AT = 10;
const SHOWN = 3;
/** Results that are shown next to something else must not delay it. */
const PATIENCE_MS = 1_500;
/** No user waits for a card, and one without its similar tickets is not drawn again before the ticket changes. */
const CARD_PATIENCE_MS = 5_000;

interface Like {
  words: string;
  searcher: Searcher;
  excludeTicketId?: string;
  /** How long the search may take; short by default, because something else waits for it. */
  patienceMs?: number;
  /** A further condition of shown tickets. */
  mayShow?: (ticket: Listed) => boolean | Promise<boolean>;
}

/**
 * At most three tickets like some words, those with all of them first, then solved ones, and no merged ones; none while
 * the service does not say (B62).
 */
export async function similarTickets(bridge: Parts, like: Like): Promise<SimilarTicket[]> {
  return (await findSimilar(bridge, like).catch(unlessAway)) ?? [];
}

/** The same for a ticket, among those that everyone may read; undefined while the service does not say. */
export async function similarToTicket(
  bridge: Parts,
  { id, title }: Pick<Ticket, 'id' | 'title'>,
): Promise<SimilarTicket[] | undefined> {
  const like = {
    words: title ?? '',
    searcher: EVERYBODY,
    excludeTicketId: id,
    patienceMs: CARD_PATIENCE_MS,
  };
  return findSimilar(bridge, like).catch(unlessAway);
}

type Parts = Pick<Bridge, 'service' | 'channels' | 'trust' | 'publicUrl' | 'pageKey' | 'clock'>;

function unlessAway(error: unknown): undefined {
  if (error instanceof ServiceError) return undefined;
  throw error;
}

async function findSimilar(
  bridge: Parts,
  { words, searcher, excludeTicketId, patienceMs = PATIENCE_MS, mayShow = () => true }: Like,
): Promise<SimilarTicket[]> {
  if (words.trim() === '') return [];
  const signal = AbortSignal.timeout(patienceMs);
  const { hits } = await searchTickets(bridge, words, searcher, { excludeTicketId, signal });
  const shown: Hit[] = [];
  for (const hit of hits) {
    // A merged ticket was closed without being solved; the one that it was merged into is found for itself.
    if (hit.ticket.mergedIntoId || shown.length >= LOOKED_AT) continue;
    if (await mayShow(hit.ticket)) shown.push(hit);
  }
  const isSolved = (ticket: Listed) => hasEnded(ticket.status.statusGroup.label);
  const hasAll = ({ match }: Hit) => match?.hasAllWords ?? false;
  const best = shown
    .toSorted(
      (a, b) =>
        Number(hasAll(b)) - Number(hasAll(a)) || Number(isSolved(b.ticket)) - Number(isSolved(a.ticket)),
    )
    .slice(0, SHOWN)
    .map(({ ticket }) => ticket);
  const nameOf = await userNames(
    bridge,
    best.map(({ assigneeId }) => assigneeId),
  );
  return best.map((ticket) => ({
    id: ticket.id,
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? UNTITLED,
    status: ticket.status.label,
    isSolved: isSolved(ticket),
    assignee: nameOf(ticket.assigneeId),
  }));
}
