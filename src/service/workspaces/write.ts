import type { Updateable } from 'kysely';

import type { ParsedBody } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';
import { conflict } from '../problem.ts';
import { requireIds } from '../references.ts';
import type { Tables } from '../schema/tables.ts';

type Body = Partial<ParsedBody<'updateWorkspace'>>;

/** Returns the columns that a request sets; null clears optional ones and is ignored for others. */
export async function workspaceColumns(
  tx: ServiceTx,
  id: string,
  body: Body,
): Promise<Updateable<Tables['workspace']>> {
  const { settings = null } = body;
  if (body.defaultQueueId) await requireIds(tx, 'queue', id, [body.defaultQueueId], 'defaultQueueId');
  if (body.activePersonalityId)
    await requireIds(tx, 'personality', id, [body.activePersonalityId], 'activePersonalityId');
  const emojiActions = body.chatEmojiActions && JSON.stringify(body.chatEmojiActions);
  return {
    ...(body.name && { name: body.name.trim() }),
    ...(body.slug && { slug: body.slug }),
    ...(body.brandIcon !== undefined && { brand_icon: body.brandIcon }),
    ...(body.brandColor !== undefined && { brand_color: body.brandColor }),
    ...(typeof body.private === 'boolean' && { private: body.private }),
    ...(body.defaultQueueId !== undefined && { default_queue_id: body.defaultQueueId }),
    ...(body.chatBotUsername !== undefined && { chat_bot_username: body.chatBotUsername }),
    ...(emojiActions !== undefined && { chat_emoji_actions: emojiActions }),
    ...(body.activePersonalityId !== undefined && { active_personality_id: body.activePersonalityId }),
    ...(settings?.ticketAssigneeScope !== undefined && {
      ticket_assignee_scope: settings.ticketAssigneeScope,
    }),
    ...(typeof settings?.disableChatUserSync === 'boolean' && {
      disable_chat_user_sync: settings.disableChatUserSync,
    }),
    ...(typeof settings?.visibleInChat === 'boolean' && { visible_in_chat: settings.visibleInChat }),
    ...(typeof settings?.showInChatAssistant === 'boolean' && {
      show_in_chat_assistant: settings.showInChatAssistant,
    }),
    ...(typeof settings?.mcpRead === 'boolean' && { mcp_read: settings.mcpRead }),
    ...(typeof settings?.mcpWrite === 'boolean' && { mcp_write: settings.mcpWrite }),
    ...(typeof settings?.mcpSend === 'boolean' && { mcp_send: settings.mcpSend }),
  };
}

/** Returns a clear error if the slug is used; the constraint enforces it against races. */
export async function requireFreeSlug(tx: ServiceTx, slug: string, own = ''): Promise<void> {
  const taken = await tx
    .selectFrom('workspace')
    .select('id')
    .where('slug', '=', slug)
    .where('id', '<>', own)
    .executeTakeFirst();
  if (taken) throw conflict(`The slug ${slug} is taken.`);
}
