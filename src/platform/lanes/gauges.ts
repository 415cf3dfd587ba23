import type { Log } from '../log.ts';
import { type Metrics, registerGauges } from '../metrics.ts';
import type { QueueStats } from './operate.ts';

/** Registers gauges for a module's jobs, by queue, read from its database at each scrape. */
export function registerLaneGauges(
  metrics: Metrics,
  room: 'bridge' | 'service',
  lanes: { stats(): Promise<QueueStats[]> },
  log: Log,
): void {
  const by = (of: (stats: QueueStats) => number) => (all: QueueStats[]) =>
    all.map((stats) => ({ labels: { queue: stats.queue }, value: of(stats) }));
  registerGauges(
    metrics,
    () => lanes.stats(),
    [
      {
        name: `${room}_lane_waiting`,
        help: 'Jobs that wait.',
        labelNames: ['queue'],
        figures: by(({ ready, waiting }) => ready + waiting),
      },
      {
        name: `${room}_lane_running`,
        help: 'Jobs that are running.',
        labelNames: ['queue'],
        figures: by(({ running }) => running),
      },
      {
        name: `${room}_lane_oldest_seconds`,
        help: 'Age of the oldest job that is neither done nor parked; 0 when there is none.',
        labelNames: ['queue'],
        figures: by(({ oldestSeconds }) => oldestSeconds),
      },
      {
        name: `${room}_parked`,
        help: 'Jobs that will not go through as they are, and wait for a person.',
        labelNames: ['queue'],
        figures: by(({ parked }) => parked),
      },
    ],
    log,
  );
}
