import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyInstance } from 'fastify';

import { AnsweredError, type Client, ServiceError } from '../client/index.ts';
import { type EventStream, openEventStream, sendProblem } from '../platform/http/index.ts';
import type { Log } from '../platform/log.ts';
import type { Clients } from './clients.ts';
import type { Everywhere } from './everywhere.ts';
import { isUnauthorized, SIGNED_OUT } from './refusal.ts';
import type { Session, Sessions } from './session.ts';

export interface LiveOptions {
  sessions: Sessions;
  clients: Clients;
  everywhere: Everywhere;
  log: Log;
  /** Milliseconds between two checks of the service, for all browsers of one session together. */
  everyMs: number;
}

/** Maximum number of records that one check reads. Further changes are sent with the next change. */
const CHECK_LIMIT = 100;
/** Writes become visible in another order than that of their `updatedAt`. */
const OVERLAP_MS = 60_000;

/** The browsers of one session, which share their checks. */
interface Feed {
  session: Session;
  streams: Set<EventStream>;
  /** The first check is done: from here on every change is sent. */
  isReady: boolean;
  isEnded: boolean;
  /** What was read is from before a change of who reads it. */
  areReadersNew: boolean;
  /** Ends the wait for the next check. */
  wake: AbortController;
}

export interface Live {
  /** Checks the sessions of people now. */
  check: () => void;
  /** Sends `readers` to people: what each may read is no longer the same. */
  tellReaders: () => void;
  /** Ends all streams. */
  end: () => void;
}

/**
 * `GET /desk/live`: the ids of tickets that changed, or have a message that changed, as server-sent events `changed`,
 * after one `ready`; `access` when the person's role or queues changed, `readers` when a ticket moved or was made
 * private, or a queue got other readers, without saying which, `notifications` with the count of unread ones
 * when it changed, and `signed-out` when the token is refused. The service is read once in `everyMs` per session,
 * however many browsers listen, and not at all without one.
 */
export function serveLive(server: FastifyInstance, options: LiveOptions): Live {
  const { sessions, log } = options;
  const feeds = new Map<string, Feed>();

  function feedOf(session: Session): Feed {
    const known = feeds.get(session.token);
    if (known) return known;
    const feed: Feed = {
      session,
      streams: new Set(),
      isReady: false,
      isEnded: false,
      areReadersNew: false,
      wake: new AbortController(),
    };
    feeds.set(session.token, feed);
    const send = (event: string, data: unknown) => {
      for (const stream of feed.streams) stream.send(event, data);
    };
    follow(feed, options, send)
      .catch((error: unknown) => {
        if (!isRefused(error, session)) log.error({ err: error }, 'the desk stopped following the service');
        else send('signed-out', {});
      })
      .finally(() => {
        if (feeds.get(session.token) === feed) feeds.delete(session.token);
        for (const stream of feed.streams) stream.end();
      });
    return feed;
  }

  server.get('/live', (request, reply) => {
    const session = sessions.read(request);
    if (!session) return void sendProblem(reply, SIGNED_OUT);
    const feed = feedOf(session);
    const stream = openEventStream(reply, () => {
      feed.streams.delete(stream);
      if (feed.streams.size > 0) return;
      end(feed);
      if (feeds.get(session.token) === feed) feeds.delete(session.token);
    });
    feed.streams.add(stream);
    if (feed.isReady) stream.send('ready', {});
  });

  const ofPeople = () => [...feeds.values()].filter(({ session }) => session.kind === 'person');
  return {
    check: () => {
      for (const { wake } of ofPeople()) wake.abort();
    },
    tellReaders: () => {
      for (const feed of ofPeople()) {
        feed.areReadersNew = true;
        feed.wake.abort();
      }
    },
    end: () => {
      for (const feed of feeds.values()) end(feed);
    },
  };
}

function end(feed: Feed): void {
  feed.isEnded = true;
  feed.wake.abort();
}

/** A key of too low a role reads nothing, now or later. */
function isRefused(error: unknown, { kind }: Session): boolean {
  const isForbidden = kind === 'key' && error instanceof AnsweredError && error.status === 403;
  return isForbidden || isUnauthorized(error);
}

