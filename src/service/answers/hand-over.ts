import { tellUnassigned } from '../absences/away.ts';
import type { ServiceTx } from '../handler.ts';
import { ownCaller } from '../own-caller.ts';
import { lockTicket, type TicketKey } from '../tickets/find.ts';
import { writeTicket } from '../ticket-operations/handlers.ts';
import { nextAssignee } from '../tickets/numbers.ts';
import { openStatus } from '../tickets/statuses.ts';
import { postMessage, type WriteContext } from './post-message.ts';

/**
 * Hands a ticket over to the team: AI agents no longer answer it (`disableAIResponse`), an internal note says what was
 * tried, and if it is unassigned, the queue's next assignee gets it. A ticket that was handed over before stays
 * unchanged.
 * @param reopen reopens it if it is Done or Closed.
 */
export async function handOver(
  tx: ServiceTx,
  writing: WriteContext,
  key: TicketKey,
  { agentId, note, reopen = false }: { agentId: string; note: string; reopen?: boolean },
): Promise<void> {
  const caller = ownCaller(key.workspaceId, 'SYSTEM');
  const ticket = await lockTicket(tx, key);
  const reopens = reopen && (ticket.resolved_at !== null || ticket.closed_at !== null);
  if (ticket.disable_ai_response && !reopens) return;
  if (!ticket.disable_ai_response)
    await postMessage(tx, writing, caller, key.id, agentId, { content: note, private: true });
  const statusId = reopens ? await openStatus(tx, key.workspaceId) : undefined;
  // Locks the queue, so it comes last.
  const turn =
    ticket.assignee_id === null
      ? await nextAssignee(tx, key.workspaceId, ticket.queue_id, writing.now)
      : { assigneeId: ticket.assignee_id, areAllAway: false };
  await writeTicket(tx, { ...writing, caller }, key, {
    data: {
      disableAIResponse: true,
      assigneeId: turn.assigneeId,
      ...(statusId !== undefined && { statusId }),
    },
  });
  if (turn.areAllAway)
    await tellUnassigned(
      tx,
      { workspaceId: key.workspaceId, queueId: ticket.queue_id, ticketId: key.id },
      { newId: writing.tools.newId, now: writing.now },
    );
}
