import { agentRecords } from '../agents/records.ts';
import type { ServiceTx } from '../handler.ts';
import type { LockedMessage } from '../messages/lock.ts';
import { queueRecords } from '../queues/records.ts';
import { handOver } from './hand-over.ts';
import type { Writing } from './say.ts';

/** 👎 as chat and others name it. */
const NO_HELP: readonly string[] = ['-1', 'thumbsdown', '👎'];

/** What a 👎 on an agent's answer does, by the switches of agent and queue. */
export interface AfterNoHelp {
  /** A person takes over: `autoEscalate`, or `negativeFeedbackAutoCreate`. */
  handsOver: boolean;
  /** The ticket opens again when it was Done or Closed: `negativeFeedbackAutoCreate`. */
  reopens: boolean;
}

export function afterNoHelp(
  agent: { autoEscalate: boolean; negativeFeedbackAutoCreate: boolean },
  queue: { negativeFeedbackAutoCreate: boolean },
): AfterNoHelp {
  const reopens = agent.negativeFeedbackAutoCreate || queue.negativeFeedbackAutoCreate;
  return { handsOver: reopens || agent.autoEscalate, reopens };
}

/**
 * Heeds a 👎 on the answer of an agent, in the transaction that stores it: so it counts wherever it is given, by a
 * button, by an emoji or by another program. Anybody's brings a person; only the requester's opens the ticket again.
 */
export async function heedFeedback(
  tx: ServiceTx,
  writing: Writing,
  { ticket, message }: LockedMessage,
  { emoji, authorId }: { emoji: string; authorId: string },
): Promise<void> {
  if (message.source !== 'AGENT' || message.private || !NO_HELP.includes(emoji)) return;
  const { workspace_id: workspaceId, id } = ticket;
  const answer = await tx
    .selectFrom('ai_answer')
    .select('ai_agent_id')
    .where('workspace_id', '=', workspaceId)
    .where('ticket_message_id', '=', message.id)
    .executeTakeFirst();
  const agentId = answer?.ai_agent_id ?? ticket.assigned_ai_agent;
  const [agent] = agentId === null ? [] : await agentRecords(tx, [workspaceId], [agentId]);
  const [queue] = await queueRecords(tx, [workspaceId], [ticket.queue_id]);
  if (!agent || !queue?.settings) return;
  const { handsOver, reopens } = afterNoHelp(agent, queue.settings);
  if (!handsOver) return;
  await handOver(
    tx,
    writing,
    { workspaceId, id },
    {
      note: `${agent.name}, an automated agent, answered, and the answer did not help (👎). Agents write nothing more here; over to you.`,
      reopen: reopens && authorId === ticket.requester_id,
    },
  );
}
