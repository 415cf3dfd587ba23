import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS } from '../../contract/index.ts';
import { handleFeedback } from '../answers/feedback.ts';
import type { Handlers, Tools } from '../handler.ts';
import { lockMessage } from '../messages/lock.ts';
import { messageRecord } from '../messages/records.ts';
import { rewriteMessage } from '../messages/rewrite.ts';
import { conflict } from '../problem.ts';
import { requireIds } from '../references.ts';
import { requireRoomForOne } from '../room-for-one.ts';

/** Reactions to messages. A 👎 on the answer of an AI agent is feedback to it, too. */
export function reactionHandlers(tools: Tools): Pick<Handlers, 'addReaction' | 'removeReaction'> {
  return {
    async addReaction(call, tx) {
      const { caller, params, body } = call;
      const locked = await lockMessage(tx, caller, params.id);
      const { workspace_id, id } = locked.message;
      if (locked.message.deleted_at !== null) throw conflict('This message was deleted.');
      await requireIds(tx, 'person', workspace_id, [body.authorId], 'authorId');
      const isSame = sql<boolean>`(emoji = ${body.emoji} and author_id = ${body.authorId})`;
      await requireRoomForOne(
        tx,
        { table: 'reaction', workspaceId: workspace_id, column: 'ticket_message_id', id, except: isSame },
        {
          most: LIMITS.ofMessage.reactions,
          path: 'emoji',
          says: 'reactions to a message. Remove one of them first',
        },
      );
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
      const message = await rewriteMessage(tx, call, locked, 'updated', {});
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
      return removed ? rewriteMessage(tx, call, locked, 'updated', {}) : messageRecord(tx, workspace_id, id);
    },
  };
}
