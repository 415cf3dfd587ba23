import { ID_PREFIXES } from '../../contract/index.ts';
import { again } from '../../platform/database/open.ts';
import { requireNoChatPair } from '../access/identity.ts';
import { requireReadable } from '../access/ticket-access.ts';
import { viewerOf } from '../access/viewer.ts';
import { handleFeedback } from '../answers/feedback.ts';
import { writeWithEvents } from '../delivery/store.ts';
import { attachToNew } from '../files/attach.ts';
import type { Call, Handlers, ServiceTx, Tools } from '../handler.ts';
import { inSlices } from '../lists/in-slices.ts';
import { page } from '../lists/page.ts';
import { conflict, found } from '../problem.ts';
import { requireIds } from '../references.ts';
import { tellTicket } from '../tickets/events.ts';
import { lockTicketNamed, ticketNamed } from '../tickets/find.ts';
import { ticketDetail } from '../tickets/records.ts';
import { writeChatCopy } from './chat-copy.ts';
import { createMessage, type Stored } from './create.ts';
import { MESSAGE_ORDER, messagesMatching } from './list.ts';
import { lockMessage } from './lock.ts';
import { messageRecord, messageRecords } from './records.ts';
import { rewrite } from './rewrite.ts';

type Names =
  | 'createTicketMessage'
  | 'listTicketMessages'
  | 'readTicketMessage'
  | 'updateTicketMessage'
  | 'deleteTicketMessage'
  | 'addChatMessage'
  | 'addReaction'
  | 'removeReaction';

export function messageHandlers(tools: Tools): Pick<Handlers, Names> {
  return {
    async createTicketMessage(call, db) {
      const { caller, body, now } = call;
      const context = { tools, caller, now };
      // Whether a signed-in person may write is checked with the ticket locked; files are attached in the same
      // transaction.
      const isAlone = !viewerOf(caller) && !body.fileIds?.length;
      const alone = !isAlone ? undefined : await again(() => createMessage(db, context, body));
      const { message, created, ticket } =
        alone ??
        (await writeWithEvents(db, { newId: tools.newId, now, caller }, (tx, outbox) =>
          respond(tx, { ...call, outbox }, tools),
        ));
      return { record: message, created, ticket };
    },

    async listTicketMessages({ caller, query }, db) {
      const ticket = query.ticketId
        ? await ticketNamed(db, caller, query.ticketId, query.workspaceId)
        : undefined;
      const named = { ...query, ...(ticket && { ticketId: ticket.id }) };
      const { ids, ...rest } = await page(messagesMatching(db, caller, named), MESSAGE_ORDER, query);
      return {
        items: await inSlices(ids, (slice) => messageRecords(db, caller.workspaceIds, slice)),
        ...rest,
      };
    },

    async readTicketMessage({ caller, params }, db) {
      await requireReadable(db, caller, params.id);
      return found((await messageRecords(db, caller.workspaceIds, [params.id]))[0]);
    },

    async updateTicketMessage(call, tx) {
      const { caller, params, body } = call;
      const locked = await lockMessage(tx, caller, params.id);
      const { message } = locked;
      if (message.deleted_at !== null) throw conflict('This message was deleted.');
      const edited = typeof body.content === 'string' && body.content !== message.content;
      const moved = typeof body.private === 'boolean' && body.private !== message.private;
      if (!edited && !moved) return messageRecord(tx, message.workspace_id, message.id);
      return rewrite(tx, call, locked, 'updated', {
        ...(edited && { content: body.content ?? '' }),
        ...(moved && { private: body.private ?? false }),
        status: 'EDITED',
      });
    },

    async deleteTicketMessage(call, tx) {
      const locked = await lockMessage(tx, call.caller, call.params.id);
      const { message } = locked;
      if (message.deleted_at !== null) return messageRecord(tx, message.workspace_id, message.id);
      await tx
        .deleteFrom('file')
        .where('workspace_id', '=', message.workspace_id)
        .where('ticket_message_id', '=', message.id)
        .execute();
      return rewrite(tx, call, locked, 'deleted', { content: '', status: 'DELETED', deleted: true });
    },

    async addChatMessage({ caller, params, body, now }, db) {
      // A link to chat is internal to the bridge: no event and no new `updatedAt`, or clients that follow changes would
      // loop.
      const message = { workspaceIds: caller.workspaceIds, messageId: params.id };
      const workspaceId = await writeChatCopy(db, message, body, { newId: tools.newId, now });
      return messageRecord(db, workspaceId, params.id);
    },

    async addReaction(call, tx) {
      const { caller, params, body } = call;
      const locked = await lockMessage(tx, caller, params.id);
      const { workspace_id, id } = locked.message;
      if (locked.message.deleted_at !== null) throw conflict('This message was deleted.');
      await requireIds(tx, 'person', workspace_id, [body.authorId], 'authorId');
      const added = await tx
        .insertInto('reaction')
        .values({
          workspace_id,
          id: tools.newId(ID_PREFIXES.reaction),
          ticket_message_id: id,
          emoji: body.emoji,
          author_id: body.authorId,
        })
        .onConflict((existing) => existing.doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!added) return messageRecord(tx, workspace_id, id);
      const message = await rewrite(tx, call, locked, 'updated', {});
      await handleFeedback(tx, { tools, now: call.now, outbox: call.outbox }, locked, body);
      return message;
    },

    async removeReaction(call, tx) {
      const { caller, params, body } = call;
      const locked = await lockMessage(tx, caller, params.id);
      const { workspace_id, id } = locked.message;
      const removed = await tx
        .deleteFrom('reaction')
        .where('workspace_id', '=', workspace_id)
        .where('ticket_message_id', '=', id)
        .where('emoji', '=', body.emoji)
        .where('author_id', '=', body.authorId)
        .returning('id')
        .executeTakeFirst();
      return removed ? rewrite(tx, call, locked, 'updated', {}) : messageRecord(tx, workspace_id, id);
    },
  };
}

/** Adds a message that may be the first reply or end a snooze, which changes the ticket too. */
async function respond(
  tx: ServiceTx,
  { caller, body, now, outbox }: Call<'createTicketMessage'>,
  tools: Tools,
): Promise<Stored> {
  if (viewerOf(caller)) {
    requireNoChatPair(body);
    const { ticketId, workspaceId } = body;
    const allowed = body.private ? 'team' : 'participant';
    let locked = await lockTicketNamed(tx, caller, ticketId, workspaceId, allowed);
    // The message is stored on the ticket that this one was merged into: the person needs access there too.
    while (locked.merged_into_id !== null)
      locked = await lockTicketNamed(tx, caller, locked.merged_into_id, locked.workspace_id, allowed);
  }
  const stored = await createMessage(tx, { tools, caller, now }, body, outbox);
  const { ticket: key, message, respondedAt, wokenAt } = stored;
  const place = { workspaceId: key.workspaceId, ticketId: key.id, messageId: message.id, record: message };
  if (stored.created) await attachToNew(tx, caller, place, body.fileIds, { now, outbox });
  const changedAt = respondedAt ?? wokenAt;
  if (changedAt === null) return stored;
  const before = await ticketDetail(tx, key, now);
  await tx
    .updateTable('ticket')
    .set({
      ...(respondedAt && { responded_at: respondedAt, first_reply_due_at: null }),
      ...(wokenAt && { snooze_until: null }),
      updated_at: changedAt,
      updated_by: stored.message.authorId,
    })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.id)
    .execute();
  tellTicket(outbox, caller, key.workspaceId, before, await ticketDetail(tx, key, now));
  return stored;
}
