import { collectDefaultMetrics, Registry } from 'prom-client';

/** Where a program's parts register their counters; `/metrics` prints it. One per process, passed in. */
export type Metrics = Registry;

/** A registry that already holds the process's own figures (memory, CPU, event loop). */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
