import type { Log } from '../log.ts';
import { type Metrics, registerGauges } from '../metrics.ts';
import type { ClassFigures } from './operate.ts';

/** Registers gauges for a program's work, by class (`queue`), read from its database at each scrape. */
export function registerEngineGauges(
  metrics: Metrics,
  program: 'bridge' | 'service',
  engine: { figures(): Promise<ClassFigures[]> },
  log: Log,
): void {
  const by = (of: (figures: ClassFigures) => number) => (all: ClassFigures[]) =>
    all.map((figures) => ({ labels: { queue: figures.class }, value: of(figures) }));
  registerGauges(
    metrics,
    () => engine.figures(),
    [
      {
        name: `${program}_jobs_waiting`,
        help: 'Work that waits.',
        labelNames: ['queue'],
        figures: by(({ undone, running }) => Math.max(0, undone - running)),
      },
      {
        name: `${program}_jobs_running`,
        help: 'Lanes whose work is being done.',
        labelNames: ['queue'],
        figures: by(({ running }) => running),
      },
      {
        name: `${program}_jobs_oldest_seconds`,
        help: 'Age of the oldest work that is not a dead letter; 0 if there is none.',
        labelNames: ['queue'],
        figures: by(({ oldestSeconds }) => oldestSeconds),
      },
      {
        name: `${program}_dead_letters`,
        help: 'Dead letters: work that can never succeed and waits for an operator.',
        labelNames: ['queue'],
        figures: by(({ dead }) => dead),
      },
    ],
    log,
  );
}
