// What arrives from Slack or the service is stored with its work before it is acknowledged, and worked in order per
// conversation. An envelope of Slack is stored in Slack's own shape: a listener that was wrong can be mended, and the
// event done again. store.ts stores it; entry/work-event.ts hands it to Bolt, and app.ts lists the listeners.

import { sql } from 'kysely';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { inGroups } from '../../platform/database/in-groups.ts';
import type { Database, Db } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import { findByMessage } from '../store/conversations.ts';
import { type ChatPlace, eventKey, isDirectOfTwo, messageKey, userKey, ticketKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { ChatEvent } from '../slack/chat-event.ts';
import type { Envelope, Envelopes } from '../slack/envelope.ts';
import {
  type BridgeEngine,
  type BridgeTx,
  EVENT,
  MIRROR,
  type NewWork,
  PERSONAL_EVENT,
  workFor,
} from '../work.ts';

/** Returns the work that compares a conversation with its ticket's record; requests are merged until it begins. */
export function mirrorWork(conversationId: string, ticketId: string): NewWork {
  const mergeKey = `mirror:${conversationId}:${ticketId}`;
  return workFor(MIRROR, conversationId, { ticket: ticketId }, { mergeKey });
}

/** Returns the work that checks a ticket whose conversation, if any, the caller does not know. */
export function ticketCheck(ticketId: string): NewWork {
  return mirrorWork(ticketKey(ticketId), ticketId);
}

/**
 * Adds the check of a ticket that this process has just written to: the service does not report that to its webhook
 * (`x-origin-webhook`). In a transaction of its own, before the writer's work ends and is not repeated any more.
 * @param shownIn the conversation that shows it already: if the ticket has no other, there is nothing to check.
 */
export async function checkWritten(
  { engine, database }: { engine: BridgeEngine; database: Database<BridgeTables> },
  ticketId: string,
  shownIn?: string,
): Promise<void> {
  if (shownIn === undefined || (await isShownElsewhere(database.db, ticketId, shownIn)))
    await engine.add(ticketCheck(ticketId));
}

async function isShownElsewhere(db: Db<BridgeTables>, ticketId: string, shownIn: string): Promise<boolean> {
  const other = await db
    .selectFrom('conversation')
    .select('id')
    .where('ticket_id', '=', ticketId)
    .where('id', '<>', shownIn)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
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
  /** The authors and new values of the ticket's changed fields. */
  change?: { user: string; after: Readonly<Record<string, unknown>> } | undefined;
  /** It is a warning about a target of the ticket, or a request to post in chat. */
  requestsPosts?: boolean | undefined;
} & (
  | { ticketId: string; messageId?: undefined }
  /** The event names only a message, not its ticket. */
  | { ticketId?: undefined; messageId: string }
);

/** Changes when stored events of the service would be read otherwise than they were written. */
const STORED_VERSION = 1;
const Stored = z.looseObject({ version: z.literal(STORED_VERSION) });

/** Returns an event of the service as it was parsed when it arrived; undefined if another version stored it. */
export function storedServiceEvent(body: unknown): ServiceEvent | undefined {
  return Stored.safeParse(body).success ? (body as ServiceEvent) : undefined;
}

/** Whether the event was new or already stored (then it is only counted). */
type Outcome = 'new' | 'repeated';

/** A ticket that the service says has changed. */
export interface ChangedTicket {
  ticketId: string;
  /** The conversation that it is found in; null if none. */
  conversationId: string | null;
  change: ServiceEvent['change'];
  requestsPosts?: ServiceEvent['requestsPosts'];
}

/** The record of an event whose ticket check is planned. */
export const CHECKED = 'its ticket is checked';

interface Storing {
  engine: BridgeEngine;
  clock: Clock;
  newId: NewId;
  envelopes: Envelopes;
  /** Plans what follows from a change of a ticket. */
  planCheck: (tx: BridgeTx, changed: ChangedTicket) => Promise<void>;
}

/** Stores events with their work; only what is stored may be acknowledged (B46). */
export interface Inbox {
  chat(envelope: Envelope): Promise<Outcome>;
  /** @param key `webhook-id`, the same for all attempts of one event. */
  service(key: string, event: ServiceEvent): Promise<Outcome>;
  /** Whether an event arrived within the last second: then work that is not urgent is spread out. */
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
  const store = inGroups<Arrival, Outcome>((arrivals) => storeGroup(storing, arrivals), STORED_AT_ONCE);
  let lastArrival = 0;
  const arrived = (
    { source, key, kind }: { source: 'chat' | 'service'; key: string; kind: string },
    body: string,
    place: Place,
  ): Arrival => {
    const received_at = storing.clock.now();
    lastArrival = received_at.getTime();
    return {
      work: EVENT,
      ...place,
      id: storing.newId('inb'),
      source,
      event_key: key,
      kind,
      body,
      received_at,
    };
  };
  return {
    isBusy: () => storing.clock.now().getTime() - lastArrival < BUSY_MS,
    chat: (envelope) => {
      const { key, kind } = envelope.event;
      const body = storing.envelopes.write(envelope);
      return store(arrived({ source: 'chat', key, kind }, body, locationOf(envelope.event, storing)));
    },
    service: (key, event) => {
      const body = JSON.stringify({ version: STORED_VERSION, ...event });
      const stored = arrived({ source: 'service', key, kind: 'ticket-changed' }, body, placeOfTicket(event));
      const { ticketId, change, requestsPosts, forwarded } = event;
      // Whether it echoes a message is known only in its conversation's turn, once what adds that message has ended.
      const isCertain = ticketId !== undefined && forwarded === undefined;
      return store(
        isCertain ? { ...stored, outcome: CHECKED, changed: { ticketId, change, requestsPosts } } : stored,
      );
    },
  };
}

/** How the conversation of an event is found, and what its work is ordered by where it has none. */
interface Place {
  work?: typeof EVENT;
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

interface Arrival extends Place {
  work: typeof EVENT;
  /**
   * The ticket whose check is planned at once, instead of work that would plan it; and what is recorded of the event.
   */
  changed?: Omit<ChangedTicket, 'conversationId'>;
  outcome?: string;
  id: string;
  source: 'chat' | 'service';
  event_key: string;
  kind: string;
  /** JSON as text: reading it as a part of other JSON would refuse NUL and lone surrogates in it. */
  body: string;
  received_at: Date;
}

/** An event to be stored, with how often it came again. */
type Storable = Arrival & { place: number; repeats: number };

/** Repetitions within the group are counted with the first. */
async function storeGroup({ engine, planCheck }: Storing, arrivals: readonly Arrival[]): Promise<Outcome[]> {
  const same = Map.groupBy(arrivals, ({ source, event_key }) => `${source} ${event_key}`);
  const events = [...same.values()].flatMap(([first, ...again], place) =>
    first
      ? {
          ...first,
          // The message that it is about may be of the same group, where the statement cannot find it yet.
          ...threadOf(same.get(`chat ${first.by_message}`)?.[0]),
          place,
          repeats: again.length,
        }
      : [],
  );
  const rows = JSON.stringify(events.map(({ work: _, changed: __, ...row }) => row));
  return engine.transaction(async (tx) => {
    // 1. Threads that have none get their conversation.
    await makeConversations(tx, rows);
    // 2. Events are stored, each with its conversation; one that came before is only counted.
    const stored = await storeEvents(tx, rows);
    // 3. New ones get their work, in the order in which they came.
    for (const event of events) await planWork(tx, event, stored, planCheck);
    return arrivals.map(({ id }) => (stored.has(id) ? 'new' : 'repeated'));
  });
}

/** The columns that the statements below read from `Storable` rows, which are passed as JSON. */
const ARRIVED =
  sql.raw(`place int, id text, source text, event_key text, kind text, body text, received_at timestamptz,
  repeats int, outcome text, team text, channel text, root text, thread text, direct boolean, by_message text, ticket text,
  threads json`);

/** Rows are made in one order everywhere, so that two processes do not wait for each other in a circle. */
async function makeConversations(tx: BridgeTx, arrived: string): Promise<void> {
  await sql`
    insert into conversation (id, team_id, channel_id, thread_ts, direct, created_at)
    select distinct on (team, channel, root) thread, team, channel, root, direct, received_at
    from json_to_recordset(${arrived}::json) as arrived (${ARRIVED})
    where thread is not null
      and not exists (select from conversation where team_id = team and channel_id = channel and thread_ts = root)
      and not exists (select from former_thread where team_id = team and channel_id = channel and thread_ts = root)
      and (by_message is null or not (
        exists (select from message_link where team_id = team and channel_id = channel and ts = root)
        or exists (select from inbox
          where source = 'chat' and event_key = by_message and conversation_id is not null)))
    order by team, channel, root, place
    on conflict (team_id, channel_id, thread_ts) do nothing`.execute(tx);
}

/** Returns the conversations of the rows by their ids: one that came before has the id that it got then. */
async function storeEvents(tx: BridgeTx, arrived: string): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ id: string; conversation_id: string | null }>`
    insert into inbox (id, source, event_key, kind, conversation_id, body, received_at, repeats, outcome, done_at)
    select id, source, event_key, kind,
      coalesce(
        (select c.id from conversation c where team_id = team and channel_id = channel and thread_ts = root),
        -- The one that replaced it (B58).
        (select conversation_id from former_thread
          where team_id = team and channel_id = channel and thread_ts = root),
        (select conversation_id from message_link
          where by_message is not null and team_id = team and channel_id = channel and ts = root),
        (select conversation_id from inbox i where i.source = 'chat' and i.event_key = by_message),
        (select c.id from conversation c where ticket_id = ticket and role = 'request'),
        (select c.id from json_to_recordset(threads) as t (team text, channel text, root text)
          join conversation c on team_id = t.team and channel_id = t.channel and thread_ts = t.root
            and role = 'request'
          limit 1)),
      body::json, received_at, repeats, outcome, case when outcome is not null then received_at end
    from json_to_recordset(${arrived}::json) as arrived (${ARRIVED})
    order by source, event_key
    on conflict (source, event_key) do update set repeats = inbox.repeats + 1 + excluded.repeats
    returning id, conversation_id`.execute(tx);
  return new Map(rows.map((row) => [row.id, row.conversation_id]));
}

async function planWork(
  tx: BridgeTx,
  { id, work, changed, ordering_key }: Storable,
  stored: ReadonlyMap<string, string | null>,
  planCheck: Storing['planCheck'],
): Promise<void> {
  const conversationId = stored.get(id);
  if (conversationId === undefined) return;
  if (changed) {
    await planCheck(tx, { ...changed, conversationId });
    return;
  }
  const key = conversationId ?? ordering_key;
  if (key === undefined) throw new Error('an event has neither a conversation nor an ordering key');
  tx.plan.add(workFor(work, key, { inbox: id }));
}

function threadOf(message: Arrival | undefined): { root: string; thread: string } | undefined {
  return message?.root === undefined || message.thread === undefined
    ? undefined
    : { root: message.root, thread: message.thread };
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
      return { ordering_key: messageKey({ team: event.team, channel, ts }), work: PERSONAL_EVENT };
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
    case 'unreadable':
      return { ordering_key: event.key, work: PERSONAL_EVENT };
    case 'other':
      return { ordering_key: `other:${event.team}` };
  }
}

/** A user's actions are handled in their order. */
function inUserOrder({ team, user }: { team: string; user: string }): Place {
  return { ordering_key: userKey(team, user), work: PERSONAL_EVENT };
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
