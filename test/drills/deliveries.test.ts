import { createIds } from '../../src/platform/ids.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { hurry } from '../../src/platform/lanes/operate.ts';
import { verifySignature } from '../../src/platform/signatures.ts';
import { describe, expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { MovableClock } from '../service/clock.ts';
import { type Running, serviceDatabase, startTestService } from '../service/harness.ts';
import { answers, type Received, startReceiver } from '../service/receiver.ts';
import { openTables } from '../service/world.ts';
import { LONG } from './drill.ts';

const EVENTS = LONG ? 4_000 : 200;
const ENDPOINTS = 20;
const WORKERS = 4;
const HOUR_MS = 60 * 60 * 1000;

const ticket = async ({ call }: Running) => {
  const { status, body } = await call('POST', '/tickets', { body: { title: 'T' } });
  expect(status).toBe(200);
  return body;
};

async function register({ call }: Running, url: string, more: object = {}): Promise<string> {
  const { status, body } = await call('POST', '/webhooks', {
    body: { url, eventTypes: ['Ticket'], ...more },
  });
  expect(status).toBe(200);
  return body.id;
}

async function deliveries({ call }: Running, webhook: string, state: string): Promise<number> {
  return (await call('GET', `/webhooks/${webhook}/deliveries?state=${state}&limit=1`)).body.totalCount;
}

const idOf = ({ headers }: Received) => String(headers['webhook-id']);
const signedBy = ({ headers, body }: Received, ...secrets: string[]) =>
  secrets.map((secret) =>
    verifySignature(
      {
        id: String(headers['webhook-id']),
        timestamp: String(headers['webhook-timestamp']),
        body: Buffer.from(body),
      },
      String(headers['webhook-signature']),
      [secret],
    ),
  );

test(`F4 ${WORKERS} services on one database share the events of ${ENDPOINTS} endpoints: each is delivered once to each, none is missing`, async () => {
  const first = await startTestService();
  const others = [];
  for (let n = 1; n < WORKERS; n++) others.push(await startTestService({ databaseUrl: first.databaseUrl }));
  const receiver = await startReceiver();
  for (let n = 0; n < ENDPOINTS; n++) await register(first, `${receiver.url}/${n}`);
  const services = [first, ...others];
  const tables = openTables(first);
  const made = await Promise.all(
    Array.from({ length: EVENTS / ENDPOINTS }, (_, n) => ticket(services[n % WORKERS] ?? first)),
  );
  const total = made.length * ENDPOINTS;
  await receiver.received(total);
  await until('no work to be left', async () => (await openJobs(tables)) === 0, { withinMs: 60_000 });
  expect(receiver.calls).toHaveLength(total);
  for (const calls of Map.groupBy(receiver.calls, ({ path }) => path).values())
    expect(new Set(calls.map(idOf)).size).toBe(made.length);
}, 120_000);

async function openJobs({ db }: ReturnType<typeof openTables>): Promise<number> {
  return (await db.selectFrom('job').select('id').execute()).length;
}

describe('F8 clocks', () => {
  test.each([
    ['an hour ahead of', HOUR_MS],
    ['five minutes behind', -HOUR_MS / 12],
  ])('F8 a process %s its database delivers at once, and tries again on the schedule', async (_, off) => {
    const clock: Clock = { now: () => new Date(systemClock.now().getTime() + off) };
    const service = await startTestService({ clock });
    const receiver = await startReceiver(answers(500), answers(200));
    const id = await register(service, receiver.url);
    await ticket(service);
    await receiver.received(1);
    // Its five seconds, by whatever clock.
    await until('the second attempt', async () => (await deliveries(service, id, 'delivered')) === 1, {
      withinMs: 30_000,
    });
    const [first, second] = receiver.calls;
    if (!first || !second) throw new Error('there were not two attempts');
    expect([idOf(first), first.body]).toEqual([idOf(second), second.body]);
  });

  test('F8 a clock that jumps an hour either way while a delivery waits changes neither its turn nor its signature, and updatedAt still only grows', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const { db } = openTables(service);
    const secret = 'a secret of the clock test';
    const receiver = await startReceiver(answers(500), answers(500), answers(200));
    // Of the message alone: what the changes below tell would be deliveries of their own.
    const id = await register(service, receiver.url, { secret, eventTypes: ['Message'] });
    const made = await ticket(service);
    await service.call('POST', '/ticket-messages', { body: { ticketId: made.id, content: 'when?' } });
    const stamps = [made.updatedAt];
    for (const [attempt, jump] of [HOUR_MS, -2 * HOUR_MS].entries()) {
      await receiver.received(attempt + 1);
      clock.pass(jump);
      const { body } = await service.call('PUT', `/tickets/${made.id}`, {
        body: { data: { title: `after jump ${attempt}` } },
      });
      stamps.push(body.updatedAt);
      await until('the next attempt to be due', async () => (await hurry(db, 'webhook-retry')) > 0);
    }
    await until(
      'the first event to be delivered',
      async () => (await deliveries(service, id, 'delivered')) > 0,
    );
    for (const call of receiver.calls) expect(signedBy(call, secret)).toEqual([true]);
    expect(stamps).toEqual([...new Set(stamps)].sort());
  });

  test('F8 ids that are made while a clock goes back are still new, each of them', () => {
    const clock = new MovableClock();
    const newId = createIds(clock);
    const ids = Array.from({ length: 200 }, (_, n) => {
      clock.pass(n % 3 === 0 ? -HOUR_MS : 1_000);
      return newId('event');
    });
    expect(new Set(ids).size).toBe(200);
  });
});

