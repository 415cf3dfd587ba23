import type { Log } from '../log.ts';
import { type Metrics, registerGauges } from '../metrics.ts';
import type { QueueStats } from './operate.ts';

/** Registers gauges for a module's jobs, by queue, read from its database at each scrape. */
export function registerJobGauges(
  metrics: Metrics,
  module: 'bridge' | 'service',
  jobs: { stats(): Promise<QueueStats[]> },
  log: Log,
): void {
  const by = (of: (stats: QueueStats) => number) => (all: QueueStats[]) =>
    all.map((stats) => ({ labels: { queue: stats.queue }, value: of(stats) }));
  registerGauges(
    metrics,
    () => jobs.stats(),
    [
      {
        name: `${module}_jobs_waiting`,
        help: 'Jobs that wait.',
        labelNames: ['queue'],
        figures: by(({ ready, waiting }) => ready + waiting),
      },
      {
        name: `${module}_jobs_running`,
        help: 'Jobs that are running.',
        labelNames: ['queue'],
        figures: by(({ running }) => running),
      },
      {
        name: `${module}_jobs_oldest_seconds`,
        help: 'Age of the oldest job that is not a dead letter; 0 if there is none.',
        labelNames: ['queue'],
        figures: by(({ oldestSeconds }) => oldestSeconds),
      },
      {
        name: `${module}_dead_letters`,
        help: 'Dead letters: jobs that can never succeed and wait for an operator.',
        labelNames: ['queue'],
        figures: by(({ dead }) => dead),
      },
    ],
    log,
  );
}
