import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS } from '../../contract/index.ts';
import type { Handlers, Tools } from '../handler.ts';
import { accessibleWorkspaces, contains, idsInSet, isOneOf } from '../lists/filters.ts';
import { booleanKey, jsonBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found } from '../problem.ts';
import { requireIds, requireWorkspace } from '../references.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import { createWorkspace } from '../schema/workspace.ts';
import { insertTemplates } from '../workflow-config/insert-templates.ts';
import { chatAppOf } from './chat-app.ts';
import { writeIcon } from './icon.ts';
import { chatChannelRecords, workspaceRecords } from './records.ts';
import { requireFreeSlug, workspaceColumns } from './write.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('w.created_at'),
    updatedAt: timeKey('w.updated_at'),
    name: textKey('w.name'),
    slug: textKey('w.slug'),
    private: booleanKey('w.private'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'w.id',
  bytes: jsonBytesOf('w.chat_emoji_actions'),
} as const;

type Names =
  | 'listWorkspaces'
  | 'readWorkspace'
  | 'createWorkspace'
  | 'updateWorkspace'
  | 'linkChatChannel'
  | 'unlinkChatChannel';

/** Workspaces (docs/api.md, Configuration records) and the chat channels linked in them. */
export function workspaceHandlers(tools: Tools): Pick<Handlers, Names> {
  const { newId } = tools;
  return {
    async listWorkspaces({ caller, query }, db) {
      let rows = db
        .selectFrom('workspace as w')
        .where(isOneOf('w.id', accessibleWorkspaces(caller, query.workspaceId)))
        .where('w.deleted_at', 'is', null);
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('w.id', ids));
      if (query.search) rows = rows.where(contains(['w.name', 'w.slug'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        workspaceRecords(db, shown, tools),
      );
    },

    async readWorkspace({ caller, params }, db) {
      const visible = caller.workspaceIds.filter((id) => id === params.id);
      return found((await workspaceRecords(db, visible, tools))[0]);
    },

    async createWorkspace({ caller, body, now }, tx) {
      await requireFreeSlug(tx, body.slug);
      const { organization_id } = await tx
        .selectFrom('workspace')
        .select('organization_id')
        .where('id', '=', caller.workspaceId)
        .executeTakeFirstOrThrow();
      const id = await createWorkspace(tx, tools, now, { name: body.name.trim(), slug: body.slug });
      await insertTemplates(tx, tools, now, id);
      await tx
        .updateTable('workspace')
        .set({ organization_id, creator_id: caller.personId, ...(await workspaceColumns(tx, id, body)) })
        .where('id', '=', id)
        .execute();
      await writeIcon(tx, id, body.chatBotIcon, now);
      await tx
        .updateTable('api_key')
        .set({ further_workspace_ids: sql`array_append(further_workspace_ids, ${id})` })
        .where('workspace_id', '=', caller.workspaceId)
        .where('id', '=', caller.keyId)
        .execute();
      return found((await workspaceRecords(tx, [id], tools))[0]);
    },

    async updateWorkspace({ caller, params: { id }, body, now }, tx) {
      found(
        await tx
          .selectFrom('workspace')
          .select('id')
          .where('id', 'in', caller.workspaceIds)
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .forNoKeyUpdate()
          .executeTakeFirst(),
      );
      if (body.slug) await requireFreeSlug(tx, body.slug, id);
      await tx
        .updateTable('workspace')
        .set({ ...(await workspaceColumns(tx, id, body)), updated_at: now })
        .where('id', '=', id)
        .execute();
      await writeIcon(tx, id, body.chatBotIcon, now);
      return found((await workspaceRecords(tx, [id], tools))[0]);
    },

    async linkChatChannel({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      if (body.queueId) {
        await requireIds(tx, 'queue', workspaceId, [body.queueId], 'queueId');
        await requireRoomForOne(
          tx,
          {
            table: 'chat_channel',
            workspaceId,
            column: 'queue_id',
            id: body.queueId,
            except: sql`(deleted_at is not null or channel_id = ${body.channelId})`,
          },
          {
            most: LIMITS.ofQueue.channels,
            path: 'queueId',
            says: 'channels of a queue. Unlink one of them first, or choose another queue',
          },
        );
      }
      const appId = await chatAppOf(tx, { newId, now, workspaceId }, body);
      const changes = {
        channel_name: body.channelName ?? null,
        type: body.type ?? 'REQUEST',
        private: body.private ?? false,
        queue_id: body.queueId ?? null,
        context_team_id: body.teamId ?? null,
        ...(appId !== undefined && { chat_app_id: appId }),
        ...(body.teamThread && { team_thread: body.teamThread }),
        updated_at: now,
      };
      const { id } = await tx
        .insertInto('chat_channel')
        .values({
          workspace_id: workspaceId,
          id: newId(ID_PREFIXES.chatChannel),
          channel_id: body.channelId,
          created_at: now,
          ...changes,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['workspace_id', 'channel_id'])
            .where('deleted_at', 'is', null)
            .doUpdateSet(changes),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      return found((await chatChannelRecords(tx, [workspaceId], [id]))[0]);
    },

    async unlinkChatChannel({ caller, params, now }, tx) {
      const { workspace_id } = found(
        await tx
          .updateTable('chat_channel')
          .set({ deleted_at: now, updated_at: now })
          .where('workspace_id', 'in', caller.workspaceIds)
          .where('id', '=', params.id)
          .where('deleted_at', 'is', null)
          .returning('workspace_id')
          .executeTakeFirst(),
      );
      return found((await chatChannelRecords(tx, [workspace_id], [params.id]))[0]);
    },
  };
}
