import { ID_PREFIXES } from '../../contract/index.ts';
import type { Handlers, Tools } from '../handler.ts';
import { contains, idsOf, isOneOf, visibleWorkspaces } from '../lists/filters.ts';
import { booleanKey, page, textKey, timeKey } from '../lists/page.ts';
import { found } from '../problem.ts';
import { requireIds, requireWorkspace } from '../references.ts';
import { chatChannelRecords, workspaceRecords } from './records.ts';

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
} as const;

type Names = 'listWorkspaces' | 'readWorkspace' | 'linkChatChannel' | 'unlinkChatChannel';

export function workspaceHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listWorkspaces({ caller, query }, db) {
      let rows = db
        .selectFrom('workspace as w')
        .where(isOneOf('w.id', visibleWorkspaces(caller, query.workspaceId)))
        .where('w.deleted_at', 'is', null);
      const ids = idsOf(query.set);
      if (ids) rows = rows.where(isOneOf('w.id', ids));
      if (query.search) rows = rows.where(contains(['w.name', 'w.slug'], query.search));
      const { ids: shown, ...rest } = await page(rows, ORDER, query);
      return { items: await workspaceRecords(db, shown), ...rest };
    },

    async readWorkspace({ caller, params }, db) {
      const visible = caller.workspaceIds.filter((id) => id === params.id);
      return found((await workspaceRecords(db, visible))[0]);
    },

    async linkChatChannel({ caller, body, now }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      if (body.queueId) await requireIds(tx, 'queue', workspaceId, [body.queueId], 'queueId');
      const changes = {
        channel_name: body.channelName ?? null,
        type: body.type ?? 'REQUEST',
        private: body.private ?? false,
        queue_id: body.queueId ?? null,
        context_team_id: body.teamId ?? null,
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
