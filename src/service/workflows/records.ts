import { sql } from 'kysely';

import type { Workflow } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

const author = sql<Workflow['author']>`(
  select json_build_object('id', p.id, 'firstName', p.first_name, 'lastName', p.last_name, 'email', p.email, 'image', p.image)
  from person p where p.workspace_id = w.workspace_id and p.id = w.author_id)`;

/** Workflows by id, in the order of `ids`. */
export async function workflowRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<Workflow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('workflow as w')
    .selectAll('w')
    .select(author.as('author'))
    .where('w.workspace_id', 'in', workspaceIds)
    .where('w.id', 'in', ids)
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      name: row.name,
      description: row.description,
      isTemplate: row.is_template,
      connections: row.connections,
      collectionId: row.collection_id,
      steps: row.steps,
      author: row.author,
      state: row.state,
      reference: row.reference,
      version: row.version,
      draft: row.draft,
      stateReason: row.state_reason,
      queueIds: row.queue_ids,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
