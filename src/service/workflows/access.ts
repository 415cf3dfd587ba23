import { type RawBuilder, sql } from 'kysely';

import type { Caller, ServiceDb } from '../handler.ts';
import type { TicketKey } from '../tickets/find.ts';

/** The caller of what a run writes: a program with the role of an agent, in the queues that it was given. */
export function workflowCaller(
  workspaceId: string,
  { id, queueIds }: { id: string; queueIds: readonly string[] | null },
): Caller {
  return {
    keyId: null,
    role: 'agent',
    source: 'WORKFLOW',
    workspaceId,
    workspaceIds: [workspaceId],
    queueIds,
    personId: null,
    workflowId: id,
  };
}

/**
 * Returns whether a workflow reads and writes a ticket: those of its queues; without any named, what everyone in the
 * workspace may read, so neither private tickets nor those of queues that only their team reads.
 */
export async function mayHandle(
  db: ServiceDb,
  queueIds: readonly string[] | null,
  { workspaceId, id }: TicketKey,
): Promise<boolean> {
  const { rows } = await sql`
    select from ticket t join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    where t.workspace_id = ${workspaceId} and t.id = ${id} and ${isHandled(queueIds)}`.execute(db);
  return rows.length > 0;
}

/** The same as a condition on a ticket `t` and its queue `q`. */
export function isHandled(queueIds: readonly string[] | null): RawBuilder<boolean> {
  return queueIds === null
    ? sql`(not t.private and q.visibility <> 'team')`
    : sql`t.queue_id = any(${[...queueIds]}::text[])`;
}
