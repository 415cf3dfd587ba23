import type { Bridge } from '../bridge.ts';
import { transaction } from '../../platform/database/open.ts';
import { CONVERSATION_QUEUE, enqueueMirror, enqueueTicket } from '../inbox/store.ts';
import { cursorKey } from '../slack/ids.ts';
import { moveCursor, readCursor } from './cursors.ts';
import { type Reconciler, settledUntil } from './reconciler.ts';

/** Commit order is not timestamp order (docs/api.md, Webhooks). */
const OVERLAP_MS = 2 * 60 * 1000;
/** Records per read; the next one continues where it ended. */
const AT_ONCE = 5_000;

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
  if (!cursor) {
    await moveCursor(db, key, until);
    return 0;
  }
  const from = new Date(cursor.getTime() - OVERLAP_MS).toISOString();
  const changed = { updatedFrom: from, sortBy: 'updatedAt', sortDirection: 'asc', limit: 200 } as const;
  const news = new Map<string, News>();
  let reached = until.getTime();
  for (const workspaceId of await bridge.channels.workspaceIds()) {
    const query = { ...changed, workspaceId };
    const messages = await collect(bridge.service.all('listTicketMessages', { query }), from, until);
    const tickets = await collect(bridge.service.all('listTickets', { query }), from, until);
    // A service that ignores the filter returns everything: then the checks of threads find it.
    if (messages === 'unfiltered' || tickets === 'unfiltered') return 0;
    for (const { ticketId, updatedAt } of messages.records)
      news.set(ticketId, { ...news.get(ticketId), message: updatedAt });
    for (const { id, updatedAt } of tickets.records) news.set(id, { ...news.get(id), ticket: updatedAt });
    reached = Math.min(reached, messages.until, tickets.until);
  }
  let found = 0;
  for (const [ticketId, one] of news) found += await bringUp(bridge, ticketId, one);
  await moveCursor(db, key, new Date(reached));
  return found;
}

/** When a ticket, and the newest of its changed messages, was last written; absent if it was not. */
interface News {
  ticket?: string;
  message?: string;
}

/** Collects the records in order up to an instant, and how far they reach. */
async function collect<Item extends { updatedAt: string }>(
  items: AsyncIterable<Item>,
  from: string,
  until: Date,
): Promise<{ records: Item[]; until: number } | 'unfiltered'> {
  const records: Item[] = [];
  for await (const item of items) {
    if (item.updatedAt < from) return 'unfiltered';
    if (item.updatedAt > until.toISOString()) break;
    records.push(item);
    if (records.length >= AT_ONCE) return { records, until: new Date(item.updatedAt).getTime() };
  }
  return { records, until: until.getTime() };
}

/** Syncs a ticket's places if one is behind; 1 if a thread had missed the newest message. */
async function bringUp(bridge: Bridge, ticketId: string, { ticket, message }: News): Promise<number> {
  return transaction(bridge.database.db, async (tx) => {
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
    if (!request) await enqueueTicket(tx, ticketId);
    if (behind.length === 0) return 0;
    let found = 0;
    for (const one of behind) {
      const jobs = await tx
        .selectFrom('job')
        .select('id')
        .where('queue', '=', CONVERSATION_QUEUE)
        .where('ordering_key', '=', one.id)
        .executeTakeFirst();
      await enqueueMirror(tx, one.id, ticketId);
      // A waiting event was received, and is only late.
      if (one === request && isMissedBy(one) && !jobs) found = 1;
    }
    return found;
  });
}
