import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS } from '../../contract/index.ts';
import { Outdated } from '../../platform/database/open.ts';
import { requireAccess } from '../access/ticket-access.ts';
import { isVisibleTo, readsNotes, viewerOf } from '../access/viewer.ts';
import { actorOf, writeAudit } from '../audit/write.ts';
import { fileRecords } from '../file-records/records.ts';
import type { Caller, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { lockTicketFor } from '../messages/create.ts';
import { requireAuthorOrAdmin } from '../messages/words-of-others.ts';
import { found, ServiceProblem, unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import { ticketKey, lockTicket, type TicketKey, ticketNamed } from '../tickets/find.ts';
import { scheduledReplyRecord, scheduledReplyRecords, type StoredReply } from './records.ts';

const ORDER = {
  keys: {
    sendAt: timeKey('r.send_at'),
    createdAt: timeKey('r.created_at'),
    ticketId: textKey('r.ticket_id'),
    authorId: textKey('r.author_id'),
  },
  sortBy: 'sendAt',
  sortDirection: 'asc',
  id: 'r.id',
} as const;

type Names =
  'listScheduledReplies' | 'createScheduledReply' | 'updateScheduledReply' | 'deleteScheduledReply';

/** Replies that are sent later; until then they are no messages. */
export function scheduledReplyHandlers({ newId }: Pick<Tools, 'newId'>): Pick<Handlers, Names> {
  return {
    async listScheduledReplies({ caller, query }, db) {
      let rows = visibleReplies(db, caller).where(
        isOneOf('r.workspace_id', listedWorkspaces(caller, query.workspaceId)),
      );
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('r.id', ids));
      if (query.ticketId) {
        const ticket = await ticketNamed(db, caller, query.ticketId, query.workspaceId);
        if (ticket) await caller.noteOpened?.(db, [ticket.id]);
        rows = rows.where('r.ticket_id', '=', ticket?.id ?? '');
      }
      if (query.authorId) rows = rows.where('r.author_id', '=', query.authorId);
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        scheduledReplyRecords(db, caller.workspaceIds, shown),
      );
    },

    async createScheduledReply({ caller, body, now }, tx) {
      const { ticket } = await lockTicketFor(tx, caller, { ...body, private: false });
      const { session, personId } = caller;
      if (!session || personId === null)
        throw new ServiceProblem('FORBIDDEN', 'Only signed-in people schedule replies, as themselves.');
      const key = ticketKey(ticket);
      if (body.statusId) {
        await requireAccess(tx, caller, key, 'team');
        await requireIds(tx, 'status', key.workspaceId, [body.statusId], 'statusId');
      }
      const fileIds = [...new Set(body.fileIds)];
      await requireOwnFiles(tx, key, { personId, fileIds });
      const { workspaceId, id: ticketId } = key;
      await requireRoomForOne(
        tx,
        { table: 'scheduled_reply', workspaceId, column: 'ticket_id', id: ticketId, except: sql`false` },
        {
          most: LIMITS.ofTicket.scheduledReplies,
          path: 'ticketId',
          says: 'scheduled replies on a ticket. Delete one of them first',
        },
      );
      const id = newId(ID_PREFIXES.scheduledReply);
      await tx
        .insertInto('scheduled_reply')
        .values({
          workspace_id: workspaceId,
          id,
          ticket_id: ticketId,
          author_id: personId,
          content: body.content,
          file_ids: fileIds,
          send_at: requestedTime(body, now) ?? now,
          status_id: body.statusId ?? null,
          known_at: ticket.stamped_at > now ? ticket.stamped_at : now,
          created_at: now,
          updated_at: now,
        })
        .execute();
      return scheduledReplyRecord(tx, workspaceId, id);
    },

    async updateScheduledReply({ caller, params, body, now }, tx) {
      const { reply, ticket } = await lockReply(tx, caller, params.id);
      if (caller.session && reply.author_id !== caller.personId)
        throw new ServiceProblem('FORBIDDEN', 'Only its author may change this.');
      await requireAccess(tx, caller, ticketKey(ticket), 'participant');
      const sendAt = requestedTime(body, now);
      await tx
        .updateTable('scheduled_reply')
        .set({
          ...(typeof body.content === 'string' && { content: body.content }),
          ...(sendAt && { send_at: sendAt, held_because: null, held_detail: null }),
          known_at: ticket.stamped_at > now ? ticket.stamped_at : now,
          updated_at: now,
        })
        .where('workspace_id', '=', reply.workspace_id)
        .where('id', '=', reply.id)
        .execute();
      return scheduledReplyRecord(tx, reply.workspace_id, reply.id);
    },

    async deleteScheduledReply({ caller, params, now }, tx) {
      const { reply } = await lockReply(tx, caller, params.id);
      requireAuthorOrAdmin(caller, reply.author_id);
      const record = await scheduledReplyRecord(tx, reply.workspace_id, reply.id);
      // People take back their own all the time.
      if (!caller.session || reply.author_id !== caller.personId)
        await writeAudit(
          tx,
          { newId, now },
          {
            workspaceId: reply.workspace_id,
            action: 'message.deleted',
            actor: actorOf(caller),
            subjectId: reply.id,
            reason: 'Deleted another person’s scheduled reply.',
            detail: { ticketId: reply.ticket_id, authorId: reply.author_id },
          },
        );
      await tx
        .deleteFrom('scheduled_reply')
        .where('workspace_id', '=', reply.workspace_id)
        .where('id', '=', reply.id)
        .execute();
      return record;
    },
  };
}

