import { Counter, Histogram } from 'prom-client';

import { retryAfterMs } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Egress, EgressOutcome } from '../../platform/egress.ts';
import { RetryLater } from '../../platform/engine/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { inCall } from '../../platform/tracing.ts';
import { writeAudit } from '../audit/write.ts';
import type { ServiceDb, Tools } from '../handler.ts';
import type { Done, ServiceEngine, ServicePlanningTx, Work } from '../work.ts';
import { type Due, dueOf, headersOf, storedDelivery } from './attempt.ts';
import {
  ATTEMPT,
  type Attempt,
  attemptKind,
  attemptWork,
  CHAT_ATTEMPT,
  type Notice,
  noticeWork,
  RETRY,
  retryWork,
} from './kinds.ts';
import { type Attempted, cancelDelivery, recordAttempt } from './record.ts';
import { waitAfter } from './schedule.ts';
import { EndpointShares } from './shares.ts';
import { type AttemptResult, attemptResult } from './result.ts';

/** An endpoint that answers later than this counts among those that do not answer. */
const QUICK_MS = 3_000;
/** How long an attempt waits whose endpoint has no free place (`EndpointShares`); spread, so that all get their turn. */
const NO_PLACE_MS = 1_000;

export interface DeliveryOptions {
  engine: ServiceEngine;
  db: ServiceDb;
  tools: Tools;
  egress: Egress;
  log: Log;
  clock: Clock;
  random: () => number;
  version: string;
  metrics: Metrics;
}

/** Registers the work of deliveries: the attempts, and the moving of due retries. */
export function workDeliveries(options: DeliveryOptions): void {
  const { engine, db, tools, egress, log, clock, random, version, metrics } = options;
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
  const shares = { [ATTEMPT.class]: new EndpointShares(), [CHAT_ATTEMPT.class]: new EndpointShares() };

  async function workAttempt({ body: attempt, signal }: Work<Attempt>): Promise<Done> {
    // 1. Read what is to be delivered, unless it is done or no longer wanted.
    const at = clock.now();
    const stored = await storedDelivery(db, attempt);
    if (!stored) return { outcome: 'needless' };
    const due = dueOf(tools.sealing, attempt, stored, at);
    if (!due.active) return { outcome: 'cancelled', write: (tx) => cancelDelivery(tx, attempt, clock.now()) };

    // 2. Send it.
    const result = attemptResult(await send(attempt, due, at, signal));

    // 3. Record the outcome, and plan what follows.
    const now = clock.now();
    const attempted = { attempt, result, at, now, waitMs: nextWait(attempt, result, now) };
    return {
      outcome: result.kind,
      write: (tx) => record(tx, attempted),
      afterwards: async () => tell(attempted, due),
    };
  }

  /** @throws RetryLater if the endpoint has its share of attempts in flight. */
  async function send(attempt: Attempt, due: Due, at: Date, signal: AbortSignal): Promise<EgressOutcome> {
    const place = shares[attemptKind(attempt).class]?.enter(due.url);
    if (!place)
      throw new RetryLater('the endpoint has its share of attempts in flight', {
        afterMs: NO_PLACE_MS * (0.5 + random()),
        countsAttempt: false,
      });
    const headers = headersOf(due, at, version);
    let outcome: EgressOutcome | undefined;
    try {
      outcome = await inCall('webhook delivery', (told) =>
        egress.post({ url: due.url, headers: { ...headers, ...told }, body: due.body, signal }),
      );
    } finally {
      const isQuick = clock.now().getTime() - at.getTime() < QUICK_MS;
      place.leave(signal.aborted ? undefined : outcome?.kind === 'answered' && isQuick);
    }
    // Aborted by our own stop, not by the receiver: it is made again and does not affect the webhook's health.
    if (outcome.kind === 'failed') signal.throwIfAborted();
    return outcome;
  }

  async function record(tx: ServicePlanningTx, attempted: Attempted): Promise<void> {
    const { attempt, result, now, waitMs } = attempted;
    const recorded = await recordAttempt(tx, attempted);
    if (recorded === 'disabled') {
      const notice = disabledBecause(attempt, result);
      const { workspaceId, webhookId: subjectId, reason } = notice;
      const entry = { workspaceId, action: 'webhook.deactivated', subjectId, reason } as const;
      await writeAudit(tx, { newId: tools.newId, now }, entry);
      tx.plan.add(noticeWork(notice));
    }
    if (recorded !== 'stale' && waitMs !== null)
      tx.plan.add(retryWork({ ...attempt, step: attempt.step + 1 }, waitMs));
  }

  function tell({ attempt, result, at, now, waitMs }: Attempted, due: Due): void {
    const { deliveryId, webhookId, step } = attempt;
    const ms = now.getTime() - at.getTime();
    attempts.inc({ outcome: result.kind });
    seconds.observe({ outcome: result.kind }, ms / 1000);
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
        ms,
        nextInMs: waitMs,
      },
      'delivery attempted',
    );
  }

  function nextWait({ step }: Attempt, result: AttemptResult, now: Date): number | null {
    if (result.kind !== 'failed') return null;
    return waitAfter(step, retryAfterMs(result.retryAfter, now) ?? null, random);
  }

  engine.handle(ATTEMPT, { work: workAttempt });
  engine.handle(CHAT_ATTEMPT, { work: workAttempt });
  engine.handle(RETRY, {
    work: async ({ body: attempt }) => ({
      outcome: 'due',
      write: async (tx) => tx.plan.add(attemptWork(attempt)),
    }),
  });
}

/** Returns why a webhook was disabled, for the audit log and the notice. */
function disabledBecause({ workspaceId, webhookId }: Attempt, result: AttemptResult): Notice {
  const reason =
    result.kind === 'gone'
      ? 'Its receiver answered 410: it is gone for good.'
      : `Ten events or more failed, and none succeeded for five days; the last one: ${result.error ?? ''}.`;
  return { workspaceId, webhookId, reason };
}
