import type { ServiceTx } from '../handler.ts';
import { ownCaller } from '../own-caller.ts';
import type { Tables } from '../schema/tables.ts';
import { writeTicket } from '../ticket-operations/handlers.ts';
import { compose } from './compose.ts';
import { handOver } from './hand-over.ts';
import { type Question, questionId } from '../agents/questions.ts';
import type { PromptContext, GeneratedAnswer } from './provider.ts';
import { postMessage, type WriteContext } from './post-message.ts';
import { type QuestionContext, readQuestionContext } from './question-context.ts';
import { classifyTicket } from './classify.ts';

/** The outcome of a question outside the transaction. */
export type Result =
  /** No AI agent was to answer. */
  | { kind: 'not-asked' }
  | { kind: 'given'; asked: PromptContext; given: GeneratedAnswer }
  /** No knowledge answers it. */
  | { kind: 'unknown' }
  /** The model is unavailable, or rejects our requests. */
  | { kind: 'failed'; reason: string };

/** The outcomes of a question. */
export const OUTCOMES = [
  'answered',
  'silent',
  'handed-over',
  'no-answer',
] as const satisfies readonly Tables['ai_answer']['outcome'][];

interface Outcome {
  outcome: (typeof OUTCOMES)[number];
  reason: string;
  agentId: string | null;
}

/**
 * Stores the outcome of a question, in a transaction that holds the ticket's lock: the answer or the handover, and the
 * row that records it. Returns undefined and writes nothing if it was already settled.
 */
export async function recordOutcome(
  tx: ServiceTx,
  writing: WriteContext,
  question: Question,
  result: Result,
): Promise<Outcome | undefined> {
  const considered = await readQuestionContext(tx, question, writing.now);
  if (!considered) return undefined;
  const { ticket, agent } = considered;
  const key = { workspaceId: ticket.workspace_id, id: ticket.id };
  const row = { workspace_id: key.workspaceId, ticket_id: key.id, question_id: questionId(question) };
  const claimed = await tx
    .insertInto('ai_answer')
    .values({ ...row, outcome: 'silent', reason: '', created_at: writing.now })
    .onConflict((existing) => existing.doNothing())
    .returning('question_id')
    .executeTakeFirst();
  if (!claimed) return undefined;
  await classify(tx, writing, question, considered);
  const { messageId, ...settled } = await write(tx, writing, considered, result);
  const agentId = agent?.id ?? null;
  await tx
    .updateTable('ai_answer')
    .set({ ...settled, ai_agent_id: agentId, ticket_message_id: messageId ?? null })
    .where('workspace_id', '=', row.workspace_id)
    .where('ticket_id', '=', row.ticket_id)
    .where('question_id', '=', row.question_id)
    .execute();
  return { ...settled, agentId };
}

/** Sets the request type and tags of a new ticket, even if no AI agent answers it. */
async function classify(
  tx: ServiceTx,
  writing: WriteContext,
  { messageId }: Question,
  { ticket, agent, settings, opening }: QuestionContext,
): Promise<void> {
  if (messageId !== null || !agent || !settings.aiEnabled || ticket.disable_ai_response) return;
  const data = await classifyTicket(tx, { ticket, agent, settings, text: opening });
  if (Object.keys(data).length === 0) return;
  const caller = ownCaller(ticket.workspace_id, 'AGENT');
  await writeTicket(
    tx,
    { ...writing, caller },
    { workspaceId: ticket.workspace_id, id: ticket.id },
    { data, actorId: agent.id },
  );
}

async function write(
  tx: ServiceTx,
  writing: WriteContext,
  { ticket, agent, decision }: QuestionContext,
  result: Result,
): Promise<Omit<Outcome, 'agentId'> & { messageId?: string }> {
  const { workspace_id: workspaceId, id } = ticket;
  if (!agent || !decision.answers || result.kind === 'not-asked')
    return { outcome: 'silent', reason: decision.answers ? 'not asked' : decision.why };
  if (result.kind === 'given') {
    const caller = ownCaller(workspaceId, 'AGENT');
    const content = compose(result.asked, result.given);
    const messageId = await postMessage(tx, writing, caller, id, agent.id, { content, private: false });
    if (ticket.assigned_ai_agent !== agent.id)
      await writeTicket(
        tx,
        { ...writing, caller },
        { workspaceId, id },
        { data: { assignedAIAgent: agent.id }, actorId: agent.id },
      );
    return { outcome: 'answered', reason: decision.why, messageId };
  }
  const failed = result.kind === 'failed';
  const reason = failed ? result.reason : 'nothing known answers it';
  if (!failed && !agent.autoEscalate) return { outcome: 'no-answer', reason };
  const note = failed
    ? `${agent.name} couldn’t answer (${result.reason}) and has stopped. Over to the team.`
    : `${agent.name} found no answer and has stopped. Over to the team.`;
  await handOver(tx, writing, { workspaceId, id }, { agentId: agent.id, note });
  return { outcome: 'handed-over', reason };
}
