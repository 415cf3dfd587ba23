import { sql } from 'kysely';

import type { ParsedBody } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';
import { type Referable, requireIds } from '../references.ts';

/** An AI agent's relations: the request field, the join table, and the related table. */
const LINKS = [
  {
    field: 'chatChannelIds',
    table: 'ai_agent_chat_channel',
    column: 'chat_channel_id',
    target: 'chat_channel',
  },
  { field: 'queueIds', table: 'ai_agent_queue', column: 'queue_id', target: 'queue' },
  { field: 'kbIds', table: 'ai_agent_knowledge_base', column: 'knowledge_base_id', target: 'knowledge_base' },
  {
    field: 'requestTypeIds',
    table: 'ai_agent_request_type',
    column: 'request_type_id',
    target: 'request_type',
  },
  { field: 'workflowIds', table: 'ai_agent_workflow', column: 'workflow_id', target: 'workflow' },
] as const satisfies readonly {
  field: keyof ParsedBody<'saveAgent'>;
  table: string;
  column: string;
  target: Referable;
}[];

/** Replaces the relations of an AI agent that the request names. */
export async function writeLinks(
  tx: ServiceTx,
  workspaceId: string,
  agentId: string,
  body: ParsedBody<'saveAgent'>,
): Promise<void> {
  for (const { field, table, column, target } of LINKS) {
    const given = body[field];
    if (given === undefined) continue;
    const ids = [...new Set(given)];
    await requireIds(tx, target, workspaceId, ids, field);
    await tx
      .deleteFrom(table)
      .where('workspace_id', '=', workspaceId)
      .where('ai_agent_id', '=', agentId)
      .execute();
    if (ids.length > 0)
      await sql`insert into ${sql.table(table)} (workspace_id, ai_agent_id, ${sql.ref(column)})
        select ${workspaceId}, ${agentId}, unnest(${ids}::text[])`.execute(tx);
  }
}
