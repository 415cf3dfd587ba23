import { emojiKey } from '../../platform/text/emoji.ts';
import { agentRecords } from '../agents/records.ts';
import type { ServiceTx } from '../handler.ts';
import type { LockedMessage } from '../messages/lock.ts';
import { queueRecords } from '../queues/records.ts';
import { handOver } from './hand-over.ts';
import type { WriteContext } from './post-message.ts';

const NEGATIVE = emojiKey('-1');

/** Returns whether a reaction says that an answer did not help: 👎 by any of its names, in any skin tone. */
export function isNegative(emoji: string): boolean {
  return emojiKey(emoji) === NEGATIVE;
}

/** The effects of a 👎 on an AI agent's answer, by the settings of AI agent and queue. */
export interface NegativeFeedbackEffects {
  /** Hands the ticket over to the team: `autoEscalate`, or `negativeFeedbackAutoCreate`. */
  handsOver: boolean;
  /** Reopens the ticket if it was Done or Closed: `negativeFeedbackAutoCreate`. */
  reopens: boolean;
}

export function negativeFeedbackEffects(
  agent: { autoEscalate: boolean; negativeFeedbackAutoCreate: boolean },
  queue: { negativeFeedbackAutoCreate: boolean },
): NegativeFeedbackEffects {
  const reopens = agent.negativeFeedbackAutoCreate || queue.negativeFeedbackAutoCreate;
  return { handsOver: reopens || agent.autoEscalate, reopens };
}

/**
 * Handles a 👎 on an AI agent's answer, in the transaction that stores it: so it counts whether it comes from a button,
 * an emoji or another program. A 👎 of any user hands the ticket over; only the requester's reopens it.
 */
export async function handleFeedback(
  tx: ServiceTx,
  writing: WriteContext,
  { ticket, message }: LockedMessage,
  { emoji, authorId }: { emoji: string; authorId: string },
): Promise<void> {
  if (message.source !== 'AGENT' || message.private || !isNegative(emoji)) return;
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
  const { handsOver, reopens } = negativeFeedbackEffects(agent, queue.settings);
  if (!handsOver) return;
  await handOver(
    tx,
    writing,
    { workspaceId, id },
    {
      agentId: agent.id,
      note: `${agent.name}’s answer didn’t help (👎), and ${agent.name} has stopped. Over to the team.`,
      reopen: reopens && authorId === ticket.requester_id,
    },
  );
}
