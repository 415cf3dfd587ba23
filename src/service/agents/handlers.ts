import type { Updateable } from 'kysely';

import { ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { Handlers, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { booleanKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found, malformed } from '../problem.ts';
import { lockChosen, requireIds, requireWorkspace } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { writeLinks } from './links.ts';
import { agentBytes, agentRecords } from './records.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('a.created_at'),
    updatedAt: timeKey('a.updated_at'),
    name: textKey('a.name'),
    enabled: booleanKey('a.enabled'),
    personalityId: textKey('a.personality_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'a.id',
  bytes: agentBytes,
} as const;

type Names = 'saveAgent' | 'listAgents' | 'readAgent' | 'deleteAgent';

/**
 * AI agents (specification, Endpoints, Agents; docs/api.md, Configuration records). Their answers are in `answers/`.
 */
export function agentHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async saveAgent({ caller, body, now }, tx) {
      const existingIn = body.id ? await lockChosen(tx, caller, 'ai_agent', body.id) : undefined;
      const workspaceId = existingIn ?? requireWorkspace(caller, body.workspaceId);
      const id = body.id ?? newId(ID_PREFIXES.agent);
      if (body.personalityId)
        await requireIds(tx, 'personality', workspaceId, [body.personalityId], 'personalityId');
      const columns = columnsOf(body);
      if (existingIn === undefined) {
        const name = body.name?.trim();
        if (!name) throw malformed([{ path: 'name', message: 'A new AI agent needs a name' }]);
        await tx
          .insertInto('ai_agent')
          .values({ ...columns, name, workspace_id: workspaceId, id, created_at: now, updated_at: now })
          .execute();
      } else
        await tx
          .updateTable('ai_agent')
          // Saving a removed AI agent restores it.
          .set({ ...columns, deleted_at: null, updated_at: now })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .execute();
      await writeLinks(tx, workspaceId, id, body);
      return found((await agentRecords(tx, [workspaceId], [id]))[0]);
    },

    async listAgents({ caller, query }, db) {
      let rows = db
        .selectFrom('ai_agent as a')
        .where(isOneOf('a.workspace_id', listedWorkspaces(caller, query.workspaceId)))
        .where('a.deleted_at', 'is', null);
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('a.id', ids));
      if (typeof query.enabled === 'boolean') rows = rows.where('a.enabled', '=', query.enabled);
      if (query.search) rows = rows.where(contains(['a.name'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        agentRecords(db, caller.workspaceIds, shown),
      );
    },

    async readAgent({ caller, params }, db) {
      const [agent] = await agentRecords(db, caller.workspaceIds, [params.id]);
      return found(agent?.deletedAt === null ? agent : undefined);
    },

    async deleteAgent({ caller, params: { id }, now }, tx) {
      const { workspace_id } = found(
        await tx
          .updateTable('ai_agent')
          .set({ deleted_at: now, updated_at: now })
          .where('workspace_id', 'in', caller.workspaceIds)
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .returning('workspace_id')
          .executeTakeFirst(),
      );
      return found((await agentRecords(tx, [workspace_id], [id]))[0]);
    },
  };
}

/** Returns the columns that a request sets: null clears an optional field and is ignored for a required one. */
function columnsOf(body: ParsedBody<'saveAgent'>): Updateable<Tables['ai_agent']> {
  const switches = {
    enabled: body.enabled,
    respond_on_mention: body.respondOnMention,
    auto_classify: body.autoClassify,
    auto_tag: body.autoTag,
    only_respond_to_requests: body.onlyRespondToRequests,
    negative_feedback_auto_create: body.negativeFeedbackAutoCreate,
    auto_escalate: body.autoEscalate,
    available_in_dm: body.availableInDM,
  };
  return {
    ...Object.fromEntries(Object.entries(switches).filter(([, value]) => typeof value === 'boolean')),
    ...(body.name && { name: body.name.trim() }),
    ...(body.description !== undefined && { description: body.description }),
    ...(body.imageUrl !== undefined && { image_url: body.imageUrl }),
    ...(body.personalityId !== undefined && { personality_id: body.personalityId }),
    ...(body.respondOnMessage && { respond_on_message: body.respondOnMessage }),
    ...(body.tools && { tools: [...new Set(body.tools)] }),
  };
}
