// What arrives from Slack or the service is parsed once, stored with its job before it is acknowledged, and processed in
// order per conversation. store.ts stores it, work.ts runs its job, app.ts hands it to the handler that takes it.

import { sql } from 'kysely';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { inGroups, Turns } from '../../platform/database/in-groups.ts';
import { again, type Database, type Db, type Tx } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import {
  type ClaimedRow,
  enqueue,
  enqueueing,
  type NewClaims,
  type NewJob,
  prefetching,
} from '../../platform/jobs/index.ts';
import { traceparent } from '../../platform/tracing.ts';
import { findByMessage } from '../threads/conversations.ts';
import { type ChatPlace, eventKey, isDirectOfTwo, messageKey, userKey, ticketKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { ChatEvent } from '../slack/chat-event.ts';
import type { Budget } from '../slack/limits.ts';
import { type FinishEvent, finishEvents, type Finishing } from './finish.ts';
import { CHAT_QUEUE } from '../outbox/outbox.ts';
import { type EventId, type StoredEvent, storedEvents, type StoredJson } from './stored-event.ts';

/** The queue of a conversation's events from both sides, handled strictly in order. */
export const CONVERSATION_QUEUE = 'conversation';
/** Commands and buttons: a user waits for their answer, so they never wait behind busy conversations. */
export const COMMAND_QUEUE = 'command';

/** The job that syncs a conversation with its ticket's record. */
export function mirrorOf(conversationId: string, ticketId: string): NewJob {
  return { queue: CONVERSATION_QUEUE, orderingKey: conversationId, payload: { mirror: ticketId } };
}

/** Schedules a conversation's sync with its ticket's record; requests are merged until it is done. */
export async function enqueueMirror(
  tx: Tx<BridgeTables>,
  conversationId: string,
  ticketId: string,
): Promise<void> {
  await enqueue(tx, [
    {
      queue: CONVERSATION_QUEUE,
      orderingKey: conversationId,
      payload: { mirror: ticketId },
      dedupeKey: `mirror:${conversationId}`,
    },
  ]);
}

/** Schedules a check of a ticket whose conversation, if any, the caller does not know. */
export async function enqueueTicket(tx: Tx<BridgeTables>, ticketId: string): Promise<void> {
  await enqueue(tx, [
    {
      queue: CONVERSATION_QUEUE,
      orderingKey: ticketKey(ticketId),
      payload: { mirror: ticketId },
      dedupeKey: `mirror:${ticketKey(ticketId)}`,
    },
  ]);
}

/**
 * Schedules the check of a ticket that this process has just written to: the service does not report that to its webhook
 * (`x-origin-webhook`). In a statement of its own, before the writer's job ends and is not repeated any more.
 * @param shownIn the conversation that shows it already: if the ticket has no other, there is nothing to check.
 */
export async function checkWritten(db: Db<BridgeTables>, ticketId: string, shownIn?: string): Promise<void> {
  const job = { queue: CONVERSATION_QUEUE, orderingKey: ticketKey(ticketId), payload: { mirror: ticketId } };
  const isNeeded = shownIn
    ? sql`exists (select from conversation where ticket_id = ${ticketId} and id <> ${shownIn})`
    : sql`true`;
  await again(() => sql`select ${enqueueing([job])} where ${isNeeded}`.execute(db));
}

/** A message added to a ticket, as an event describes it. */
export interface ForwardedMessage {
  ticketId: string;
  messageId: string;
  /** Its places in chat, as far as its record says. */
  places: readonly ChatPlace[];
}

/** An event of the service in our own terms: a hint that something about a ticket changed. */
export type ServiceEvent = {
  /** Chat threads named by the record: they find the conversation before its ticket is linked. */
  threads: readonly { team: string; channel: string; root: string }[];
  /** The message from chat that it is about, if it is about nothing else. */
  forwarded?: ForwardedMessage | undefined;
  /** Who changed the ticket's fields, and their values since. */
  change?: { user: string; after: Readonly<Record<string, unknown>> } | undefined;
} & (
  | { ticketId: string; messageId?: undefined }
  /** The event names only a message, not its ticket. */
  | { ticketId?: undefined; messageId: string }
);

/** Changes when stored events would be read otherwise than they were written. */
const STORED_VERSION = 1;
const Stored = z.looseObject({ version: z.literal(STORED_VERSION) });

/** Returns a chat event as it was parsed when it arrived; undefined if another version stored it. */
export function storedChatEvent(body: unknown): ChatEvent | undefined {
  return Stored.safeParse(body).success ? (body as ChatEvent) : undefined;
}

/** The same for an event of the service. */
export function storedServiceEvent(body: unknown): ServiceEvent | undefined {
  return Stored.safeParse(body).success ? (body as ServiceEvent) : undefined;
}

/** Whether the event was new or already stored (then it is only counted). */
type Outcome = 'new' | 'repeated';

interface Storing {
  database: Database<BridgeTables>;
  clock: Clock;
  newId: NewId;
  claims: NewClaims;
  budgets: readonly Budget[];
}

/** Stores events with their jobs; only what is stored may be acknowledged (B46). */
export interface Inbox {
  chat(event: ChatEvent): Promise<Outcome>;
  /** @param key `webhook-id`, the same for all attempts of one event. */
  service(key: string, event: ServiceEvent): Promise<Outcome>;
  /** Returns a stored event with its conversation, and what is known of a message. */
  read(event: EventId): Promise<StoredEvent | undefined>;
  finish: FinishEvent;
  /** Whether an event arrived within the last second: what can wait takes its time then. */
  isBusy(): boolean;
}

const BUSY_MS = 1_000;

/** More would make a statement of many megabytes, and those behind it wait. */
const STORED_AT_ONCE = 100;

/**
 * Creates the inbox of one process. Events are stored in the order of their arrival, so a thread's events are worked in
 * that order (B66); two processes keep none between them.
 */
export function createInbox(storing: Storing): Inbox {
  const turns = new Turns();
  const store = inGroups<Arrival, Outcome>(
    (arrivals) => storeGroup(storing, arrivals),
    STORED_AT_ONCE,
    turns,
  );
  const read = inGroups<EventId, StoredEvent | undefined>(
    (wanted) => storedEvents(storing.database.db, wanted),
    STORED_AT_ONCE,
  );
  const finish = inGroups<Finishing, Awaited<ReturnType<FinishEvent>>>(
    async (finishing) => {
      const planned = finishing.reduce((sum, { added }) => sum + (added.planned?.posts.length ?? 0), 0);
      return storing.claims.adding(planned > 0 ? { [CHAT_QUEUE]: planned } : {}, async (takers) => {
        const { database, clock, budgets } = storing;
        const offer = { takers, budgets };
        const finished = await again(() => finishEvents(database.db, finishing, clock.now(), offer));
        const posts = new Map(finished.posts.map((post) => [post.row.id, post]));
        return { result: finished.rows, claimed: prefetching(finished.claimed, 'outbox', posts) };
      });
    },
    STORED_AT_ONCE,
    turns,
  );
  let lastArrival = 0;
  const arrived = (
    {
      source,
      key,
      kind,
      author,
    }: { source: 'chat' | 'service'; key: string; kind: string; author?: string | undefined },
    event: object,
    place: Place,
  ) => {
    const id = storing.newId('inb');
    const payload = JSON.stringify({ inbox: id, author, traceparent: traceparent() });
    const body = JSON.stringify({ version: STORED_VERSION, ...event });
    const received_at = storing.clock.now();
    lastArrival = received_at.getTime();
    return {
      queue: CONVERSATION_QUEUE,
      ...place,
      id,
      source,
      event_key: key,
      kind,
      body,
      payload,
      received_at,
    };
  };
  return {
    read,
    finish,
    isBusy: () => storing.clock.now().getTime() - lastArrival < BUSY_MS,
    chat: (event) => {
      const author = event.kind === 'message' ? event.message.user : undefined;
      const { key, kind } = event;
      return store(arrived({ source: 'chat', key, kind, author }, event, locationOf(event, storing)));
    },
    service: (key, event) =>
      store(arrived({ source: 'service', key, kind: 'ticket-changed' }, event, placeOfTicket(event))),
  };
}

/** How the conversation of an event is found, and what its job is ordered by where it has none. */
interface Place {
  queue?: string;
  ordering_key?: string;
  /** Its thread, or the message that it is about. */
  team?: string;
  channel?: string;
  root?: string;
  /** The id of the conversation to be made if the thread has none. */
  thread?: string;
  direct?: boolean;
  /** The key of the message's own event, where only the message is known and not its thread. */
  by_message?: string;
  ticket?: string | undefined;
  threads?: ServiceEvent['threads'];
}

/** An event as `store_events` takes it. */
interface Arrival extends Place {
  id: string;
  source: 'chat' | 'service';
  event_key: string;
  kind: string;
  body: string;
  payload: string;
  received_at: Date;
}

/** Repetitions within the group are counted with the first. */
async function storeGroup({ database, claims }: Storing, arrivals: readonly Arrival[]): Promise<Outcome[]> {
  const same = Map.groupBy(arrivals, ({ source, event_key }) => `${source} ${event_key}`);
  const events = [...same.values()].map(([first, ...again], place) => ({
    ...first,
    // The message that it is about may be of the same group, where the statement cannot find it yet.
    ...threadOf(same.get(`chat ${first?.by_message}`)?.[0]),
    place,
    repeats: again.length,
  }));
  const wanted = Object.groupBy(events, ({ queue = CONVERSATION_QUEUE }) => queue);
  const counts = Object.fromEntries(Object.entries(wanted).map(([queue, some = []]) => [queue, some.length]));
  const fresh = await claims.adding(counts, async (takers) => {
    const { rows } = await again(() =>
      sql<{ ids: string[] | null; claimed: ClaimedRow[] | null; stored: StoredJson[] | null }>`
        select * from store_events(${JSON.stringify(events)}, ${takers})`.execute(database.db),
    );
    const [row] = rows;
    const stored = new Map(row?.stored?.map((event) => [event.id, event]));
    return { result: new Set(row?.ids), claimed: prefetching(row?.claimed, 'inbox', stored) };
  });
  return arrivals.map(({ id }) => (fresh.has(id) ? 'new' : 'repeated'));
}

function threadOf(message: Arrival | undefined): object | undefined {
  return message && { root: message.root, thread: message.thread };
}

function locationOf(event: ChatEvent, { newId }: Pick<Storing, 'newId'>): Place {
  switch (event.kind) {
    case 'message':
    case 'message-edited': {
      const { team, channel, root, direct } = event.message;
      return { team, channel, root, direct, thread: newId('cnv') };
    }
    case 'message-deleted': {
      const { root, place } = event;
      const { team, channel, ts } = place;
      // Slack may report the deletion of a reply without its thread.
      const alone = root === ts ? { by_message: eventKey.message(place) } : {};
      return { team, channel, root, direct: isDirectOfTwo(channel), thread: newId('cnv'), ...alone };
    }
    case 'reaction': {
      // A reaction does not say whether its message is a parent: a conversation is created only once that is known.
      const { team, channel, ts: root } = event.place;
      return {
        team,
        channel,
        root,
        by_message: eventKey.message(event.place),
        ordering_key: messageKey(event.place),
      };
    }
    case 'person':
      return { ordering_key: userKey(event.team, event.user) };
    case 'link': {
      // It waits for nothing, and nothing waits for it.
      const { channel, ts } = event.link;
      return { ordering_key: messageKey({ team: event.team, channel, ts }), queue: COMMAND_QUEUE };
    }
    case 'home':
      return inUserOrder(event);
    case 'command':
      return inUserOrder(event.command);
    case 'action':
      return inUserOrder(event.action);
    case 'shortcut':
    case 'global-shortcut':
      return inUserOrder(event.shortcut);
    case 'submission':
      return inUserOrder(event.submission);
    case 'other':
      return { ordering_key: `other:${event.team}` };
  }
}

/** A user's actions are handled in their order. */
function inUserOrder({ team, user }: { team: string; user: string }): Place {
  return { ordering_key: userKey(team, user), queue: COMMAND_QUEUE };
}

function placeOfTicket({ ticketId, messageId, threads }: ServiceEvent): Place {
  return { ticket: ticketId, threads, ordering_key: ticketKey(ticketId ?? messageId) };
}

/** Returns the conversation of a message that is linked, or whose event is still waiting. */
export async function conversationOfMessage(
  db: Db<BridgeTables>,
  place: ChatPlace,
): Promise<string | undefined> {
  const known = await findByMessage(db, place);
  if (known) return known.id;
  const stored = await db
    .selectFrom('inbox')
    .select('conversation_id')
    .where('source', '=', 'chat')
    .where('event_key', '=', eventKey.message(place))
    .executeTakeFirst();
  return stored?.conversation_id ?? undefined;
}

/** The job of a received event; `again` if work on it may have started under another conversation's ordering key. */
export const InboxPayload = z.object({
  inbox: z.string(),
  /** Who wrote the message that it is about. */
  author: z.string().optional(),
  again: z.literal(true).optional(),
});
