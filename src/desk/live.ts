import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyInstance } from 'fastify';

import { AnsweredError, type Client, ServiceError } from '../client/index.ts';
import { type EventStream, openEventStream, sendProblem } from '../platform/http/index.ts';
import type { Log } from '../platform/log.ts';
import type { Clients } from './clients.ts';
import type { Everywhere } from './everywhere.ts';
import { SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

export interface LiveOptions {
  sessions: Sessions;
  clients: Clients;
  everywhere: Everywhere;
  log: Log;
  /** Milliseconds between two looks at the service, for all browsers of one key together. */
  everyMs: number;
}

/** Records that one look reads at most; of more, the page hears with the next change or when it is opened again. */
const LOOK_LIMIT = 100;
/** Writes become visible in another order than that of their `updatedAt`. */
const OVERLAP_MS = 60_000;

/** The browsers of one key, and the looks that are made for them. */
interface Feed {
  streams: Set<EventStream>;
  /** The first look is done: from here on every change is told. */
  isReady: boolean;
  end: AbortController;
}

/**
 * `GET /desk/live`: which tickets changed, or have a message that did, as server-sent events `changed` with their ids,
 * all of them after `ready`; `signed-out` when the key is refused. However many browsers listen, the service is asked
 * once in `everyMs` per key, and not at all while nobody does. Returns what ends all streams.
 */
export function serveLive(server: FastifyInstance, options: LiveOptions): () => void {
  const { sessions, clients, log } = options;
  const feeds = new Map<string, Feed>();

  function feedOf(key: string): Feed {
    const known = feeds.get(key);
    if (known) return known;
    const feed: Feed = { streams: new Set(), isReady: false, end: new AbortController() };
    feeds.set(key, feed);
    const send = (event: string, data: unknown) => {
      for (const stream of feed.streams) stream.send(event, data);
    };
    const told = (tickets: string[]) => {
      if (!feed.isReady) send('ready', {});
      else if (tickets.length > 0) send('changed', { tickets });
      feed.isReady = true;
    };
    follow(() => clients.of(key), options, feed.end.signal, told)
      .catch((error: unknown) => {
        if (!isRefused(error)) log.error({ err: error }, 'the desk stopped following the service');
        else send('signed-out', {});
      })
      .finally(() => {
        if (feeds.get(key) === feed) feeds.delete(key);
        for (const stream of feed.streams) stream.end();
      });
    return feed;
  }

  server.get('/live', (request, reply) => {
    const session = sessions.read(request);
    if (!session) return void sendProblem(reply, SIGNED_OUT);
    const feed = feedOf(session.key);
    const stream = openEventStream(reply, () => {
      feed.streams.delete(stream);
      if (feed.streams.size > 0) return;
      feed.end.abort();
      if (feeds.get(session.key) === feed) feeds.delete(session.key);
    });
    feed.streams.add(stream);
    if (feed.isReady) stream.send('ready', {});
  });

  return () => {
    for (const { end } of feeds.values()) end.abort();
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof AnsweredError && (error.status === 401 || error.status === 403);
}

/** Looks until `signal`, and tells after each look what changed since the one before; rejects where the key is refused. */
async function follow(
  client: () => Client,
  { everywhere, log, everyMs }: LiveOptions,
  signal: AbortSignal,
  told: (tickets: string[]) => void,
): Promise<void> {
  let known: Look | undefined;
  while (!signal.aborted) {
    try {
      const before = known;
      known = await look(client(), everywhere, before);
      const news = [...known.versions].filter(
        ([id, { version }]) => before?.versions.get(id)?.version !== version,
      );
      told([...new Set(news.map(([, { ticketId }]) => ticketId))]);
    } catch (error) {
      if (!(error instanceof ServiceError) || isRefused(error)) throw error;
      log.debug({ err: error }, 'the desk could not read from the service');
    }
    await wait(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

interface Look {
  /** By the id of a ticket or message. */
  versions: ReadonlyMap<string, { ticketId: string; version: string }>;
  /** Where the next look begins; undefined where nothing was seen yet. */
  from: string | undefined;
}

/** The latest changes. A service that does not know `updatedFrom` sends what it sends: only differences count. */
async function look(client: Client, everywhere: Everywhere, before: Look | undefined): Promise<Look> {
  const changed = {
    sortBy: 'updatedAt',
    sortDirection: 'desc',
    limit: LOOK_LIMIT,
    updatedFrom: before?.from,
  } as const;
  const looked = (await everywhere.ids(client)).map(async (workspaceId) => {
    const query = { ...changed, workspaceId };
    const [tickets, messages] = await Promise.all([
      client.listTickets({ query: { ...query, includeArchived: true } }),
      client.listTicketMessages({ query }),
    ]);
    return [
      ...tickets.items.map(({ id, updatedAt }) => ({ id, ticketId: id, version: updatedAt })),
      ...messages.items.map(({ id, ticketId, updatedAt }) => ({ id, ticketId, version: updatedAt })),
    ];
  });
  const seen = (await Promise.all(looked)).flat();
  const newest = Math.max(...seen.map(({ version }) => Date.parse(version)));
  return {
    versions: new Map(seen.map(({ id, ...rest }) => [id, rest])),
    from: Number.isFinite(newest) ? new Date(newest - OVERLAP_MS).toISOString() : before?.from,
  };
}
