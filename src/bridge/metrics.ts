import { Counter, Histogram } from 'prom-client';

import type { Metrics } from '../platform/metrics.ts';

/** Slack expects the acknowledgement within 3 seconds; values near that must be visible. */
const ACK_BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 2, 3];
const CALL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From an event to its end: a second is good, an hour means that the service was unavailable. */
const EVENT_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600];

/**
 * The bridge's counters (docs/operate.md, Bridge metrics). Label values come from our own short lists: never an id, a
 * name or user text, which a scraper would store, each as a new series.
 */
export type BridgeMetrics = ReturnType<typeof createBridgeMetrics>;

export function createBridgeMetrics(metrics: Metrics) {
  const registers = [metrics];
  return {
    events: new Counter({
      name: 'bridge_events_total',
      help: 'Events that came in and were stored, or known already.',
      labelNames: ['source', 'kind', 'stored', 'retry'],
      registers,
    }),
    acks: new Counter({
      name: 'bridge_acks_total',
      help: 'What became of the acknowledgement that chat waits for.',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    ackSeconds: new Histogram({
      name: 'bridge_ack_seconds',
      help: 'Seconds from an envelope of chat to its acknowledgement, storing included.',
      labelNames: ['type'],
      buckets: ACK_BUCKETS,
      registers,
    }),
    eventSeconds: new Histogram({
      name: 'bridge_event_seconds',
      help: 'Seconds from when an event came in until what follows from it was done or planned.',
      labelNames: ['kind'],
      buckets: EVENT_BUCKETS,
      registers,
    }),
    posts: new Counter({
      name: 'bridge_posts_total',
      help: 'Planned writes to chat that came to an end.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    retries: new Counter({
      name: 'bridge_retries_total',
      help: 'Work that failed and is tried again; keeping the pace of chat is none.',
      labelNames: ['queue', 'reason'],
      registers,
    }),
    uncertain: new Counter({
      name: 'bridge_uncertain_total',
      help: 'Posts whose answer was lost and that were looked for in chat.',
      labelNames: ['found'],
      registers,
    }),
    files: new Counter({
      name: 'bridge_files_total',
      help: 'Files between chat and tickets that were copied, stay links or were removed.',
      labelNames: ['direction', 'outcome'],
      registers,
    }),
    chatCallSeconds: new Histogram({
      name: 'bridge_chat_call_seconds',
      help: 'Seconds of one call of chat’s Web API, until its answer began or it failed.',
      labelNames: ['method'],
      buckets: CALL_BUCKETS,
      registers,
    }),
  };
}
