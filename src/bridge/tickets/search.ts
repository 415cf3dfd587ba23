import { type Answer, AnsweredError } from '../../client/index.ts';
import { LIMITS } from '../../contract/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Person } from '../people/people.ts';
import { maySee } from './may-see-rules.ts';
import { isInTeam, teamsOf } from './team.ts';

/** Maximum number of search results. */
export const BEST = LIMITS.semanticSearch.maxLimit;
/** Tickets with all of the words that are considered if the service has no search. */
const LISTED = 100;

export type Match = Answer<'semanticSearch'>['matches'][number];

/** A search result, and why it was found, if the service says so. */
export interface Hit {
  ticket: Listed;
  match?: Match | undefined;
}

/** The user who searches, with the queues of their teams; or public results only. */
export type Searcher = { person: Pick<Person, 'user_id'>; queues: TeamQueues } | 'everybody';

/**
 * Returns the best tickets for a search, by words and meaning, of all workspaces offered in chat (B45, B62). Visibility
 * is part of the query, and checked here too, for a service without that filter (B35).
 */
export async function searchTickets(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  words: string,
  searcher: Searcher,
  limits: Limits = {},
): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const workspaceId of await bridge.channels.offered())
    hits.push(...(await hitsIn(bridge, { words, searcher, workspaceId, ...limits })));
  const seen: Hit[] = [];
  for (const hit of hits.toSorted((a, b) => scoreOf(b) - scoreOf(a)))
    if (seen.length < BEST && (await sees(bridge, hit.ticket, searcher))) seen.push(hit);
  return seen;
}

interface Limits {
  excludeTicketId?: string | undefined;
  signal?: AbortSignal;
}

interface Search extends Limits {
  words: string;
  searcher: Searcher;
  workspaceId: string;
}

/** A service without this search is asked for the tickets with all of the words. */
async function hitsIn(
  { service }: Pick<Bridge, 'service'>,
  { words, searcher, excludeTicketId, workspaceId, signal }: Search,
): Promise<Hit[]> {
  const asked = words.slice(0, LIMITS.shortText).toWellFormed();
  const { teamQueueIds, ...visible } = visibleTo(searcher);
  const limits = signal ? { signal } : {};
  try {
    const query = { query: asked, limit: BEST, excludeTicketId, workspaceId, teamQueueIds, ...visible };
    const { items, matches } = await service.semanticSearch({ query }, limits);
    return items.map((ticket) => ({ ticket, match: matches.find(({ ticketId }) => ticketId === ticket.id) }));
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    const query = { search: asked, limit: LISTED, workspaceId, ...visible };
    const { items } = await service.listTickets({ query }, limits);
    return items.filter(({ id }) => id !== excludeTicketId).map((ticket) => ({ ticket }));
  }
}

/** A chat user without a user in the service sees public tickets. */
function visibleTo(searcher: Searcher): {
  visibleToUserId?: string;
  teamQueueIds?: string;
  private?: false;
} {
  if (searcher === 'everybody' || searcher.person.user_id === null) return { private: false };
  const queues = [...searcher.queues].filter((id) => id !== null);
  return { visibleToUserId: searcher.person.user_id, teamQueueIds: queues.join(',') };
}

function sees(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  ticket: Listed,
  searcher: Searcher,
): Promise<boolean> {
  const { person, queues } =
    searcher === 'everybody' ? { person: { user_id: null }, queues: new Set<null>() } : searcher;
  return isVisible(bridge, ticket, person, queues);
}

function scoreOf({ match }: Hit): number {
  return match?.score ?? 0;
}

/** A ticket as lists and searches return it. */
export type Listed = Answer<'listTickets'>['items'][number];

/** The queues whose team a user is in; null stands for tickets without one, which belong to every team. */
type TeamQueues = ReadonlySet<string | null>;

/** Does not rely on the service's filter alone (Ext). Only the full record contains the followers. */
export async function isVisible(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  ticket: Listed,
  { user_id }: Pick<Person, 'user_id'>,
  queues: TeamQueues,
): Promise<boolean> {
  if (!(await channels.isOffered(ticket.queue?.workspaceId))) return false;
  if (queues.has(ticket.queueId)) return true;
  if (maySee({ ...ticket, followers: [] }, user_id)) return true;
  return user_id !== null && maySee(await service.readTicket({ params: { id: ticket.id } }), user_id);
}

/** Returns the queues whose team a user is in (B0); null stands for tickets without one, which belong to every team. */
export async function queuesOf(bridge: Bridge, person: Person): Promise<TeamQueues> {
  const own = [...(await teamsOf(bridge))].flatMap(([id, team]) => (isInTeam(team, person) ? [id] : []));
  return new Set(own.length > 0 ? [...own, null] : []);
}
