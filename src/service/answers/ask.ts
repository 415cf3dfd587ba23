import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { answerJob, type Question } from './jobs.ts';

/** Whether a queue uses AI agents; most do not. */
export const asksAgents = sql<boolean>`coalesce(queue.settings ->> 'aiEnabled' = 'true', false)`;

/**
 * Enqueues a requester's message for the AI agents, in the transaction that stores it. Nothing is enqueued if the queue
 * uses no AI agents, the usual case; whether one answers is decided when the job runs (decide.ts).
 */
export async function askAgents(
  tx: ServiceTx,
  outbox: Outbox,
  question: Question,
  queueId: string,
): Promise<void> {
  const queue = await tx
    .selectFrom('queue')
    .select('id')
    .where('workspace_id', '=', question.workspaceId)
    .where('id', '=', queueId)
    .where(asksAgents)
    .executeTakeFirst();
  if (queue) outbox.enqueue(answerJob(question));
}
