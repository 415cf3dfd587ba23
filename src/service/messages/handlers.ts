import { ID_PREFIXES, type MessageEvent, type TicketMessage } from '../../contract/index.ts';
import { handleFeedback } from '../answers/feedback.ts';
import { answerJob } from '../answers/jobs.ts';
import type { Call, Handlers, ServiceTx, Tools } from '../handler.ts';
import { inSlices } from '../lists/in-slices.ts';
import { page } from '../lists/page.ts';
import { conflict, found } from '../problem.ts';
import { requireIds } from '../references.ts';
import { endClaim } from '../tickets/claim.ts';
import { tellTicket } from '../tickets/events.ts';
import { keyOf, nextStamp, ticketNamed } from '../tickets/find.ts';
import { ticketDetail } from '../tickets/handlers.ts';
import { writeChatCopy } from './chat-copy.ts';
import { createMessage } from './create.ts';
import { MESSAGE_ORDER, messagesMatching } from './list.ts';
import { type LockedMessage, lockMessage } from './lock.ts';
import { messageRecord, messageRecords } from './records.ts';
import { stamping } from './stamp.ts';
import { tellMessage } from './tell.ts';

type Names =
  | 'createTicketMessage'
  | 'listTicketMessages'
  | 'readTicketMessage'
  | 'updateTicketMessage'
  | 'deleteTicketMessage'
  | 'addChatMessage'
  | 'addReaction'
  | 'removeReaction';
type Writing = Pick<Call<'deleteTicketMessage'>, 'caller' | 'now' | 'outbox'>;

export function messageHandlers(tools: Tools): Pick<Handlers, Names> {
  return {
    async createTicketMessage({ caller, body, now, outbox }, tx) {
      const { ticket, message, created } = await createMessage(tx, { tools, caller, now, outbox }, body);
      if (!created) return { record: message, created: false };
      const { stamp, asksAgents, responds } = created;
      const key = keyOf(ticket);
      const asked = !message.private && message.authorId !== null && message.authorId === ticket.requester_id;
      // The reply ends the claim.
      if (!message.private && message.authorId !== null && message.authorId === ticket.claim_person_id)
        await endClaim(tx, key);
      if (asked && asksAgents)
        outbox.enqueue(answerJob({ workspaceId: key.workspaceId, ticketId: key.id, messageId: message.id }));
      if (responds) {
        const before = await ticketDetail(tx, key, now);
        await tx
          .updateTable('ticket')
          .set({ responded_at: stamp, updated_at: stamp })
          .where('workspace_id', '=', key.workspaceId)
          .where('id', '=', key.id)
          .execute();
        tellTicket(outbox, caller, key.workspaceId, before, await ticketDetail(tx, key, now));
      }
      return { record: message, created: true };
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
      return rewrite(tx, call, locked, 'deleted', { content: '', status: 'DELETED', deleted: true });
    },

    async addChatMessage({ caller, params, body, now }, tx) {
      // A link to chat is internal to the bridge: no event and no new `updatedAt`, or clients that follow changes would
      // loop.
      const { message } = await lockMessage(tx, caller, params.id);
      const { workspace_id: workspaceId, id: messageId } = message;
      await writeChatCopy(tx, { workspaceId, messageId }, body, { newId: tools.newId, now });
      return messageRecord(tx, workspaceId, messageId);
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

/** Updates a message at the ticket's next instant, with its event. */
async function rewrite(
  tx: ServiceTx,
  { caller, now, outbox }: Writing,
  { ticket, message }: LockedMessage,
  action: MessageEvent['action'],
  {
    deleted,
    ...columns
  }: { content?: string; private?: boolean; status?: 'EDITED' | 'DELETED'; deleted?: true },
): Promise<TicketMessage> {
  const stamp = nextStamp(ticket, now);
  const { prefix } = await tx
    .with('stamped', (db) => stamping(db, ticket, stamp))
    .with('message', (db) =>
      db
        .updateTable('ticket_message')
        .set({ ...columns, ...(deleted && { deleted_at: stamp }), updated_at: stamp })
        .where('workspace_id', '=', message.workspace_id)
        .where('id', '=', message.id),
    )
    .selectFrom('stamped')
    .select('prefix')
    .executeTakeFirstOrThrow();
  const record = await messageRecord(tx, message.workspace_id, message.id);
  tellMessage(outbox, { caller, ticket, prefix, message: record, action });
  return record;
}