describe('F14 a secret that changes', () => {
  test('F14 while deliveries wait signs what is sent after it, with the old one too for a day and then no more', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const { db } = openTables(service);
    const [old, fresh] = ['the old secret here', 'the fresh secret here'];
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url, { secret: old });
    await ticket(service);
    const [before] = await receiver.received(1);
    await service.call('PUT', `/webhooks/${id}`, { body: { secret: fresh } });
    await until('the second attempt to be due', async () => (await hurry(db, 'webhook-retry')) > 0);
    const [, during] = await receiver.received(2);
    clock.pass(24 * HOUR_MS + 1);
    await until('the third attempt to be due', async () => (await hurry(db, 'webhook-retry')) > 0);
    const [, , after] = await receiver.received(3);
    if (!before || !during || !after) throw new Error('there were not three attempts');
    expect([before, during, after].map((call) => signedBy(call, old, fresh))).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
    expect(new Set([before, during, after].map(idOf)).size).toBe(1);
  });
});

describe('F15 a webhook that', () => {
  test('F15 is switched off while its events wait hears none of them, and after it is on again hears the new ones', async () => {
    const service = await startTestService();
    const { db } = openTables(service);
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url);
    for (let n = 0; n < 3; n++) await ticket(service);
    await receiver.received(3);
    await until('all to wait', async () => (await retries()) === 3);
    await service.call('PUT', `/webhooks/${id}`, { body: { active: false } });
    await ticket(service);
    await hurry(db, 'webhook-retry');
    await until('all to be cancelled', async () => (await deliveries(service, id, 'cancelled')) === 3);
    expect(receiver.calls).toHaveLength(3);
    receiver.behave(answers(200));
    await service.call('PUT', `/webhooks/${id}`, { body: { active: true } });
    const after = await ticket(service);
    const [, , , heard] = await receiver.received(4);
    expect((JSON.parse(heard?.body ?? '') as { ticket: { id: string } }).ticket.id).toBe(after.id);

    async function retries(): Promise<number> {
      const waiting = await db.selectFrom('job').select('id').where('queue', '=', 'webhook-retry').execute();
      return waiting.length;
    }
  });

  test('F15 is removed while its events wait is not called any more, and leaves no work behind', async () => {
    const service = await startTestService();
    const tables = openTables(service);
    const { db } = tables;
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url);
    await ticket(service);
    await receiver.received(1);
    const retry = async () =>
      (await db.selectFrom('job').select('id').where('queue', '=', 'webhook-retry').execute()).length;
    await until('it to wait', async () => (await retry()) === 1);
    expect((await service.call('DELETE', `/webhooks/${id}`)).status).toBe(200);
    await hurry(db, 'webhook-retry');
    await until('its work to be gone', async () => (await openJobs(tables)) === 0);
    expect(receiver.calls).toHaveLength(1);
  });
});

test(
  'F17 events that wait when the service starts are all delivered, in bounded work, and a dead endpoint delays no healthy one',
  async () => {
    const databaseUrl = await serviceDatabase();
    const before = await startTestService({ databaseUrl });
    const dead = await startReceiver(() => undefined);
    const healthy = await startReceiver(() => undefined);
    const toDead = await register(before, dead.url);
    const toHealthy = await register(before, healthy.url);
    const opened: string[] = [];
    for (let n = 0; n < EVENTS; n += 20)
      opened.push(
        ...(await Promise.all(Array.from({ length: 20 }, () => ticket(before)))).map(({ id }) => id),
      );
    await before.stop();
    healthy.behave(answers(200));
    const earlier = healthy.calls.length;

    const began = performance.now();
    const heap = process.memoryUsage().heapUsed;
    let most = heap;
    const after = await startTestService({ databaseUrl });
    await until(
      'every event that waited to reach the healthy one',
      async () => {
        most = Math.max(most, process.memoryUsage().heapUsed);
        return (await deliveries(after, toHealthy, 'delivered')) === opened.length;
      },
      { withinMs: 60_000 + EVENTS * 30 },
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
  },
  120_000 + EVENTS * 60,
);
