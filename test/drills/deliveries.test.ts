import { describe, expect, test } from 'vitest';

import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { deliveries, idOf, register, ticket } from '../faults/webhooks.ts';
import { undoneWork } from '../service/work.ts';
import { until } from '../harness/until.ts';
import { serviceDatabase, startTestService } from '../service/harness.ts';
import { answers, startReceiver } from '../service/receiver.ts';
import { openTables } from '../service/world.ts';
import { LONG } from './drill.ts';

const EVENTS = LONG ? 4_000 : 200;
const ENDPOINTS = 20;
const WORKERS = 4;
const HOUR_MS = 60 * 60 * 1000;

test(`F4 ${WORKERS} services on one database share the events of ${ENDPOINTS} endpoints: each endpoint gets each event exactly once`, async () => {
  const first = await startTestService();
  const others = [];
  for (let n = 1; n < WORKERS; n++) others.push(await startTestService({ databaseUrl: first.databaseUrl }));
  const receiver = await startReceiver();
  for (let n = 0; n < ENDPOINTS; n++) await register(first, `${receiver.url}/${n}`);
  const services = [first, ...others];
  const tables = openTables(first);
  // Each service gets one after the other: hundreds at once are refused where the machine is slow.
  const written = services.map(async (service) => {
    const own: unknown[] = [];
    for (let n = 0; n < EVENTS / ENDPOINTS / WORKERS; n++) own.push(await ticket(service));
    return own;
  });
  const made = (await Promise.all(written)).flat();
  const total = made.length * ENDPOINTS;
  await receiver.received(total);
  await until('no work to be left', async () => (await undoneWork(tables)) === 0);
  expect(receiver.calls).toHaveLength(total);
  for (const calls of Map.groupBy(receiver.calls, ({ path }) => path).values())
    expect(new Set(calls.map(idOf)).size).toBe(made.length);
});

describe('F8 clocks', () => {
  test.each([
    ['an hour ahead of', HOUR_MS],
    ['five minutes behind', -HOUR_MS / 12],
  ])('F8 a process %s its database delivers at once, and retries on schedule', async (_, off) => {
    const clock: Clock = { now: () => new Date(systemClock.now().getTime() + off) };
    const service = await startTestService({ clock });
    const receiver = await startReceiver(answers(500), answers(200));
    const id = await register(service, receiver.url);
    await ticket(service);
    await receiver.received(1);
    // Five seconds, by either clock.
    await until('the second attempt', async () => (await deliveries(service, id, 'delivered')) === 1);
    const [first, second] = receiver.calls;
    if (!first || !second) throw new Error('there were not two attempts');
    expect([idOf(first), first.body]).toEqual([idOf(second), second.body]);
  });
});

test('F17 a backlog of events is delivered after the start of the service, with bounded work, and a dead endpoint does not delay a healthy one', async () => {
  const databaseUrl = await serviceDatabase();
  // However long this machine takes, no endpoint is given up meanwhile.
  const patient = { databaseUrl, deliveryMs: 3_600_000 };
  const before = await startTestService(patient);
  const dead = await startReceiver(() => undefined);
  const healthy = await startReceiver(() => undefined);
  const toDead = await register(before, dead.url);
  const toHealthy = await register(before, healthy.url);
  const opened: string[] = [];
  for (let n = 0; n < EVENTS; n += 20)
    opened.push(...(await Promise.all(Array.from({ length: 20 }, () => ticket(before)))).map(({ id }) => id));
  await before.stop();
  healthy.behave(answers(200));
  const earlier = healthy.calls.length;

  const began = performance.now();
  const heap = process.memoryUsage().heapUsed;
  let most = heap;
  const after = await startTestService(patient);
  await until(
    'every event that waited to reach the healthy one',
    async () => {
      most = Math.max(most, process.memoryUsage().heapUsed);
      return (await deliveries(after, toHealthy, 'delivered')) === opened.length;
    },
    { withinMs: 120_000 + EVENTS * 30 },
  );
  const took = performance.now() - began;
  console.info(
    `backlog: ${opened.length} events waiting for each of two endpoints, one dead: the healthy one has all after ${Math.round(took)} ms, heap +${Math.round((most - heap) / 2 ** 20)} MiB`,
  );
  const told = healthy.calls
    .slice(earlier)
    .map(({ body }) => (JSON.parse(body) as { ticket: { id: string } }).ticket.id);
  expect(new Set(told)).toEqual(new Set(opened));
  expect(told).toHaveLength(opened.length);
  expect(await deliveries(after, toDead, 'delivered')).toBe(0);
  expect(dead.calls.length).toBeLessThanOrEqual(4 * 2 + 4);
  dead.behave(answers(200));
  dead.hangUp();
});
