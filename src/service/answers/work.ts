import { Counter } from 'prom-client';

import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/database/open.ts';
import { type Job, type Jobs, RetryLater } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { storeEvents } from '../delivery/store.ts';
import type { Tools } from '../handler.ts';
import { Outbox } from '../outbox.ts';
import type { Tables } from '../schema/tables.ts';
import type { Meaning } from '../search/find.ts';
import { indexWritten } from '../search/index/indexing.ts';
import { ProviderError } from '../search/providers/provider.ts';
import { lockTicket } from '../tickets/find.ts';
import { promptContextFor } from './prompt-context.ts';
import { ANSWERS, type Question, questionId } from './jobs.ts';
import type { AnswerProvider } from './provider.ts';
import { OUTCOMES, type Result, recordOutcome } from './record-outcome.ts';
import { readQuestionContext } from './question-context.ts';

/** Questions handled at the same time by one process: most of it is waiting for a model. */
const QUESTIONS_AT_ONCE = 4;
/** How long an unavailable model is retried before the team is notified that nothing was answered. */
const ANSWER_WITHIN_MS = 10 * 60 * 1000;
/** A longer wait would exceed the time above. */
const LONGEST_WAIT_MS = 2 * 60 * 1000;

export interface AnswerWork {
  jobs: Jobs<Tables>;
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
  const { jobs, tools, provider, log, clock, metrics, meaning, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const { db } = jobs.database;
  const settled = new Counter({
    name: 'agent_answers_total',
    help: 'Questions that automated agents were asked, by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of OUTCOMES) settled.inc({ outcome }, 0);

  /** Returns the provider's answer; throws RetryLater if it is temporarily unavailable. */
  async function resultOf(job: Job<Question>): Promise<Result> {
    const considered = await readQuestionContext(db, job.payload, clock.now());
    if (!considered?.agent || !considered.decision.answers) return { kind: 'not-asked' };
    const asked = await promptContextFor(
      db,
      { ...considered, agent: considered.agent },
      { publicUrl: tools.publicUrl, meaning: meaning() },
    );
    if (asked.passages.length === 0) return { kind: 'unknown' };
    try {
      const given = await provider.answer(asked, job.signal);
      return given ? { kind: 'given', asked, given } : { kind: 'unknown' };
    } catch (error) {
      job.signal.throwIfAborted();
      if (!(error instanceof ProviderError)) throw error;
      const isLate = clock.now().getTime() - job.enqueuedAt.getTime() >= answerWithinMs;
      if (error.kind !== 'unavailable' || isLate) return { kind: 'failed', reason: error.message };
      throw new RetryLater(error.message, {
        cause: error,
        ...(error.afterMs !== undefined && { afterMs: Math.min(error.afterMs, LONGEST_WAIT_MS) }),
      });
    }
  }

  jobs.work<Question>({
    queue: ANSWERS,
    concurrency: QUESTIONS_AT_ONCE,
    async handle(job) {
      const { workspaceId, ticketId: id } = job.payload;
      const done = await db
        .selectFrom('ai_answer')
        .select('outcome')
        .where('workspace_id', '=', workspaceId)
        .where('ticket_id', '=', id)
        .where('question_id', '=', questionId(job.payload))
        .executeTakeFirst();
      if (done) return;
      const result = await resultOf(job);
      const outcome = await transaction(db, async (tx) => {
        const outbox = new Outbox();
        await lockTicket(tx, { workspaceId, id });
        const now = clock.now();
        const written = await recordOutcome(tx, { tools, now, outbox }, job.payload, result);
        await job.complete(tx);
        await indexWritten(tx);
        await storeEvents(tx, { newId: tools.newId, now }, outbox);
        return written;
      });
      if (!outcome) return;
      settled.inc({ outcome: outcome.outcome });
      log.info(
        {
          event: 'answer.settled',
          ticketId: id,
          questionId: questionId(job.payload),
          agentId: outcome.agentId,
          outcome: outcome.outcome,
          reason: outcome.reason,
          provider: provider.name,
          attempt: job.attempt,
        },
        'a question to the automated agents was settled',
      );
    },
  });
}
