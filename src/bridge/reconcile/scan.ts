import { sql } from 'kysely';

import type { Bridge } from '../bridge.ts';
import type { Envelope } from '../slack/envelope.ts';
import { erasedAccounts } from '../people/erased.ts';
import type { MemberChannel } from '../slack/reader.ts';
import { openingOf } from '../blocks/emoji.ts';
import { isOurs } from '../threads/rules.ts';
import { isUserText } from '../slack/message-kinds.ts';
import { findByThread } from '../store/conversations.ts';
import { CLOCKS_DIFFER_MS } from '../first-run.ts';
import { compareTs, cursorKey, eventKey } from '../slack/ids.ts';
import { asReaction, type ListedMessage, readListed, storedKeys, storeFinds } from './as-event.ts';
import { moveCursor, readCursor } from './findings.ts';
import { chatTime, type Reconciler, settledUntil } from './reconciler.ts';
import { ticketCheck, mirrorWork } from '../inbox/store.ts';
import { conversationLane } from '../work.ts';

const HOUR_MS = 60 * 60 * 1000;
/** One read of a channel after a long absence: small enough for one piece of work, and resumable after a crash. */
const WINDOW_MS = 12 * HOUR_MS;
/** Messages within a second may arrive in any order, and Slack's clock may be behind. */
const OVERLAP_MS = CLOCKS_DIFFER_MS + 2 * 60 * 1000;
/** How far back parents are checked for replies in a full reconciliation. */
const WIDE_MS = 24 * HOUR_MS;

/**
 * Reads a channel from its cursor on, and stores what was missed: messages, the replies of threads with new ones, and
 * emoji that open a ticket (B50). Resumable: the cursor moves window by window. Throws ChatError.
 * @param options.wide reads a day further back, for replies to older parents.
 * @param options.leaveOut called with the error of a thread that cannot be read; throws it if it is to be tried again.
 * @returns the number of differences.
 */
export async function scanChannel(
  reconciler: Reconciler,
  channel: MemberChannel,
  { wide, leaveOut }: { wide: boolean; leaveOut: LeaveOut },
): Promise<number> {
  const { db } = reconciler.bridge.database;
  const { team } = reconciler.bridge.bot;
  const key = cursorKey.channel(team, channel.id);
  const end = settledUntil(reconciler).getTime();
  const begin =
    (await readCursor(db, key)) ?? (await readCursor(db, cursorKey.channels(team))) ?? new Date(end);
  const since = chatTime(new Date(begin.getTime() - OVERLAP_MS));
  const complete = new Map<string, string>();
  let found = 0;
  let from = begin.getTime() - (wide ? WIDE_MS : OVERLAP_MS);
  while (from < end) {
    const to = Math.min(from + WINDOW_MS, end);
    found += await scanWindow(reconciler, {
      channel,
      from: new Date(from),
      to: new Date(to),
      since,
      end,
      complete,
      leaveOut,
    });
    await moveCursor(db, key, new Date(to));
    from = to;
  }
  reconciler.completeThreads.set(channel.id, complete);
  return found;
}

type LeaveOut = (error: unknown, thread: { thread: string }) => void;

interface Window {
  channel: MemberChannel;
  from: Date;
  to: Date;
  /** Earlier messages were read the last time. */
  since: string;
  /** The end of all windows: replies may be much later than their parent. */
  end: number;
  /** What this scan adds to, for the next one. */
  complete: Map<string, string>;
  leaveOut: LeaveOut;
}

async function scanWindow(reconciler: Reconciler, window: Window): Promise<number> {
  const { bridge, beforeRead } = reconciler;
  const { id, direct } = window.channel;
  const listed: ListedMessage[] = [];
  const until = { latest: chatTime(window.to), before: beforeRead };
  for await (const raw of bridge.chat.history(id, chatTime(window.from), until)) {
    const message = readListed(bridge.bot.team, id, direct, raw);
    if (message) listed.push(message);
  }
  const finds = [
    ...(await missedMessages(bridge, listed, window)),
    ...(await missedReplies(reconciler, listed, window)),
    ...(await missedRequests(bridge, listed, window)),
  ];
  return storeFinds(bridge, finds);
}

/** Returns messages without an event, oldest first. */
async function missedMessages(
  bridge: Bridge,
  listed: readonly ListedMessage[],
  { since }: Window,
): Promise<Envelope[]> {
  const stored = await storedKeys(
    bridge,
    listed.map(({ created }) => created.event.key),
  );
  return listed
    .filter(
      ({
        ts,
        created: {
          event: { key, message },
        },
      }) =>
        !isOurs(message, bridge.bot) &&
        isUserText(message.subtype) &&
        !stored.has(key) &&
        compareTs(ts, since) >= 0,
    )
    .toSorted((a, b) => compareTs(a.ts, b.ts))
    .map(({ created }) => created);
}

