import { sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { booleanKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found, ServiceProblem } from '../problem.ts';
import { lockChosen, lockVisible, requireIds, requireWorkspace } from '../references.ts';
import { knowledgeBaseRecords } from './records.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('k.created_at'),
    updatedAt: timeKey('k.updated_at'),
    name: textKey('k.name'),
    global: booleanKey('k.global'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'k.id',
} as const;

type Names = 'listKnowledgeBases' | 'saveKnowledgeBase' | 'deleteKnowledgeBase';

/** Knowledge bases (docs/api.md, Configuration records). */
export function knowledgeBaseHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listKnowledgeBases({ caller, query }, db) {
      let rows = db
        .selectFrom('knowledge_base as k')
        .where(isOneOf('k.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('k.id', ids));
      if (typeof query.global === 'boolean') rows = rows.where('k.global', '=', query.global);
      if (query.search) rows = rows.where(contains(['k.name'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        knowledgeBaseRecords(db, caller.workspaceIds, shown),
      );
    },

    async saveKnowledgeBase({ caller, body, now }, tx) {
      const there = body.id ? await lockChosen(tx, caller, 'knowledge_base', body.id) : undefined;
      const workspaceId = there ?? requireWorkspace(caller, body.workspaceId);
      const id = body.id ?? newId(ID_PREFIXES.knowledgeBase);
      const columns = {
        name: body.name.trim(),
        ...(typeof body.global === 'boolean' && { global: body.global }),
        updated_at: now,
      };
      await requireFreeName(tx, workspaceId, columns.name, id);
      if (there === undefined)
        await tx
          .insertInto('knowledge_base')
          .values({ workspace_id: workspaceId, id, created_at: now, ...columns })
          .execute();
      else
        await tx
          .updateTable('knowledge_base')
          .set(columns)
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .execute();
      if (body.queueIds !== undefined) await writeQueues(tx, workspaceId, id, body.queueIds ?? []);
      return found((await knowledgeBaseRecords(tx, [workspaceId], [id]))[0]);
    },

    async deleteKnowledgeBase({ caller, params: { id } }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'knowledge_base', id, 'delete');
      const record = found((await knowledgeBaseRecords(tx, [workspaceId], [id]))[0]);
      if (record.system) throw new ServiceProblem('FORBIDDEN', 'A system knowledge base cannot be removed.');
      await tx
        .deleteFrom('knowledge_base')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return record;
    },
  };
}

/** Returns a clear error if the name is used; the unique index enforces it against races. */
async function requireFreeName(tx: ServiceTx, workspaceId: string, name: string, own: string): Promise<void> {
  const taken = await tx
    .selectFrom('knowledge_base')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`lower(name)`, '=', sql<string>`lower(${name})`)
    .where('id', '<>', own)
    .executeTakeFirst();
  if (taken) throw conflict(`There is a knowledge base "${name}" already.`);
}

async function writeQueues(
  tx: ServiceTx,
  workspaceId: string,
  id: string,
  queueIds: readonly string[],
): Promise<void> {
  const queues = [...new Set(queueIds)];
  await requireIds(tx, 'queue', workspaceId, queues, 'queueIds');
  await tx
    .deleteFrom('queue_knowledge_base')
    .where('workspace_id', '=', workspaceId)
    .where('knowledge_base_id', '=', id)
    .execute();
  if (queues.length > 0)
    await tx
      .insertInto('queue_knowledge_base')
      .values(queues.map((queue) => ({ workspace_id: workspaceId, queue_id: queue, knowledge_base_id: id })))
      .execute();
}
