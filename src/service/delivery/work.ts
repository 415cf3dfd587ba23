import { retryAfterMs } from '../../contract/index.ts';
import { Counter, Histogram } from 'prom-client';

import type { Clock } from '../../platform/clock.ts';
import { again, transaction } from '../../platform/database/open.ts';
import type { Egress, EgressOutcome } from '../../platform/egress.ts';
import { enqueue, type Job, type Jobs, RetryLater } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { inCall } from '../../platform/tracing.ts';
import { writeAudit } from '../audit/write.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { Outbox } from '../outbox.ts';
import type { Tables } from '../schema/tables.ts';
import { dueOf, headersOf, storedDelivery } from './attempt.ts';
import { type AttemptJob, attemptJob, ATTEMPTS, CHAT_ATTEMPTS, RETRIES, retryJob } from './jobs.ts';
import { type Notice, noticeJob, NOTICES, openNotice } from './notice.ts';
import { cancelDelivery, recordAttempt, recordSuccess } from './record.ts';
import { waitAfter } from './schedule.ts';
import { EndpointShares } from './shares.ts';
import { storeEvents } from './store.ts';
import { type AttemptResult, resultOf } from './result.ts';

/** Attempts in flight per process: most of their time is waiting for responses. */
const ATTEMPTS_AT_ONCE = 32;
const CHAT_ATTEMPTS_AT_ONCE = 24;
/** An endpoint that answers later than this counts among those that do not answer. */
const QUICK_MS = 3_000;
/** How long an attempt waits whose endpoint has no free place (`EndpointShares`); spread, so that all get their turn. */
const NO_PLACE_MS = 1_000;
const MOVES_AT_ONCE = 4;

export interface DeliveryOptions {
  jobs: Jobs<Tables>;
  tools: Tools;
  egress: Egress;
  log: Log;
  clock: Clock;
  random: () => number;
  version: string;
  metrics: Metrics;
}

/**
 * Registers the handlers of deliveries: the attempts, outside any transaction, the moving of due retries, and the
 * notices of disabled webhooks.
 */
export function workDeliveries(options: DeliveryOptions): void {
  const { jobs, tools, egress, log, clock, random, version, metrics } = options;
  const { db } = jobs.database;
  const attempts = new Counter({
    name: 'webhook_delivery_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const seconds = new Histogram({
    name: 'webhook_delivery_attempt_seconds',
    help: 'Seconds of one attempt to deliver an event to a webhook.',
    labelNames: ['outcome'],
    buckets: [0.05, 0.25, 1, 5, 15],
    registers: [metrics],
  });

  const shares = { [ATTEMPTS]: new EndpointShares(), [CHAT_ATTEMPTS]: new EndpointShares() };

  async function attempt(job: Job<AttemptJob>): Promise<void> {
    const at = clock.now();
    const stored = await storedDelivery(db, job.payload);
    if (!stored) return;
    const due = dueOf(tools.sealing, job.payload, stored, at);
    if (!due.active) {
      await transaction(db, async (tx) => {
        await cancelDelivery(tx, job.payload, at);
        await job.completeLast(tx);
      });
      return;
    }
    const headers = headersOf(due, at, version);
    const place = shares[job.payload.servesChat ? CHAT_ATTEMPTS : ATTEMPTS].enter(due.url);
    if (!place)
      throw new RetryLater('the endpoint has its share of attempts in flight', {
        afterMs: NO_PLACE_MS * (0.5 + random()),
        countAttempt: false,
      });
    let outcome: EgressOutcome | undefined;
    try {
      outcome = await inCall('webhook delivery', (told) =>
        egress.post({ url: due.url, headers: { ...headers, ...told }, body: due.body, signal: job.signal }),
      );
    } finally {
      const isQuick = clock.now().getTime() - at.getTime() < QUICK_MS;
      place.leave(job.signal.aborted ? undefined : outcome?.kind === 'answered' && isQuick);
    }
    // Aborted by our own stop, not by the receiver: the job is released and does not affect the webhook's health.
    if (outcome.kind === 'failed') job.signal.throwIfAborted();
    const now = clock.now();
    const result = resultOf(outcome);
    const waitMs = nextWait(job.payload, result, now);
    const next = { ...job.payload, step: job.payload.step + 1 };
    const attempted = { job: job.payload, result, at, now, waitMs };
    const record = async (tx: ServiceTx) => {
      const recorded = await recordAttempt(tx, attempted);
      if (recorded === 'disabled')
        await writeAudit(tx, { newId: tools.newId, now }, disabledBecause(job.payload, result));
      const jobs = recorded === 'stale' || waitMs === null ? [] : [retryJob(next, waitMs)];
      if (recorded === 'disabled') jobs.push(noticeJob(disabledBecause(job.payload, result)));
      await enqueue(tx, jobs);
      await job.completeLast(tx);
    };
    if (result.kind === 'delivered')
      await job.completeWith((claim) => again(() => recordSuccess(db, attempted, claim)));
    else await transaction(db, record);
    attempts.inc({ outcome: result.kind });
    seconds.observe({ outcome: result.kind }, (now.getTime() - at.getTime()) / 1000);
    const { deliveryId, webhookId, step } = job.payload;
    log.info(
      {
        event: 'delivery.attempted',
        deliveryId,
        webhookId,
        eventId: due.eventId,
        type: due.type,
        attempt: step + 1,
        outcome: result.kind,
        status: result.status,
        error: result.error,
        ms: now.getTime() - at.getTime(),
        nextInMs: waitMs,
      },
      'delivery attempted',
    );
  }

  function nextWait({ step }: AttemptJob, result: AttemptResult, now: Date): number | null {
    if (result.kind !== 'failed') return null;
    return waitAfter(step, retryAfterMs(result.retryAfter, now) ?? null, random);
  }

  jobs.work<AttemptJob>({ queue: ATTEMPTS, concurrency: ATTEMPTS_AT_ONCE, handle: attempt });
  jobs.work<AttemptJob>({ queue: CHAT_ATTEMPTS, concurrency: CHAT_ATTEMPTS_AT_ONCE, handle: attempt });
  jobs.work<AttemptJob>({
    queue: RETRIES,
    concurrency: MOVES_AT_ONCE,
    handle: (job) =>
      transaction(db, async (tx) => {
        await enqueue(tx, [attemptJob(job.payload)]);
        await job.completeLast(tx);
      }),
  });
  jobs.work<Notice>({
    queue: NOTICES,
    concurrency: 1,
    handle: (job) =>
      transaction(db, async (tx) => {
        const now = clock.now();
        const outbox = new Outbox();
        await openNotice(tx, { tools, now, outbox, log }, job.payload);
        await job.complete(tx);
        await storeEvents(tx, { newId: tools.newId, now }, outbox);
      }),
  });
}

/** Returns why a webhook was disabled, for the audit log and the notice. */
function disabledBecause({ workspaceId, webhookId }: AttemptJob, result: AttemptResult): Notice {
  const reason =
    result.kind === 'gone'
      ? 'Its receiver answered 410: it is gone for good.'
      : `Ten events or more failed, and none succeeded for five days; the last one: ${result.error ?? ''}.`;
  return { workspaceId, action: 'webhook.deactivated', subjectId: webhookId, reason };
}
