import { setTimeout as wait } from 'node:timers/promises';

import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

import type { Log } from './log.ts';

/** Where a program's parts register their counters; `/metrics` prints it. One per process, passed in. */
export type Metrics = Registry;

/** A registry that already holds the process's own figures (memory, CPU, event loop). */
export function createMetrics(): Metrics {
  const registry = createRegistry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** A registry that nobody scrapes, for what runs to its end. */
export function createRegistry(): Metrics {
  return new Registry();
}

/**
 * A registry as text, with more that have other names than it; among themselves these may have the same, and their
 * figures are told apart by labels.
 */
export async function printAll(registry: Metrics, more: Iterable<Metrics>): Promise<string> {
  const read = await Promise.all([...more].map((one) => one.getMetricsAsJSON()));
  const text = await registry.metrics();
  return read.length === 0 ? text : `${text}\n${await AggregatorRegistry.aggregate(read).metrics()}`;
}

/** One figure of a reading, with the labels it bears. */
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

/** A scrape must be answered while a database is silent. */
const READ_TIMEOUT_MS = 3_000;

/**
 * Gauges that are read when they are scraped, all of them by one reading. Where that fails, a gauge with labels shows
 * nothing and one without shows NaN: no figure must ever look like health.
 */
export function registerGauges<Reading>(
  metrics: Metrics,
  read: () => Promise<Reading>,
  gauges: readonly ReadGauge<Reading>[],
  log: Log,
): void {
  let running: Promise<Reading | undefined> | undefined;
  const reading = () =>
    (running ??= inTime(read)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'figures could not be read');
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

async function inTime<Reading>(read: () => Promise<Reading>): Promise<Reading> {
  const done = new AbortController();
  const late = wait(READ_TIMEOUT_MS, undefined, { signal: done.signal }).then(() => {
    throw new Error('no answer in time');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([read(), late]);
  } finally {
    done.abort();
  }
}
