import { type Selectable, sql } from 'kysely';

import { ID_PREFIXES, LIMITS, type ReplyDraft } from '../../contract/index.ts';
import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import { requireAccess } from '../access/ticket-access.ts';
import type { Call, Caller, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { iso } from '../instants.ts';
import { lockTicketFor } from '../messages/create.ts';
import { messageHandlers } from '../messages/handlers.ts';
import { messageRecord } from '../messages/records.ts';
import { conflict, found } from '../problem.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import type { Tables } from '../schema/tables.ts';
import { actingAs, namesOf } from '../tickets/activity.ts';
import { ticketKey, lockTicketNamed, type TicketKey, ticketNamed } from '../tickets/find.ts';

const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

type Row = Selectable<Tables['reply_draft']>;
type Names =
  'listReplyDrafts' | 'createReplyDraft' | 'updateReplyDraft' | 'sendReplyDraft' | 'deleteReplyDraft';

/** Replies that wait for somebody of a ticket's team to send them; the whole team reads and changes them. */
export function replyDraftHandlers(tools: Tools): Pick<Handlers, Names> {
  const { newId } = tools;
  const { createTicketMessage } = messageHandlers(tools);
  return {
    async listReplyDrafts({ caller, params, query }, db) {
      const key = await teamTicket(db, caller, params.id, query.workspaceId);
      const rows = await db
        .selectFrom('reply_draft')
        .selectAll()
        .where('workspace_id', '=', key.workspaceId)
        .where('ticket_id', '=', key.id)
        .where('ticket_message_id', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return { items: await draftRecords(db, caller, rows) };
    },

    async createReplyDraft({ caller, params, query, body, now }, tx) {
      const named = { ticketId: params.id, workspaceId: query.workspaceId, private: true };
      const { ticket } = await lockTicketFor(tx, caller, named);
      const { workspaceId, id: ticketId } = ticketKey(ticket);
      await requireRoomForOne(
        tx,
        {
          table: 'reply_draft',
          workspaceId,
          column: 'ticket_id',
          id: ticketId,
          except: sql`(ticket_message_id is not null)`,
        },
        {
          most: LIMITS.replyDrafts,
          path: 'content',
          says: 'unsent replies on a ticket. Send or delete one of them first',
        },
      );
      const row = await tx
        .insertInto('reply_draft')
        .values({
          workspace_id: workspaceId,
          id: newId(ID_PREFIXES.replyDraft),
          ticket_id: ticketId,
          content: body.content,
          version: 1,
          ...(await authorOf(tx, caller, workspaceId)),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return draftRecord(tx, caller, row);
    },

    async updateReplyDraft({ caller, params, body, now }, tx) {
      const draft = await lockDraft(tx, caller, params.id);
      requireUnsent(draft);
      requireVersion(draft, body.version);
      if (body.content === draft.content) return draftRecord(tx, caller, draft);
      const row = await writeDraft(tx, draft, {
        content: body.content,
        version: draft.version + 1,
        ...(await authorOf(tx, caller, draft.workspace_id)),
        updated_at: now,
      });
      return draftRecord(tx, caller, row);
    },

    async sendReplyDraft(call, tx) {
      const { caller, params, body, now } = call;
      const draft = await lockDraft(tx, caller, params.id);
      requireVersion(draft, body.version);
      if (draft.ticket_message_id !== null)
        return messageRecord(tx, draft.workspace_id, draft.ticket_message_id);
      const message: Call<'createTicketMessage'>['body'] = {
        ticketId: draft.ticket_id,
        workspaceId: draft.workspace_id,
        content: draft.content,
        private: false,
      };
      const sent = await createTicketMessage(
        { ...call, params: undefined, query: undefined, body: message },
        tx,
      );
      await writeDraft(tx, draft, { content: '', ticket_message_id: sent.record.id, updated_at: now });
      return sent.record;
    },

    async deleteReplyDraft({ caller, params, query }, tx) {
      const draft = await lockDraft(tx, caller, params.id);
      requireUnsent(draft);
      requireVersion(draft, query.version ?? draft.version);
      await tx
        .deleteFrom('reply_draft')
        .where('workspace_id', '=', draft.workspace_id)
        .where('id', '=', draft.id)
        .execute();
      return draftRecord(tx, caller, draft);
    },
  };
}

/** Returns the ticket that a caller names; 404 unless they see it, 403 unless they are of its team. */
async function teamTicket(
  db: ServiceDb,
  caller: Caller,
  idOrReference: string,
  inWorkspace: string | null | undefined,
): Promise<TicketKey> {
  const { workspaceIds, id } = found(await ticketNamed(db, caller, idOrReference, inWorkspace));
  const key = found(
    await db
      .selectFrom('ticket')
      .select(['workspace_id as workspaceId', 'id'])
      .where('workspace_id', 'in', workspaceIds)
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  await requireAccess(db, caller, key, 'team');
  return key;
}

/** Locks the ticket of a draft, as every write to a ticket does, then returns the draft. */
async function lockDraft(tx: ServiceTx, caller: Caller, id: string): Promise<Row> {
  const named = tx
    .selectFrom('reply_draft')
    .selectAll()
    .where('workspace_id', 'in', caller.workspaceIds)
    .where('id', '=', id);
  for (;;) {
    const { ticket_id, workspace_id } = found(await named.executeTakeFirst());
    await lockTicketNamed(tx, caller, ticket_id, workspace_id, 'team');
    const draft = found(await named.executeTakeFirst());
    // A merge may have taken it to another ticket between the two statements.
    if (draft.ticket_id === ticket_id) return draft;
  }
}

/** Takes the unsent replies of locked tickets along to another one. */
export async function moveReplyDrafts(
  tx: ServiceTx,
  workspaceId: string,
  from: readonly string[],
  to: string,
): Promise<void> {
  await tx
    .updateTable('reply_draft')
    .set({ ticket_id: to })
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', 'in', from)
    .where('ticket_message_id', 'is', null)
    .execute();
}

function requireUnsent({ ticket_message_id }: Row): void {
  if (ticket_message_id !== null) throw conflict('This reply was sent.');
}

function requireVersion(draft: Row, version: number): void {
  if (draft.version !== version)
    throw conflict(
      `This draft is at version ${draft.version}, not ${version}. Read it again before you change, send or delete it.`,
    );
}

async function authorOf(tx: ServiceTx, caller: Caller, workspaceId: string) {
  const { kind, id } = await actingAs(tx, caller, workspaceId, undefined);
  return { author_kind: kind, author_id: id };
}

function writeDraft(
  tx: ServiceTx,
  { workspace_id, id }: Row,
  changes: Partial<Omit<Row, 'workspace_id' | 'id'>>,
): Promise<Row> {
  return tx
    .updateTable('reply_draft')
    .set(changes)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function draftRecord(db: ServiceDb, caller: Caller, row: Row): Promise<ReplyDraft> {
  return found((await draftRecords(db, caller, [row]))[0]);
}

/** All of one workspace. */
async function draftRecords(db: ServiceDb, caller: Caller, rows: readonly Row[]): Promise<ReplyDraft[]> {
  const [first] = rows;
  if (!first) return [];
  const authors = rows.map(({ author_kind: kind, author_id: id }) => ({ kind, id }));
  const names = await namesOf(db, caller, first.workspace_id, authors, []);
  return rows.map((row) => ({
    id: row.id,
    ticketId: row.ticket_id,
    content: row.content,
    version: row.version,
    author: names.actor({ kind: row.author_kind, id: row.author_id }),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }));
}

/** Deletes drafts that were not changed for 30 days. */
export async function pruneReplyDrafts(db: ServiceDb, now: Date, signal?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
  await deleteInBatches(db, 'reply_draft', sql`updated_at < ${before}`, signal);
}
