import { sql } from 'kysely';

import type { Caller, ServiceTx } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { isBridge } from './identity.ts';

/**
 * A person `member` is of the team of a queue `q`: an agent or admin whose queues name it, or one to whom it assigns
 * its tickets. "All queues" names none.
 */
export const isMember = sql<boolean>`((member.role <> 'requester' and q.id = any(member.queue_ids)) or member.id = any(q.auto_assignees))`;

/** A person `member` can sign in or answer, and counts in a team. */
const isActive = sql<boolean>`member.deactivated_at is null and member.erased_at is null and not member.is_bot`;

/** Returns the people in the team of a queue, in the order of their ids. */
export async function teamMembers(tx: ServiceTx, workspaceId: string, queueId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select member.id from queue q join person member on member.workspace_id = q.workspace_id
    where q.workspace_id = ${workspaceId} and q.id = ${queueId} and ${isActive} and ${isMember}
    order by member.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Throws 422 unless a queue that is its team's has somebody in it: nobody but admins would read its tickets. */
export async function requireTeam(
  tx: ServiceTx,
  { workspaceId, queueId }: { workspaceId: string; queueId: string },
): Promise<void> {
  const { rows } = await sql`
    select from queue q
    where q.workspace_id = ${workspaceId} and q.id = ${queueId} and exists (
      select from person member where member.workspace_id = q.workspace_id and ${isActive} and ${isMember})`.execute(
    tx,
  );
  if (rows.length === 0)
    throw unprocessable(
      'visibility',
      'Nobody is in the team of this queue. First add it to the queues of an agent, or name somebody in autoAssignees',
    );
}

/**
 * Throws 422 if a person who is not of the team of a queue is to be assigned to one of its tickets, where only the team
 * reads them: the assignment would show the ticket to them.
 * @param inChat queues of whose team the person is in chat; it counts only from the bridge, which knows who is in a
 *   channel.
 */
export async function requireAssignable(
  tx: ServiceTx,
  caller: Caller,
  { workspaceId, queueId }: { workspaceId: string; queueId: string },
  {
    personId,
    path,
    inChat,
  }: { personId: string; path: string; inChat: readonly string[] | null | undefined },
): Promise<void> {
  if (isBridge(caller) && inChat?.includes(queueId)) return;
  const { rows } = await sql<{ queue: string; name: string }>`
    select q.name as queue, coalesce(nullif(concat_ws(' ', member.first_name, member.last_name), ''), member.email, 'This person') as name
    from queue q join person member on member.workspace_id = q.workspace_id and member.id = ${personId}
    where q.workspace_id = ${workspaceId} and q.id = ${queueId} and q.visibility = 'team'
      and (${isMember} and ${isActive}) is not true`.execute(tx);
  const [stranger] = rows;
  if (stranger)
    throw unprocessable(
      path,
      `Only the team of ${stranger.queue} reads its tickets, and ${stranger.name} is not in it. Add the queue to their queues first (Settings, People), or choose somebody of the team`,
    );
}