/** The scheduled replies `r` that a caller sees: their own, and those on tickets whose internal notes they read. */
function visibleReplies(db: ServiceDb, caller: Caller) {
  const rows = db
    .selectFrom('scheduled_reply as r')
    .innerJoin('ticket as t', (join) =>
      join.onRef('t.workspace_id', '=', 'r.workspace_id').onRef('t.id', '=', 'r.ticket_id'),
    );
  const viewer = viewerOf(caller);
  if (!viewer) return rows;
  return rows.where(
    sql<boolean>`(${isVisibleTo(viewer)}
      and (r.author_id = ${caller.personId} or ${readsNotes(viewer) ?? sql`false`}))`,
  );
}

/** Locks a scheduled reply that a caller sees, and before it its ticket, as every write does. 404 once it was sent. */
async function lockReply(tx: ServiceTx, caller: Caller, id: string) {
  const { workspace_id: workspaceId, ticket_id: ticketId } = found(
    await visibleReplies(tx, caller)
      .select(['r.workspace_id', 'r.ticket_id'])
      .where('r.workspace_id', 'in', caller.workspaceIds)
      .where('r.id', '=', id)
      .executeTakeFirst(),
  );
  const ticket = await lockTicket(tx, { workspaceId, id: ticketId });
  await caller.noteOpened?.(tx, [ticketId]);
  const reply: StoredReply = found(
    await tx
      .selectFrom('scheduled_reply')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst(),
  );
  if (reply.ticket_id !== ticketId) throw new Outdated('a scheduled reply went to another ticket meanwhile');
  return { reply, ticket };
}

/** The time that a request says; undefined if it says none. */
function requestedTime(
  { sendAt, delaySeconds }: { sendAt?: string | null | undefined; delaySeconds?: number | null | undefined },
  now: Date,
): Date | undefined {
  if (sendAt) return new Date(sendAt);
  return typeof delaySeconds === 'number' ? new Date(now.getTime() + delaySeconds * 1_000) : undefined;
}

/** Throws 422 for a file that the person could not attach to a message on the ticket. */
async function requireOwnFiles(
  tx: ServiceTx,
  ticket: TicketKey,
  { personId, fileIds }: { personId: string; fileIds: readonly string[] },
): Promise<void> {
  const own = (await fileRecords(tx, [ticket.workspaceId], fileIds)).filter(
    ({ attachedAt, ticketId, authorId }) =>
      attachedAt === null && (ticketId === null || ticketId === ticket.id) && authorId === personId,
  );
  const missing = fileIds.find((id) => !own.some((file) => file.id === id));
  if (missing !== undefined)
    throw unprocessable('fileIds', `"${missing}" is no uploaded file of yours that can be attached here`);
}