/**
 * Returns replies in threads whose newest reply is unknown. Our own posts have no event, so a thread that ends with one
 * is read, as replies before it may be missing; but once only.
 */
async function missedReplies(
  reconciler: Reconciler,
  listed: readonly ListedMessage[],
  window: Window,
): Promise<Envelope[]> {
  const { bridge, completeThreads } = reconciler;
  const { team } = bridge.bot;
  const { since, complete, leaveOut } = window;
  const { id: channel } = window.channel;
  const threads = listed.flatMap(({ ts: root, latestReply }) =>
    latestReply !== undefined && compareTs(latestReply, since) >= 0 ? [{ root, latestReply }] : [],
  );
  const keyOf = (ts: string) => eventKey.message({ team, channel, ts });
  const stored = await storedKeys(
    bridge,
    threads.map(({ latestReply }) => keyOf(latestReply)),
  );
  const completeBefore = completeThreads.get(channel);
  const finds: Envelope[] = [];
  for (const { root, latestReply } of threads) {
    if (stored.has(keyOf(latestReply))) continue;
    if (completeBefore?.get(root) === latestReply) {
      complete.set(root, latestReply);
      continue;
    }
    const replies: ListedMessage[] = [];
    try {
      for await (const reply of repliesOf(reconciler, root, window)) replies.push(reply);
    } catch (error) {
      leaveOut(error, { thread: root });
    }
    const missed = await missedMessages(bridge, replies, window);
    if (missed.length === 0 && replies.some(({ ts }) => ts === latestReply)) complete.set(root, latestReply);
    finds.push(...missed);
  }
  return finds;
}

/** Reads the replies of a thread since the last scan, up to the end of all windows. */
async function* repliesOf(
  { bridge, beforeRead }: Reconciler,
  root: string,
  { channel: { id: channel, direct }, since, end }: Window,
): AsyncGenerator<ListedMessage> {
  const options = { oldest: since, latest: chatTime(new Date(end)), before: beforeRead };
  for await (const raw of bridge.chat.thread(channel, root, options)) {
    const reply = readListed(bridge.bot.team, channel, direct, raw);
    if (reply && reply.ts !== root) yield reply;
  }
}

/** Returns emoji that open a ticket, on parents without one, that were added without an event. */
async function missedRequests(
  bridge: Bridge,
  listed: readonly ListedMessage[],
  { channel }: Window,
): Promise<Envelope[]> {
  const { team, userId } = bridge.bot;
  const finds: Envelope[] = [];
  const home = await bridge.channels.of(channel.id);
  const actions = home && (await bridge.channels.emojiActions(home.workspaceId));
  const isErased = await erasedAccounts(bridge);
  for (const { ts, reactions } of listed) {
    const opening = reactions.filter(({ name }) => openingOf(name, actions) !== undefined);
    if (opening.length === 0) continue;
    const place = { team, channel: channel.id, ts };
    const conversation = await findByThread(bridge.database.db, { team, channel: channel.id, root: ts });
    if (conversation?.ticket_id) continue;
    for (const { name, users } of opening)
      for (const user of users)
        if (
          user !== userId &&
          !(await wasStored(bridge, eventKey.reaction(place, user, name, true, ''))) &&
          !isErased(place, user)
        )
          finds.push(...asReaction(place, { user, name, added: true, eventTs: ts }));
  }
  return finds;
}

