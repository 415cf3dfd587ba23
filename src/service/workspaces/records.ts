import { type Selectable, sql } from 'kysely';

import type { ChatChannel, Workspace } from '../../contract/index.ts';
import type { ServiceDb, Tools } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { personalityRecords } from '../personalities/records.ts';
import type { Tables } from '../schema/tables.ts';
import { chatAppJson } from './chat-app.ts';
import { iconPath } from './icon.ts';

/** The AI agent that answers in a channel; the oldest if there are several. */
const agentId = sql<string | null>`(
  select g.id from ai_agent_chat_channel x join ai_agent g on g.workspace_id = x.workspace_id and g.id = x.ai_agent_id
  where x.workspace_id = c.workspace_id and x.chat_channel_id = c.id and g.deleted_at is null
  order by g.created_at, g.id limit 1)`;

/** Linked chat channels of the workspaces, oldest first; or those of `ids`, including unlinked ones. */
export async function chatChannelRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids?: readonly string[],
): Promise<ChatChannel[]> {
  let query = db
    .selectFrom('chat_channel as c')
    .innerJoin('workspace as w', 'w.id', 'c.workspace_id')
    .leftJoin('queue as q', (join) =>
      join.onRef('q.workspace_id', '=', 'c.workspace_id').onRef('q.id', '=', 'c.queue_id'),
    )
    .leftJoin('chat_app as a', (join) =>
      join.onRef('a.workspace_id', '=', 'c.workspace_id').onRef('a.id', '=', 'c.chat_app_id'),
    )
    .selectAll('c')
    .select([agentId.as('ai_agent_id'), chatAppJson.as('app')])
    .select(['w.name as workspace_name', 'q.name as queue_name', 'q.emoji as queue_emoji'])
    .where('c.workspace_id', 'in', workspaceIds.length ? workspaceIds : [''])
    .orderBy('c.id');
  query = ids ? query.where('c.id', 'in', ids) : query.where('c.deleted_at', 'is', null);
  const rows = await query.execute();
  return rows.map((row) => ({
    workspace: { id: row.workspace_id, name: row.workspace_name },
    id: row.id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    private: row.private,
    deletedAt: isoOrNull(row.deleted_at),
    type: row.type as ChatChannel['type'],
    teamThread: row.type === 'TRIAGE' ? row.team_thread : null,
    channelId: row.channel_id,
    channelName: row.channel_name,
    mirrorTs: null,
    appId: row.chat_app_id,
    workspaceId: row.workspace_id,
    queue:
      row.queue_id === null
        ? null
        : {
            id: row.queue_id,
            name: row.queue_name ?? '',
            emoji: row.queue_emoji,
            workspaceId: row.workspace_id,
          },
    queueId: row.queue_id,
    agentId: row.ai_agent_id,
    chatUserId: null,
    userId: null,
    ticketId: null,
    contextTeamId: row.context_team_id,
    app: row.app,
  }));
}

/** Workspaces by id, in the order of `ids`. */
export async function workspaceRecords(
  db: ServiceDb,
  ids: readonly string[],
  { publicUrl }: Pick<Tools, 'publicUrl'>,
): Promise<Workspace[]> {
  const rows = await db
    .selectFrom('workspace as w')
    .leftJoin('workspace_icon as i', 'i.workspace_id', 'w.id')
    .selectAll('w')
    .select('i.hash as icon_hash')
    .where('w.id', 'in', ids.length ? ids : [''])
    .execute();
  const channels = await chatChannelRecords(db, ids);
  const active = rows.flatMap((row) => row.active_personality_id ?? []);
  const personalities = await personalityRecords(db, ids, active);
  return inOrder(
    ids,
    rows.map((row) =>
      toWorkspace(row, {
        chatTriageChannels: channels.filter((channel) => channel.workspaceId === row.id),
        activePersonality: personalities.find(({ id }) => id === row.active_personality_id) ?? null,
        iconUrl: row.icon_hash === null ? null : `${publicUrl}/api${iconPath(row.id, row.icon_hash)}`,
      }),
    ),
  );
}

interface Around extends Pick<Workspace, 'chatTriageChannels' | 'activePersonality'> {
  iconUrl: string | null;
}

function toWorkspace(row: Selectable<Tables['workspace']>, around: Around): Workspace {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    organizationId: row.organization_id,
    creatorId: row.creator_id,
    private: row.private,
    chatBotIconUrl: around.iconUrl ?? row.chat_bot_icon_url,
    chatBotUsername: row.chat_bot_username,
    chatEmojiActions: row.chat_emoji_actions,
    brandIcon: row.brand_icon,
    brandColor: row.brand_color,
    defaultQueueId: row.default_queue_id,
    chatTriageChannels: around.chatTriageChannels,
    activePersonality: around.activePersonality,
    settings: {
      id: row.settings_id,
      ticketAssigneeScope: row.ticket_assignee_scope,
      disableChatUserSync: row.disable_chat_user_sync,
      visibleInChat: row.visible_in_chat,
      showInChatAssistant: row.show_in_chat_assistant,
      mcpRead: row.mcp_read,
      mcpWrite: row.mcp_write,
      mcpSend: row.mcp_send,
    },
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    deletedAt: isoOrNull(row.deleted_at),
  };
}
