import { type RawBuilder, sql } from 'kysely';

import type { Agent, KnowledgeBase } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/**
 * Returns a knowledge base as AI agents and queues show it, as JSON; `alias` names its table in the surrounding query.
 */
export function knowledgeBaseRef(alias: string): RawBuilder<Agent['kBs'][number]> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<Agent['kBs'][number]>`json_build_object(
    'id', ${column('id')}, 'name', ${column('name')}, 'system', ${column('system')},
    'lastSyncTS', (extract(epoch from ${column('last_sync_at')}) * 1000)::bigint, 'global', ${column('global')},
    '_count', json_build_object('kBDocuments', (
      select count(*) from knowledge_base_document kbd
      where kbd.workspace_id = ${column('workspace_id')} and kbd.knowledge_base_id = ${column('id')})))`;
}

const queues = sql<KnowledgeBase['queues']>`(
  select coalesce(json_agg(json_build_object('id', q.id, 'name', q.name) order by q.id), '[]')
  from queue_knowledge_base x join queue q on q.workspace_id = x.workspace_id and q.id = x.queue_id
  where x.workspace_id = k.workspace_id and x.knowledge_base_id = k.id)`;

/** Knowledge bases by id, in the order of `ids`. */
export async function knowledgeBaseRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<KnowledgeBase[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('knowledge_base as k')
    .select(['k.id', 'k.workspace_id', 'k.created_at', 'k.updated_at'])
    .select([knowledgeBaseRef('k').as('ref'), queues.as('queues')])
    .where('k.workspace_id', 'in', workspaceIds)
    .where('k.id', 'in', ids)
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      ...row.ref,
      workspaceId: row.workspace_id,
      queues: row.queues,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
