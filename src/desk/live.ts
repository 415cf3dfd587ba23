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
  /** Milliseconds between two checks of the service, for all browsers of one key together. */
  everyMs: number;
}

/** Maximum number of records that one check reads. Further changes are sent with the next change. */
const CHECK_LIMIT = 100;
/** Writes become visible in another order than that of their `updatedAt`. */
const OVERLAP_MS = 60_000;

/** The browsers of one key, which share their checks. */
interface Feed {
  streams: Set<EventStream>;
  /** The first check is done: from here on every change is sent. */
  isReady: boolean;
  end: AbortController;
}

/**
 * `GET /desk/live`: the ids of tickets that changed, or have a message that changed, as server-sent events `changed`,
 * after one `ready`; `signed-out` when the key is refused. The service is read once in `everyMs` per key, however many
 * browsers listen, and not at all without one. Returns a function that ends all streams.
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
    const publish = (tickets: string[]) => {
      if (!feed.isReady) send('ready', {});
      else if (tickets.length > 0) send('changed', { tickets });
      feed.isReady = true;
    };
    follow(() => clients.of(key), options, feed.end.signal, publish)
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

/** Checks until `signal`, and publishes after each check what changed; rejects if the key is refused. */
async function follow(
  client: () => Client,
  { everywhere, log, everyMs }: LiveOptions,
  signal: AbortSignal,
  publish: (tickets: string[]) => void,
): Promise<void> {
  let known: Snapshot | undefined;
  while (!signal.aborted) {
    try {
      const before = known;
      known = await readChanges(client(), everywhere, before);
      const news = [...known.versions].filter(
        ([id, { version }]) => before?.versions.get(id)?.version !== version,
      );
      publish([...new Set(news.map(([, { ticketId }]) => ticketId))]);
    } catch (error) {
      if (!(error instanceof ServiceError) || isRefused(error)) throw error;
      log.debug({ err: error }, 'the desk could not read from the service');
    }
    await wait(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

interface Snapshot {
  /** By the id of a ticket or message. */
  versions: ReadonlyMap<string, { ticketId: string; version: string }>;
  /** Start of the next check; undefined before the first record. */
  from: string | undefined;
}

/** Returns the latest records. Only differences count, because a service may ignore `updatedFrom`. */
async function readChanges(
  client: Client,
  everywhere: Everywhere,
  before: Snapshot | undefined,
): Promise<Snapshot> {
  const changed = {
    sortBy: 'updatedAt',
    sortDirection: 'desc',
    limit: CHECK_LIMIT,
    updatedFrom: before?.from,
  } as const;
  const lists = (await everywhere.ids(client)).map(async (workspaceId) => {
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
  const seen = (await Promise.all(lists)).flat();
  const newest = Math.max(...seen.map(({ version }) => Date.parse(version)));
  return {
    versions: new Map(seen.map(({ id, ...rest }) => [id, rest])),
    from: Number.isFinite(newest) ? new Date(newest - OVERLAP_MS).toISOString() : before?.from,
  };
}
