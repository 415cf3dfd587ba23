import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

import { inTime } from './in-time.ts';
import type { Log } from './log.ts';

/** The registry for a program's counters; `/metrics` prints it. One per process, passed in. */
export type Metrics = Registry;

/** The process's own metrics; measuring the event loop and the garbage collection goes on until the process ends. */
let ofProcess: Metrics | undefined;

/** Creates a registry with the process's own metrics (memory, CPU, event loop), which several registries share. */
export function createMetrics(): Metrics {
  if (!ofProcess) {
    ofProcess = createRegistry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return Registry.merge([ofProcess]);
}

/** Creates a registry that is never scraped, for commands that end. */
export function createRegistry(): Metrics {
  return new Registry();
}

/**
 * Prints a registry and additional registries, whose metric names differ from its own; the additional ones may share
 * names, and labels tell their values apart.
 */
export async function printAll(registry: Metrics, more: Iterable<Metrics>): Promise<string> {
  const read = await Promise.all([...more].map((one) => one.getMetricsAsJSON()));
  const text = await registry.metrics();
  return read.length === 0 ? text : `${text}\n${await AggregatorRegistry.aggregate(read).metrics()}`;
}

/** One value of a gauge, with its labels. */
export interface Figure {
  labels?: Record<string, string>;
  value: number;
}

export interface ReadGauge<Reading> {
  name: string;
  help: string;
  labelNames?: readonly string[];
  figures: (reading: Reading) => readonly Figure[];
}

/** A scrape must be answered even if the database does not answer. */
const READ_TIMEOUT_MS = 3_000;

/**
 * Registers gauges that share one reading per scrape. If the reading fails, gauges with labels show nothing and those
 * without show NaN: a failure must never look like health.
 */
export function registerGauges<Reading>(
  metrics: Metrics,
  read: () => Promise<Reading>,
  gauges: readonly ReadGauge<Reading>[],
  log: Log,
): void {
  let running: Promise<Reading | undefined> | undefined;
  const reading = () =>
    (running ??= inTime(READ_TIMEOUT_MS, read())
      .then((found) => {
        if (found === undefined) throw new Error('no answer in time');
        return found;
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'metrics could not be read');
        return undefined;
      })
      .finally(() => (running = undefined)));
  for (const { name, help, labelNames = [], figures } of gauges)
    new Gauge({
      name,
      help,
      labelNames,
      registers: [metrics],
      async collect() {
        const now = await reading();
        this.reset();
        if (now) for (const { labels = {}, value } of figures(now)) this.set(labels, value);
        else if (labelNames.length === 0) this.set(NaN);
      },
    });
}