/** Returns whether an event whose key has this prefix was stored. */
async function wasStored({ database }: Bridge, key: string): Promise<boolean> {
  const row = await database.db
    .selectFrom('inbox')
    .select('id')
    .where('source', '=', 'chat')
    .where('kind', '=', 'reaction')
    .where(sql<boolean>`starts_with(event_key, ${key})`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Commit order is not timestamp order (docs/api.md, Webhooks). */
const SERVICE_OVERLAP_MS = 2 * 60 * 1000;
/** Records per read; the next one continues where it ended. */
export const AT_ONCE = 5_000;

/**
 * Lists the service's changes since the last read, over all tickets, and syncs threads that missed them (B50). Throws
 * ServiceError.
 * @returns how many changes of messages had not been applied.
 */
export async function scanService(reconciler: Reconciler): Promise<number> {
  const { bridge } = reconciler;
  const { db } = bridge.database;
  const key = cursorKey.service(bridge.bot.team);
  const until = settledUntil(reconciler);
  const cursor = await readCursor(db, key);
  // The service's clock has passed this instant, too, even where it is behind.
  const past = new Date(until.getTime() - CLOCKS_DIFFER_MS);
  if (!cursor) {
    await moveCursor(db, key, past);
    return 0;
  }
  const from = new Date(cursor.getTime() - SERVICE_OVERLAP_MS).toISOString();
  const span: Span = { from, cursor: cursor.toISOString(), until: until.toISOString() };
  const changed = { updatedFrom: from, sortBy: 'updatedAt', sortDirection: 'asc', limit: 200 } as const;
  const news = new Map<string, News>();
  const ends: ListEnd[] = [];
  for (const workspaceId of await bridge.channels.workspaceIds()) {
    const query = { ...changed, workspaceId };
    const messages = await collect(bridge.service.all('listTicketMessages', { query }), span);
    const tickets = await collect(bridge.service.all('listTickets', { query }), span);
    // A service that ignores the filter returns everything: then the checks of threads find it.
    if (messages === 'unfiltered' || tickets === 'unfiltered') return 0;
    for (const { ticketId, updatedAt } of messages.records)
      news.set(ticketId, { ...news.get(ticketId), message: updatedAt });
    for (const { id, updatedAt } of tickets.records) news.set(id, { ...news.get(id), ticket: updatedAt });
    ends.push(endOf(messages), endOf(tickets));
  }
  let found = 0;
  for (const [ticketId, one] of news) found += await syncTicket(bridge, ticketId, one);
  await moveCursor(db, key, new Date(reachedBy(ends, past.getTime())));
  return found;
}

/** When a ticket, and the newest of its changed messages, was last written; absent if it was not. */
interface News {
  ticket?: string;
  message?: string;
}

/** Changed records in order of change. */
interface Collected<Item> {
  records: readonly Item[];
  /** Whether others changed after these. */
  more: boolean;
}

/** What is read at once, by when it changed. */
interface Span {
  from: string;
  /** Read up to here the last time. */
  cursor: string;
  until: string;
}

/** Collects the records of a span, in their order. It ends early only beyond the cursor, which would else stay there. */
export async function collect<Item extends { updatedAt: string }>(
  items: AsyncIterable<Item>,
  { from, cursor, until }: Span,
): Promise<Collected<Item> | 'unfiltered'> {
  const records: Item[] = [];
  for await (const item of items) {
    if (item.updatedAt < from) return 'unfiltered';
    if (item.updatedAt > until) break;
    records.push(item);
    if (records.length >= AT_ONCE && item.updatedAt > cursor) return { records, more: true };
  }
  return { records, more: false };
}

/**
 * Returns up to where all lists were read: to the end of the first that ended early, or to the newest record. It is the
 * service's time, not ours: its clock may be behind, and what it writes next would be left out. If it wrote nothing for
 * long, up to `past`.
 */
function reachedBy(ends: readonly ListEnd[], past: number): number {
  const early = ends.filter(({ more }) => more);
  if (early.length > 0) return Math.min(...early.map(({ at }) => at));
  return Math.max(past, ...ends.map(({ at }) => at));
}

/** When the last of some records changed; kept in place of the records, whose texts may be long. */
interface ListEnd extends Pick<Collected<unknown>, 'more'> {
  at: number;
}

function endOf({ records, more }: Collected<{ updatedAt: string }>): ListEnd {
  const last = records.at(-1);
  return { at: last ? Date.parse(last.updatedAt) : 0, more };
}

/** Syncs a ticket's places if one is behind; 1 if a thread had missed the newest message. */
async function syncTicket(bridge: Bridge, ticketId: string, { ticket, message }: News): Promise<number> {
  return bridge.engine.transaction(async (tx) => {
    const conversations = await tx
      .selectFrom('conversation')
      .leftJoin('card', 'card.conversation_id', 'conversation.id')
      .select(['conversation.id', 'conversation.role', 'conversation.applied_until', 'card.shown'])
      .where('conversation.ticket_id', '=', ticketId)
      .execute();
    const isMissedBy = ({ applied_until }: { applied_until: Date | null }) =>
      message !== undefined && message > (applied_until?.toISOString() ?? '');
    const isOld = ({ shown }: { shown: Date | null }) =>
      shown !== null && ticket !== undefined && ticket > shown.toISOString();
    const behind = conversations.filter((one) => isMissedBy(one) || isOld(one));
    const request = conversations.find(({ role }) => role === 'request');
    // A ticket created outside chat may have no card in its team's channel yet.
    if (!request) tx.plan.add(ticketCheck(ticketId));
    let found = 0;
    for (const one of behind) {
      const waiting = await tx
        .selectFrom('work')
        .select('id')
        .where('lane', '=', conversationLane(one.id))
        .where('done_at', 'is', null)
        .executeTakeFirst();
      tx.plan.add(mirrorWork(one.id, ticketId));
      // A waiting event was received, and is only late.
      if (one === request && isMissedBy(one) && !waiting) found = 1;
    }
    return found;
  });
}
