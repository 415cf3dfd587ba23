import { Counter, Histogram } from 'prom-client';

import type { Metrics } from '../platform/metrics.ts';

/** In seconds: Slack expects the acknowledgement within 3. */
const ACK_BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 2, 3];
const CALL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** In seconds: below one is normal, an hour means that the service was unavailable. */
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
      help: 'Events received: stored, or already known.',
      labelNames: ['source', 'kind', 'stored', 'retry'],
      registers,
    }),
    acks: new Counter({
      name: 'bridge_acks_total',
      help: 'Acknowledgements that Slack waits for, by outcome.',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    ackSeconds: new Histogram({
      name: 'bridge_ack_seconds',
      help: 'Seconds from receiving an envelope from Slack to acknowledging it, including storage.',
      labelNames: ['type'],
      buckets: ACK_BUCKETS,
      registers,
    }),
    eventSeconds: new Histogram({
      name: 'bridge_event_seconds',
      help: 'Seconds from receiving an event until it was handled.',
      labelNames: ['kind'],
      buckets: EVENT_BUCKETS,
      registers,
    }),
    posts: new Counter({
      name: 'bridge_posts_total',
      help: 'Writes to Slack that ended, by outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    retries: new Counter({
      name: 'bridge_retries_total',
      help: 'Failed work that will be retried, without waits for a rate limit of Slack.',
      labelNames: ['queue', 'reason'],
      registers,
    }),
    uncertain: new Counter({
      name: 'bridge_uncertain_total',
      help: 'Posts whose response was lost, so that they were searched for in Slack.',
      labelNames: ['found'],
      registers,
    }),
    files: new Counter({
      name: 'bridge_files_total',
      help: 'Files copied between Slack and tickets, left as links, or removed.',
      labelNames: ['direction', 'outcome'],
      registers,
    }),
    chatCallSeconds: new Histogram({
      name: 'bridge_chat_call_seconds',
      help: 'Seconds of one call of the Slack Web API until its response began or it failed.',
      labelNames: ['method'],
      buckets: CALL_BUCKETS,
      registers,
    }),
  };
}
