import { requireNoChatPair } from '../access/identity.ts';
import { requireReadable } from '../access/ticket-access.ts';
import { viewerOf } from '../access/viewer.ts';
import type { Handlers, Tools } from '../handler.ts';
import { selectPage } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found } from '../problem.ts';
import { ticketKey, ticketNamed } from '../tickets/find.ts';
import { groupOf } from '../tickets/statuses.ts';
import { writeChatCopy } from './chat-copy.ts';
import { MESSAGE_ORDER, messagesMatching } from './list.ts';
import { lockMessage } from './lock.ts';
import { postMessage } from './post.ts';
import { messageRecord, messageRecords } from './records.ts';
import { rewriteMessage } from './rewrite.ts';
import { shownMessages } from './shown.ts';
import { recordChangeByOther, requireAuthorOrAdmin } from './words-of-others.ts';

type Names =
  | 'createTicketMessage'
  | 'listTicketMessages'
  | 'readTicketMessage'
  | 'updateTicketMessage'
  | 'deleteTicketMessage'
  | 'addChatMessage';

export function messageHandlers(tools: Tools): Pick<Handlers, Names> {
  return {
    async createTicketMessage(call, tx) {
      const { caller, body, now, outbox } = call;
      if (viewerOf(caller)) requireNoChatPair(body);
      const stored = await postMessage(tx, { tools, caller, now, outbox }, body);
      const { message: record, created, ticket } = stored;
      const { status_id: statusId } = stored.effects;
      const opened = statusId && (await groupOf(tx, ticket.workspaceId, statusId)).label;
      return { record, created, ticket: { ...ticket, ...(opened && { statusGroup: opened }) } };
    },

    async listTicketMessages({ caller, query }, db) {
      const ticket = query.ticketId
        ? await ticketNamed(db, caller, query.ticketId, query.workspaceId)
        : undefined;
      const named = { ...query, ...(ticket && { ticketId: ticket.id }) };
      if (ticket) await caller.noteOpened?.(db, [ticket.id]);
      return readPage(
        caller,
        await selectPage(messagesMatching(db, caller, named), MESSAGE_ORDER, query),
        async (slice) => shownMessages(caller, await messageRecords(db, caller.workspaceIds, slice)),
      );
    },

    async readTicketMessage({ caller, params }, db) {
      await requireReadable(db, caller, params.id);
      const messages = await messageRecords(db, caller.workspaceIds, [params.id]);
      return found(shownMessages(caller, messages)[0]);
    },

    async updateTicketMessage(call, tx) {
      const { caller, params, body } = call;
      const locked = await lockMessage(tx, caller, params.id);
      const { message } = locked;
      if (message.deleted_at !== null) throw conflict('This message was deleted.');
      const edited = typeof body.content === 'string' && body.content !== message.content;
      const moved = typeof body.private === 'boolean' && body.private !== message.private;
      if (!edited && !moved) return messageRecord(tx, message.workspace_id, message.id);
      requireAuthorOrAdmin(caller, message.author_id);
      const changes = [
        ...(edited ? (['messageEdited'] as const) : []),
        ...(moved ? ([body.private ? 'messageHidden' : 'messageShared'] as const) : []),
      ];
      await recordChangeByOther(
        tx,
        { tools, caller, now: call.now, actorId: body.actorId },
        { ticket: ticketKey(locked.ticket), id: message.id, authorId: message.author_id, changes },
      );
      return rewriteMessage(tx, call, locked, 'updated', {
        ...(edited && { content: body.content ?? '' }),
        ...(moved && { private: body.private ?? false }),
        status: 'EDITED',
      });
    },

    async deleteTicketMessage(call, tx) {
      const locked = await lockMessage(tx, call.caller, call.params.id);
      const { message } = locked;
      if (message.deleted_at !== null) return messageRecord(tx, message.workspace_id, message.id);
      requireAuthorOrAdmin(call.caller, message.author_id);
      await recordChangeByOther(
        tx,
        { tools, caller: call.caller, now: call.now, actorId: call.query.actorId },
        {
          ticket: ticketKey(locked.ticket),
          id: message.id,
          authorId: message.author_id,
          // A deletion in Slack is its author's, as far as Slack says.
          changes: call.caller.source === 'CHAT' && !call.query.actorId ? [] : ['messageDeleted'],
        },
      );
      await tx
        .deleteFrom('file')
        .where('workspace_id', '=', message.workspace_id)
        .where('ticket_message_id', '=', message.id)
        .execute();
      return rewriteMessage(tx, call, locked, 'deleted', { content: '', status: 'DELETED', deleted: true });
    },

    async addChatMessage({ caller, params, body, now }, db) {
      // A link to chat is internal to the bridge: no event and no new `updatedAt`, or clients that follow changes would
      // loop.
      await requireReadable(db, caller, params.id);
      const message = { workspaceIds: caller.workspaceIds, messageId: params.id };
      const workspaceId = await writeChatCopy(db, message, body, { newId: tools.newId, now });
      return messageRecord(db, workspaceId, params.id);
    },
  };
}
