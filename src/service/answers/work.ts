import { Counter } from 'prom-client';

import type { Clock } from '../../platform/clock.ts';
import { RetryLater } from '../../platform/engine/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { storeEvents } from '../delivery/store.ts';
import type { ServiceDb, Tools } from '../handler.ts';
import { Outbox } from '../outbox.ts';
import type { Meaning } from '../search/find.ts';
import { indexWritten } from '../search/index/indexing.ts';
import { ProviderError } from '../search/providers/provider.ts';
import { lockTicket } from '../tickets/find.ts';
import { promptContextFor } from './prompt-context.ts';
import type { Done, ServiceEngine, Work } from '../work.ts';
import { ANSWER, type Question, questionId } from '../agents/questions.ts';
import type { AnswerProvider } from './provider.ts';
import { OUTCOMES, type Result, recordOutcome } from './record-outcome.ts';
import { readQuestionContext } from './question-context.ts';

/** How long an unavailable model is retried before the team is notified that nothing was answered. */
const ANSWER_WITHIN_MS = 10 * 60 * 1000;
/** A longer wait would exceed the time above. */
const LONGEST_WAIT_MS = 2 * 60 * 1000;

export interface AnswerWork {
  engine: ServiceEngine;
  db: ServiceDb;
  tools: Tools;
  provider: AnswerProvider;
  log: Log;
  clock: Clock;
  metrics: Metrics;
  /** How a search finds by meaning at this moment. */
  meaning: () => Meaning | undefined;
  /** Milliseconds; default ten minutes. */
  answerWithinMs?: number | undefined;
}

/**
 * Registers the handler of AI agents' answers. The provider is called outside any transaction. The answer is written
 * together with a row for its question, after everything was checked again under the ticket's lock: an AI agent does
 * not interrupt an agent who took over meanwhile, and a question is answered once, even if processes are killed
 * (docs/agents.md).
 */
export function workAnswers(options: AnswerWork): void {
  const { engine, db, tools, provider, log, clock, metrics, meaning } = options;
  const { answerWithinMs = ANSWER_WITHIN_MS } = options;
  const settled = new Counter({
    name: 'agent_answers_total',
    help: 'Questions that automated agents were asked, by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of OUTCOMES) settled.inc({ outcome }, 0);

  /** Returns the provider's answer; throws RetryLater if it is temporarily unavailable. */
  async function resultOf({ body: question, signal, addedAt }: Work<Question>): Promise<Result> {
    const considered = await readQuestionContext(db, question, clock.now());
    if (!considered?.agent || !considered.decision.answers) return { kind: 'not-asked' };
    const asked = await promptContextFor(
      db,
      { ...considered, agent: considered.agent },
      { publicUrl: tools.publicUrl, meaning: meaning() },
    );
    if (asked.passages.length === 0) return { kind: 'unknown' };
    try {
      const given = await provider.answer(asked, signal);
      return given ? { kind: 'given', asked, given } : { kind: 'unknown' };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderError)) throw error;
      const isLate = clock.now().getTime() - addedAt.getTime() >= answerWithinMs;
      if (error.kind !== 'unavailable' || isLate) return { kind: 'failed', reason: error.message };
      throw new RetryLater(error.message, {
        cause: error,
        ...(error.afterMs !== undefined && { afterMs: Math.min(error.afterMs, LONGEST_WAIT_MS) }),
      });
    }
  }

  async function workQuestion(work: Work<Question>): Promise<Done> {
    const { body: question, attempt } = work;
    const { workspaceId, ticketId: id } = question;
    // 1. A question is answered once.
    const done = await db
      .selectFrom('ai_answer')
      .select('outcome')
      .where('workspace_id', '=', workspaceId)
      .where('ticket_id', '=', id)
      .where('question_id', '=', questionId(question))
      .executeTakeFirst();
    if (done) return { outcome: 'answered before' };

    // 2. Ask, outside any transaction.
    const result = await resultOf(work);

    // 3. Write what came of it, once everything was checked again.
    let recorded: Awaited<ReturnType<typeof recordOutcome>>;
    return {
      outcome: result.kind,
      write: async (tx) => {
        const outbox = new Outbox();
        outbox.chain = question.chain ?? [];
        await lockTicket(tx, { workspaceId, id });
        const now = clock.now();
        recorded = await recordOutcome(tx, { tools, now, outbox }, question, result);
        await indexWritten(tx);
        await storeEvents(tx, { newId: tools.newId, now }, outbox);
      },
      afterwards: async () => {
        if (!recorded) return;
        settled.inc({ outcome: recorded.outcome });
        log.info(
          {
            event: 'answer.settled',
            ticketId: id,
            questionId: questionId(question),
            agentId: recorded.agentId,
            outcome: recorded.outcome,
            reason: recorded.reason,
            provider: provider.name,
            attempt,
          },
          'a question to the automated agents was settled',
        );
      },
    };
  }

  engine.handle(ANSWER, { work: workQuestion });
}
