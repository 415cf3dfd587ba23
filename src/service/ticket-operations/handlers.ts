import { LIMITS, type TicketCounts, type TicketDetail } from '../../contract/index.ts';
import { isOutOfTime, limitRest } from '../../platform/database/open.ts';
import { requireNoChatPair } from '../access/identity.ts';
import { requireOwnEnd } from '../tickets/own-end.ts';
import { ticketReadersIn } from '../access/readers.ts';
import { requireAccess, visibleAmong } from '../access/ticket-access.ts';
import { viewerOf, viewersOf } from '../access/viewer.ts';
import { attachToNew } from '../file-records/attach.ts';
import type { Call, Handlers, ServiceTx, Tools } from '../handler.ts';
import { readPage } from '../lists/read-page.ts';
import { messagesSince } from '../messages/list.ts';
import { found, ServiceProblem, unknownZone, unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';
import { wordCountOf } from '../search/words.ts';
import { claimTicket } from '../tickets/claim.ts';
import { createTicket } from '../tickets/create.ts';
import { rateTicket, requireAsked } from '../tickets/csat.ts';
import { recordActivity } from '../tickets/activity.ts';
import { addTicketEvent } from '../tickets/events.ts';
import { requireExpected } from '../tickets/expected.ts';
import {
  ticketKey,
  lockTicket,
  lockTicketNamed,
  type StoredTicket,
  type TicketKey,
  ticketNamed,
} from '../tickets/find.ts';
import { parseListQuery } from '../tickets/list-query.ts';
import { countTickets, ticketPage } from '../tickets/list.ts';
import { comparedTicket, shownDetail, shownTicket, shownTickets } from '../tickets/shown.ts';
import { undoMerge } from './merge.ts';
import { ticketDetail, toThin, toTicket } from '../tickets/records.ts';
import { writeThread } from '../tickets/relations.ts';
import { type TicketData, updateTicket } from '../tickets/update.ts';

type Names =
  | 'createTicket'
  | 'listTickets'
  | 'countTickets'
  | 'readTicket'
  | 'readTicketReaders'
  | 'updateTicket'
  | 'archiveTicket'
  | 'putChatThread'
  | 'claimTicket'
  | 'rateTicket';
type Writing = Pick<Call<'archiveTicket'>, 'caller' | 'now' | 'outbox'>;

type Update = Parameters<typeof updateTicket>[3];

/** Updates a ticket, with its event; returns the updated ticket. */
export async function writeTicket(
  tx: ServiceTx,
  writing: Writing & { tools: Tools },
  key: TicketKey,
  body: Update,
): Promise<TicketDetail> {
  return writeLocked(tx, writing, await lockTicket(tx, key), body);
}

async function writeLocked(
  tx: ServiceTx,
  { tools, caller, now, outbox }: Writing & { tools: Tools },
  locked: StoredTicket,
  body: Update,
): Promise<TicketDetail> {
  const key = ticketKey(locked);
  const before = await ticketDetail(tx, key, now);
  if (body.expected) {
    const answers = Object.keys(body.expected.customFields ?? {});
    const compared = await comparedTicket(tx, caller, key.workspaceId, before, answers);
    await requireExpected(tx, caller, key, compared, body.data, body.expected);
  }
  const changed = await updateTicket(tx, { tools, caller, now }, locked, body);
  const actorId = body.actorId ?? body.approverId;
  if (await isUnmerged(tx, locked)) await undoMerge(tx, { tools, caller, actorId, now, outbox }, locked);
  const after = await ticketDetail(tx, key, now);
  if (!changed) return after;
  addTicketEvent(outbox, caller, key.workspaceId, before, after);
  await recordActivity(tx, { tools, caller, actorId }, key.workspaceId, [before, after]);
  return after;
}

/** Returns whether a ticket was merged when it was locked, and is no longer: it was reopened. */
async function isUnmerged(tx: ServiceTx, locked: StoredTicket): Promise<boolean> {
  if (locked.merged_into_id === null) return false;
  return (await lockTicket(tx, ticketKey(locked))).merged_into_id === null;
}

export function ticketHandlers(tools: Tools): Pick<Handlers, Names> {
  const write = (tx: ServiceTx, { caller, now, outbox }: Writing, locked: StoredTicket, body: Update) =>
    writeLocked(tx, { tools, caller, now, outbox }, locked, body);

  return {
    async createTicket({ caller, body, now, outbox }, tx) {
      if (viewerOf(caller)) requireNoChatPair(body);
      const { ticket, created } = await createTicket(tx, { tools, caller, now }, body, outbox);
      if (created) {
        const workspaceId = ticket.queue?.workspaceId ?? caller.workspaceId;
        const place = { workspaceId, ticketId: ticket.id, messageId: null, record: ticket };
        await attachToNew(tx, caller, place, body.fileIds, { now, outbox });
      }
      return { record: await shownTicket(tx, caller, ticket, now), created };
    },

    async listTickets({ caller, query, now }, db) {
      const found = await ticketPage(db, caller, query, now).catch(unknownZone);
      const viewers = viewersOf(caller, query);
      const read = (ids: readonly string[]) => shownTickets(db, caller, viewers, ids, now);
      return query.responseType === 'thin'
        ? {
            ...(await readPage(caller, found, async (ids) => (await read(ids)).map(toThin))),
            responseType: 'thin',
          }
        : {
            ...(await readPage(caller, found, async (ids) => (await read(ids)).map(toTicket))),
            responseType: 'default',
          };
    },

    async countTickets({ caller, body, now }, tx) {
      const { count: most, words: mostWords } = LIMITS.ticketCounts;
      const queries = body.filters.map(({ key, query }, at) => ({
        key,
        query: parseListQuery(query, `filters.${at}.query`),
      }));
      const words = queries.reduce((sum, { query }) => sum + wordCountOf(query.search ?? ''), 0);
      if (words > mostWords)
        throw unprocessable(
          'filters',
          `These lists search for ${words} words together; at most ${mostWords} are counted at once. Search for fewer words, or count fewer lists.`,
        );
      const counts: TicketCounts['counts'] = [];
      for (const { key, query } of queries) {
        await limitRest(tx, COUNTING_MS);
        const count = await countTickets(tx, caller, query, { now, most }).catch(unknownZone).catch(tooSlow);
        counts.push({ key, ...count });
      }
      return { counts };
    },

    async readTicket({ caller, params, query, now }, db) {
      const { workspaceIds, id } = found(await ticketNamed(db, caller, params.id, query.workspaceId));
      const [visible] = await visibleAmong(db, caller, workspaceIds, [id]);
      await caller.noteOpened?.(db, [found(visible)]);
      const [ticket, messages] = await Promise.all([
        shownDetail(db, caller, workspaceIds, found(visible), now),
        query.messagesFrom ? messagesSince(db, caller, workspaceIds, id, query.messagesFrom) : undefined,
      ]);
      return { ...ticket, ...(messages && { messages }) };
    },

    async readTicketReaders({ caller, params, query }, db) {
      const { workspaceIds, id } = found(await ticketNamed(db, caller, params.id, query.workspaceId));
      const ticket = found(
        await db
          .selectFrom('ticket')
          .select('workspace_id as workspaceId')
          .where('workspace_id', 'in', workspaceIds)
          .where('id', '=', id)
          .executeTakeFirst(),
      );
      await requireAccess(db, caller, { ...ticket, id }, 'team');
      await requireIds(db, 'queue', ticket.workspaceId, [query.queueId], 'queueId');
      return ticketReadersIn(db, { ...ticket, id }, query.queueId);
    },

    async updateTicket(call, tx) {
      const { caller, params, query, body, now } = call;
      if (viewerOf(caller)) requireNoChatPair(body.data);
      const allowed = isOnly(DECISION, body) ? 'approver' : isOnly(STATUS, body) ? 'requester' : 'team';
      const locked = await lockTicketNamed(tx, caller, params.id, query.workspaceId, allowed);
      if (allowed === 'requester') await requireOwnEnd(tx, caller, locked, body.data.statusId);
      const { includeChild, ...named } = body;
      call.outbox.actorId = body.actorId ?? null;
      const ticket = await shownTicket(tx, caller, await write(tx, call, locked, named), now);
      const inherited = includeChild ? forChildren(body.data) : undefined;
      if (!inherited) return ticket;
      if (ticket.children.length > LIMITS.childrenAtOnce)
        throw unprocessable(
          'includeChild',
          `This ticket has ${ticket.children.length} children; at most ${LIMITS.childrenAtOnce} are changed at once. Change them one by one.`,
        );
      const key = ticketKey(locked);
      // In the order of their ids, like every other write to several tickets.
      for (const { id } of [...ticket.children].sort((a, b) => (a.id < b.id ? -1 : 1))) {
        const child = await lockTicket(tx, { ...key, id });
        await requireAccess(tx, caller, ticketKey(child), 'team');
        await write(tx, call, child, { data: inherited, actorId: body.actorId });
      }
      return shownTicket(tx, caller, await ticketDetail(tx, key, now), now);
    },

    async archiveTicket(call, tx) {
      const { caller, params, query, now } = call;
      const locked = await lockTicketNamed(tx, caller, params.id, query.workspaceId, 'team');
      if (locked.archived_at !== null)
        return shownTicket(tx, caller, await ticketDetail(tx, ticketKey(locked), now), now);
      const archived = await write(tx, call, locked, { data: { archivedAt: now.toISOString() } });
      return shownTicket(tx, caller, archived, now);
    },

    async putChatThread({ caller, params, query, body, now }, tx) {
      const key = ticketKey(await lockTicketNamed(tx, caller, params.id, query.workspaceId, 'team'));
      await writeThread(tx, key, body, { newId: tools.newId, now, path: 'messageTs' });
      return shownTicket(tx, caller, await ticketDetail(tx, key, now), now);
    },

    async claimTicket({ caller, params, query, body, now }, tx) {
      const locked = await lockTicketNamed(tx, caller, params.id, query.workspaceId, 'team');
      await claimTicket(tx, locked, body.userId, now);
      return shownTicket(tx, caller, await ticketDetail(tx, ticketKey(locked), now), now);
    },

    async rateTicket({ caller, params, query, body, now, outbox }, tx) {
      const locked = await lockTicketNamed(tx, caller, params.id, query.workspaceId, 'participant');
      await requireAsked(tx, caller, locked);
      const key = ticketKey(locked);
      const before = await ticketDetail(tx, key, now);
      const isChanged = await rateTicket(tx, locked, body, { newId: tools.newId, now });
      const after = isChanged ? await ticketDetail(tx, key, now) : before;
      if (isChanged) addTicketEvent(outbox, caller, key.workspaceId, before, after);
      return shownTicket(tx, caller, after, now);
    },
  };
}

/** Milliseconds that all counts of a request may take together: they hold a connection. */
const COUNTING_MS = 10_000;

/** Throws 503 instead of the error of a count for which there was no time left. */
function tooSlow(error: unknown): never {
  if (!isOutOfTime(error)) throw error;
  throw new ServiceProblem(
    'SERVICE_UNAVAILABLE',
    'Counting these lists takes too long. Count fewer at once, or search for fewer words.',
  );
}

/** Fields of an update that approves or declines a ticket. */
const DECISION: readonly string[] = ['approvedAt', 'declinedAt'];
/** The field of an update that closes or reopens a ticket. */
const STATUS: readonly string[] = ['statusId'];

/** Returns whether an update writes nothing but these fields: people outside the team may write some. */
function isOnly(
  allowed: readonly string[],
  { data, includeChild }: Update & { includeChild?: boolean | null | undefined },
): boolean {
  const fields = Object.entries(data).filter(([, value]) => value !== undefined);
  return !includeChild && fields.length > 0 && fields.every(([field]) => allowed.includes(field));
}

/** Returns what a ticket's children inherit; undefined if a write names nothing of the kind. */
function forChildren({ statusId, archivedAt, closedAt, resolvedAt }: TicketData): TicketData | undefined {
  const named = Object.entries({ statusId, archivedAt, closedAt, resolvedAt }).filter(
    ([, value]) => value !== undefined,
  );
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
