import type { Desk } from './desk.ts';
import { percentile } from './figures.ts';
import { must } from './load.ts';

interface Delivery {
  id: number;
  event?: string;
  ack_ms?: number;
}

async function deliveries({ sandbox }: Desk, after: number): Promise<Delivery[]> {
  const answer = await must('GET', `${sandbox}/_control/deliveries?limit=2000&after=${after}`);
  return (answer as { deliveries: Delivery[] }).deliveries;
}

/** The number of the sandbox's last delivery of an event. */
export async function lastDelivery(desk: Desk): Promise<number> {
  return (await deliveries(desk, 0)).at(-1)?.id ?? 0;
}

interface Ack {
  id: number;
  ms: number;
}

/** How long the acknowledgements of the messages after a delivery took. */
export async function acksAfter(desk: Desk, after: number): Promise<Ack[]> {
  return (await deliveries(desk, after)).flatMap(({ id, ack_ms, event }) =>
    event === 'message' && ack_ms !== undefined ? [{ id, ms: ack_ms }] : [],
  );
}

/** The slowest of a hundred. The sandbox counts whole milliseconds, so the minimum is one. */
export function slowest(acks: readonly Ack[]): number {
  return Math.max(
    1,
    percentile(
      acks.map(({ ms }) => ms),
      0.99,
    ),
  );
}