/** Checks until the feed ends, and sends after each check what changed; rejects if the token is refused. */
async function follow(
  feed: Feed,
  { clients, everywhere, log, everyMs }: LiveOptions,
  send: (event: string, data: unknown) => void,
): Promise<void> {
  const { session } = feed;
  let [known, access]: [Snapshot | undefined, string | undefined] = [undefined, undefined];
  let isAccessStale = session.kind === 'person';
  let inbox: NotificationCount | null | undefined;
  while (!feed.isEnded) {
    // Before anything is read: a change during the read wakes again.
    if (feed.wake.signal.aborted) {
      feed.wake = new AbortController();
      isAccessStale = true;
    }
    try {
      if (isAccessStale) {
        const { role, queueIds } = await clients.of(session.token).readSession({});
        const now = JSON.stringify([role, queueIds]);
        if (access !== undefined && access !== now) send('access', {});
        [access, isAccessStale] = [now, false];
      }
      if (feed.areReadersNew) {
        feed.areReadersNew = false;
        send('readers', {});
      }
      const before = known;
      known = await readChanges(session.token, clients, everywhere, before);
      const news = [...known.versions].filter(
        ([id, { version }]) => before?.versions.get(id)?.version !== version,
      );
      const tickets = [...new Set(news.map(([, { ticketId }]) => ticketId))];
      if (!feed.isReady) send('ready', {});
      else if (tickets.length > 0) send('changed', { tickets });
      feed.isReady = true;
      if (session.kind === 'person' && inbox !== null) {
        const counted = await unreadOf(clients.of(session.token));
        // Between two checks one may have been read and another come: then the number is the same.
        if (counted && (counted.unread !== inbox?.unread || counted.latestId !== inbox.latestId))
          send('notifications', counted);
        inbox = counted;
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || isRefused(error, session)) throw error;
      log.debug({ err: error }, 'the desk could not read from the service');
    }
    await wait(everyMs, undefined, { signal: feed.wake.signal, ref: false }).catch(() => undefined);
  }
}

type NotificationCount = Awaited<ReturnType<Client['countNotifications']>>;

/** Returns how many notifications are unread, and the newest; null if the service has none, or not for this person. */
async function unreadOf(client: Client): Promise<NotificationCount | null> {
  try {
    return await client.countNotifications({});
  } catch (error) {
    if (error instanceof AnsweredError && [403, 404, 405, 501].includes(error.status)) return null;
    throw error;
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
  token: string,
  clients: Clients,
  everywhere: Everywhere,
  before: Snapshot | undefined,
): Promise<Snapshot> {
  const changed = {
    sortBy: 'updatedAt',
    sortDirection: 'desc',
    limit: CHECK_LIMIT,
    updatedFrom: before?.from,
  } as const;
  const client = clients.of(token);
  const lists = (await everywhere.ids(token)).map(async (workspaceId) => {
    const query = { ...changed, workspaceId };
    const [tickets, messages] = await Promise.all([
      keepFirst(
        CHECK_LIMIT,
        client.all('listTickets', { query: { ...query, includeArchived: true } }),
        ({ id, updatedAt }) => ({ id, ticketId: id, version: updatedAt }),
      ),
      keepFirst(CHECK_LIMIT, client.all('listTicketMessages', { query }), ({ id, ticketId, updatedAt }) => ({
        id,
        ticketId,
        version: updatedAt,
      })),
    ]);
    return [...tickets, ...messages];
  });
  const seen = (await Promise.all(lists)).flat();
  const newest = Math.max(...seen.map(({ version }) => Date.parse(version)));
  return {
    versions: new Map(seen.map(({ id, ...rest }) => [id, rest])),
    from: Number.isFinite(newest) ? new Date(newest - OVERLAP_MS).toISOString() : before?.from,
  };
}

/** Returns what is kept of the first items; a page of large ones may end early, and is not kept itself. */
async function keepFirst<Item, Kept>(
  count: number,
  items: AsyncIterable<Item>,
  keep: (item: Item) => Kept,
): Promise<Kept[]> {
  const kept: Kept[] = [];
  for await (const item of items) {
    kept.push(keep(item));
    if (kept.length >= count) break;
  }
  return kept;
}
