// What arrives from Slack or the service is parsed once, stored with its job before it is acknowledged, and processed in
// order per conversation. store.ts stores it, work.ts runs its job, app.ts hands it to the handler that takes it.

import { sql, type Selectable } from 'kysely';
import { z } from 'zod';

import { again, type Db, type Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { traceparent } from '../../platform/tracing.ts';
import type { Bridge } from '../bridge.ts';
import { conversationOfThread, findByMessage, type Conversation } from '../threads/conversations.ts';
import { type ChatPlace, eventKey, messageKey, userKey, ticketKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { ChatEvent, EventOf } from '../slack/chat-event.ts';

/** The queue of a conversation's events from both sides, handled strictly in order. */
export const CONVERSATION_QUEUE = 'conversation';
/** Commands and buttons: a user waits for their answer, so they never wait behind busy conversations. */
export const COMMAND_QUEUE = 'command';

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

type Storing = Pick<Bridge, 'database' | 'clock' | 'newId'>;

/** Whether the event was new or already stored (then it is only counted). */
type Stored = 'new' | 'repeated';

interface Placed {
  conversationId: string | null;
  orderingKey: string;
  /** Default CONVERSATION_QUEUE. */
  queue?: string;
}

interface Arrival {
  source: 'chat' | 'service';
  key: string;
  kind: string;
  event: ChatEvent | ServiceEvent;
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

const toStore = (event: ChatEvent | ServiceEvent) => JSON.stringify({ version: STORED_VERSION, ...event });

/** Returns a chat event as it was parsed when it arrived; undefined if another version stored it. */
export function storedChatEvent(body: unknown): ChatEvent | undefined {
  return Stored.safeParse(body).success ? (body as ChatEvent) : undefined;
}

/** The same for an event of the service. */
export function storedServiceEvent(body: unknown): ServiceEvent | undefined {
  return Stored.safeParse(body).success ? (body as ServiceEvent) : undefined;
}

interface Thread {
  team: string;
  channel: string;
  root: string;
  direct?: boolean;
}

/** Stores a chat event together with its job; only then may Slack get its acknowledgement (B46). */
export async function storeChatEvent(storing: Storing, event: ChatEvent): Promise<Stored> {
  const { db } = storing.database;
  const arrival: Arrival = { source: 'chat', key: event.key, kind: event.kind, event };
  if (!isOfThread(event)) return store(storing, arrival, await placeOf(db, event));
  const thread = threadOf(event);
  const stored = await storeInThread(storing, arrival, thread);
  return stored ?? store(storing, arrival, await placeInNew(storing, event, thread));
}

type ThreadEvent = EventOf<'message' | 'message-edited' | 'message-deleted'>;

function isOfThread(event: ChatEvent): event is ThreadEvent {
  const { kind } = event;
  return kind === 'message' || kind === 'message-edited' || kind === 'message-deleted';
}

function threadOf(event: ThreadEvent): Thread {
  if (event.kind === 'message-deleted') return { ...event.place, root: event.root };
  const { team, channel, root, direct } = event.message;
  return { team, channel, root, direct };
}

/** Returns the place of an event whose thread is unknown. */
async function placeInNew(storing: Storing, event: ThreadEvent, thread: Thread): Promise<Placed> {
  const { db } = storing.database;
  // Slack may report the deletion of a reply without its thread.
  const isAlone = event.kind === 'message-deleted' && event.root === event.place.ts;
  const known = isAlone ? await findByMessage(db, event.place) : undefined;
  const { id } = known ?? (await conversationOfThread(db, thread, storing));
  return { conversationId: id, orderingKey: id };
}

/** Returns the ordering key of an event without a thread. */
async function placeOf(db: Db<BridgeTables>, event: Exclude<ChatEvent, ThreadEvent>): Promise<Placed> {
  switch (event.kind) {
    case 'reaction': {
      // A reaction does not say whether its message is a parent: a conversation is created only once that is known.
      const known = await conversationOfMessage(db, event.place);
      return known === undefined
        ? { conversationId: null, orderingKey: messageKey(event.place) }
        : { conversationId: known, orderingKey: known };
    }
    case 'person':
      return { conversationId: null, orderingKey: userKey(event.team, event.user) };
    case 'link': {
      // It waits for nothing, and nothing waits for it.
      const { channel, ts } = event.link;
      return {
        conversationId: null,
        orderingKey: messageKey({ team: event.team, channel, ts }),
        queue: COMMAND_QUEUE,
      };
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
      return { conversationId: null, orderingKey: `other:${event.team}` };
  }
}

/** A user's actions are handled in their order. */
function inUserOrder({ team, user }: { team: string; user: string }): Placed {
  return { conversationId: null, orderingKey: userKey(team, user), queue: COMMAND_QUEUE };
}

/** Returns the conversation of a message that is linked, or whose event is still waiting. */
export async function conversationOfMessage(
  db: Db<BridgeTables>,
  place: ChatPlace,
): Promise<string | undefined> {
  const known = await findByMessage(db, place);
  if (known) return known.id;
  const told = await db
    .selectFrom('inbox')
    .select('conversation_id')
    .where('source', '=', 'chat')
    .where('event_key', '=', eventKey.message(place))
    .executeTakeFirst();
  return told?.conversation_id ?? undefined;
}

/**
 * Returns what is known of a chat message: its link, and whether Slack has reported its deletion, which may be stored
 * before the message itself is handled.
 */
export async function messageState(
  db: Db<BridgeTables>,
  place: ChatPlace,
): Promise<{ isLinked: boolean; isDeleted: boolean }> {
  const { rows } = await sql<{ isLinked: boolean; isDeleted: boolean }>`
    select exists (
        select from message_link
        where team_id = ${place.team} and channel_id = ${place.channel} and ts = ${place.ts}
      ) as "isLinked", exists (
        select from inbox where source = 'chat' and event_key = ${eventKey.deletion(place)}
      ) as "isDeleted"`.execute(db);
  return rows[0] ?? { isLinked: false, isDeleted: false };
}

/**
 * Stores a service event under the ordering key of its ticket's conversation.
 * @param key `webhook-id`, the same for all attempts of one event.
 */
export async function storeServiceEvent(storing: Storing, key: string, event: ServiceEvent): Promise<Stored> {
  const { ticketId, messageId } = event;
  const known = await storing.database.db
    .selectFrom('conversation')
    .select('id')
    .where('role', '=', 'request')
    .where((where) =>
      where.or([
        ...(ticketId === undefined ? [] : [where('ticket_id', '=', ticketId)]),
        ...event.threads.map((thread) =>
          where.and([
            where('team_id', '=', thread.team),
            where('channel_id', '=', thread.channel),
            where('thread_ts', '=', thread.root),
          ]),
        ),
      ]),
    )
    .orderBy(sql`ticket_id is null`)
    .executeTakeFirst();
  const arrival: Arrival = { source: 'service', key, kind: 'ticket-changed', event };
  return store(
    storing,
    arrival,
    known
      ? { conversationId: known.id, orderingKey: known.id }
      : { conversationId: null, orderingKey: ticketKey(ticketId ?? messageId) },
  );
}

async function store(
  { database, clock, newId }: Storing,
  { source, key, kind, event }: Arrival,
  { conversationId, orderingKey, queue = CONVERSATION_QUEUE }: Placed,
): Promise<Stored> {
  const { rows } = await again(() =>
    sql<{ repeats: number }>`
    select store_event(${newId('inb')}, ${source}, ${key}, ${kind}, ${conversationId}, ${toStore(event)},
      ${clock.now()}, ${queue}, ${orderingKey}, ${traceparent() ?? null}) as repeats`.execute(database.db),
  );
  return rows[0]?.repeats === 0 ? 'new' : 'repeated';
}

/** Stores an event of a thread under its conversation's ordering key; undefined if the thread is unknown. */
async function storeInThread(
  { database, clock, newId }: Storing,
  { key, kind, event }: Arrival,
  { team, channel, root }: Thread,
): Promise<Stored | undefined> {
  const { rows } = await again(() =>
    sql<{ repeats: number | null }>`
    select store_in_thread(${team}, ${channel}, ${root}, ${newId('inb')}, ${key}, ${kind}, ${toStore(event)},
      ${clock.now()}, ${CONVERSATION_QUEUE}, ${traceparent() ?? null}) as repeats`.execute(database.db),
  );
  const repeats = rows[0]?.repeats ?? null;
  if (repeats === null) return undefined;
  return repeats === 0 ? 'new' : 'repeated';
}

type StoredEvent = Pick<
  Selectable<BridgeTables['inbox']>,
  'source' | 'kind' | 'body' | 'received_at' | 'done_at' | 'conversation_id'
> & { conversation: Conversation | undefined };

/** Returns a stored event with its conversation, in one round trip. */
export async function storedEvent(db: Db<BridgeTables>, id: string): Promise<StoredEvent | undefined> {
  const row = await db
    .selectFrom('inbox')
    .leftJoin('conversation', 'conversation.id', 'inbox.conversation_id')
    .selectAll('conversation')
    .select(['source', 'kind', 'body', 'received_at', 'done_at', 'conversation_id'])
    .where('inbox.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { source, kind, body, received_at, done_at, conversation_id, ...joined } = row;
  // A row of the join has all columns of the conversation, or none.
  const conversation = joined.id === null ? undefined : (joined as Conversation);
  return { source, kind, body, received_at, done_at, conversation_id, conversation };
}

/** The job of a received event; `again` if work on it may have started under another conversation's ordering key. */
export const InboxPayload = z.object({ inbox: z.string(), again: z.literal(true).optional() });
