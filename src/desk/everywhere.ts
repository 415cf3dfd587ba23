import { AnsweredError, workspaceIdsOf } from '../client/index.ts';
import { isList, LIMITS, type RouteName, routes, type TicketCounts } from '../contract/index.ts';
import { Cache } from '../platform/cache.ts';
import type { Clock } from '../platform/clock.ts';
import type { Clients } from './clients.ts';
import { type Ask, mergedPage, type Page, type Query, refusal } from './merged-page.ts';

/** The input of an operation of the desk. */
export interface Input {
  params?: Record<string, string>;
  query?: Query;
  body?: Record<string, unknown> | undefined;
}

/** Milliseconds for which the workspaces of a token are known. */
const KEEP_MS = 30_000;
/** Tokens whose workspaces are known at most. */
const KEPT = 10_000;
/** Pages of one workspace, each of 4 MiB at most, that are held to be merged with those of others. */
const PAGES_AT_MOST = 4;

/**
 * Calls the service for a desk that shows all workspaces of a token together: a list without a workspace is read from
 * each and merged, page by page if it has an order, and a ticket's reference is looked up in each.
 */
export class Everywhere {
  readonly #clients: Clients;
  /** A read that fails is not kept. */
  readonly #known: Cache<(string | undefined)[]>;

  constructor(clients: Clients, clock: Clock) {
    this.#clients = clients;
    this.#known = new Cache(KEPT, { clock, ms: KEEP_MS });
  }

  /** Throws ServiceError. */
  async call(token: string, name: RouteName, input: Input): Promise<unknown> {
    const client = this.#clients.of(token);
    // One signature instead of a union of all: the input was parsed by the operation's own schema.
    const ask = (more: Record<string, string | undefined> = {}) =>
      (client[name] as (input: Input) => Promise<unknown>)({ ...input, query: { ...input.query, ...more } });
    if (input.query?.['workspaceId']) return ask();
    if (name === 'readTicket') return this.#firstFound(token, ask);
    if (name === 'countTickets') return this.#counted(token, input);
    // The service lists all queues and workspaces itself; an id in the path belongs to one workspace.
    const route = routes[name];
    if (name === 'listQueues' || name === 'listWorkspaces' || 'params' in route || !isList(route.answer))
      return ask();
    const ids = await this.ids(token);
    if (ids.length === 1) return ask({ workspaceId: ids[0] });
    if (input.query?.['sortBy'])
      return mergedPage(
        ask,
        ids.flatMap((id) => id ?? []),
        input.query,
      );
    const limit = Number(input.query?.['limit'] ?? LIMITS.list.defaultLimit);
    const pages = await Promise.all(ids.map((workspaceId) => wholePage(ask, { workspaceId }, limit)));
    return name === 'semanticSearch' ? bestOf(pages) : joinPages(pages);
  }

  /** The workspaces of a token. Throws ServiceError. */
  ids(token: string): Promise<(string | undefined)[]> {
    return this.#known.get(token, () => workspaceIdsOf(this.#clients.of(token)));
  }

  /** Adds up the counts of all workspaces; a query that names its workspace is counted once. */
  async #counted(token: string, input: Input): Promise<TicketCounts> {
    const { filters } = routes.countTickets.body.parse(input.body);
    const ids = await this.ids(token);
    const client = this.#clients.of(token);
    const counted = await Promise.all(
      ids.map((workspaceId, at) =>
        client.countTickets({
          body: {
            filters: filters
              .filter(({ query }) => at === 0 || !query['workspaceId'])
              .map(({ key, query }) => ({ key, query: workspaceId ? { workspaceId, ...query } : query })),
          },
        }),
      ),
    );
    const most = LIMITS.ticketCounts.count;
    const counts = filters.map(({ key }) => {
      const found = counted.flatMap((one) => one.counts.filter((each) => each.key === key));
      const sum = found.reduce((total, { count }) => total + count, 0);
      return { key, count: Math.min(sum, most), isCapped: sum > most || found.some((one) => one.isCapped) };
    });
    return { counts };
  }

  async #firstFound(
    token: string,
    ask: (more?: { workspaceId: string | undefined }) => Promise<unknown>,
  ): Promise<unknown> {
    try {
      return await ask();
    } catch (error) {
      const ids = error instanceof AnsweredError && error.status === 404 ? await this.ids(token) : [];
      if (ids.length > 1)
        for (const workspaceId of ids)
          try {
            return await ask({ workspaceId });
          } catch (another) {
            if (!(another instanceof AnsweredError && another.status === 404)) throw another;
          }
      throw error;
    }
  }
}

/**
 * Returns a page of `limit` records of one workspace, or of all that there are: the service ends a page early to stay
 * below its bound of bytes, and a list without an order has no cursor that would lead on when it is joined with others.
 * @throws AnsweredError 422 if the records are too large to be held at once.
 */
async function wholePage(ask: Ask, query: { workspaceId: string | undefined }, limit: number): Promise<Page> {
  const first = (await ask(query)) as Page;
  const items = [...first.items];
  let cursor = first.nextCursor;
  for (let read = 1; cursor !== null && items.length < limit; read++) {
    if (read === PAGES_AT_MOST) throw tooLarge(items.length);
    const next = (await ask({ ...query, cursor, limit: String(limit - items.length) })) as Page;
    items.push(...next.items);
    cursor = next.nextCursor;
  }
  return { ...first, items };
}

function tooLarge(fitting: number): AnsweredError {
  return refusal(422, 'UNPROCESSABLE_CONTENT', {
    path: 'limit',
    message: `These records are too large to be shown at once. Ask for fewer: limit=${fitting} fits.`,
  });
}

/** Merges the results of several workspaces, best first. */
function bestOf(pages: readonly Page[]): Page {
  const matches = pages.flatMap((page) => page.matches ?? []);
  const scores = new Map(matches.map(({ ticketId, score }) => [ticketId, score]));
  const { items, ...rest } = joinPages(pages);
  const scoreOf = ({ id }: Record<string, unknown>) => scores.get(String(id)) ?? 0;
  const meaning = pages.every((page) => page.meaning !== false);
  return { ...rest, items: items.toSorted((a, b) => scoreOf(b) - scoreOf(a)), matches, meaning };
}

/** Joins the lists of several workspaces, one after the other. */
function joinPages(pages: readonly Page[]): Page {
  return {
    ...pages[0],
    items: pages.flatMap(({ items }) => items),
    totalCount: pages.reduce((sum, { totalCount }) => sum + totalCount, 0),
    nextCursor: null,
  };
}
