import type { ChatRequest } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/** Chat requests by id, in the order of `ids`. */
export async function chatRequestRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<ChatRequest[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('chat_request as c')
    .innerJoin('workflow_run as r', (join) =>
      join.onRef('r.workspace_id', '=', 'c.workspace_id').onRef('r.id', '=', 'c.run_id'),
    )
    .innerJoin('workflow as w', (join) =>
      join.onRef('w.workspace_id', '=', 'r.workspace_id').onRef('w.id', '=', 'r.workflow_id'),
    )
    .selectAll('c')
    .select(['r.ticket_id', 'w.name'])
    .where('c.workspace_id', 'in', workspaceIds)
    .where('c.id', 'in', ids)
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      ticketId: row.ticket_id,
      kind: row.kind,
      chatChannelId: row.channel_id,
      userId: row.user_id,
      workflowName: row.name,
      reactsTo: row.reacts_to,
      content: row.content,
      state: row.state,
      messageTs: row.message_ts,
      error: row.error,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    })),
  );
}
