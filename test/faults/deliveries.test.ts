import { describe, expect, test } from 'vitest';

import { createIds } from '../../src/platform/ids.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from '../service/clock.ts';
import { startTestService } from '../service/harness.ts';
import { answers, startReceiver } from '../service/receiver.ts';
import { undoneWork, workNow } from '../service/work.ts';
import { openTables } from '../service/world.ts';
import { deliveries, idOf, register, signedBy, ticket } from './webhooks.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('F8 clocks', () => {
  test('F8 a clock that jumps an hour either way during a delivery’s wait changes neither its schedule nor its signature, and updatedAt still only grows', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const tables = openTables(service);
    const secret = 'a secret of the clock test';
    const receiver = await startReceiver(answers(500), answers(500), answers(200));
    // Only messages: the changes below would cause deliveries of their own.
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
      await until('the next attempt to be due', async () => (await workNow(tables, 'webhook-retry')) > 0);
    }
    await until(
      'the first event to be delivered',
      async () => (await deliveries(service, id, 'delivered')) > 0,
    );
    for (const call of receiver.calls) expect(signedBy(call, secret)).toEqual([true]);
    expect(stamps).toEqual([...new Set(stamps)].sort());
  });

  test('F8 ids created while a clock goes back are still unique', () => {
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
  test('F14 while deliveries wait, later attempts are signed with the new secret, and for a day with the old one too', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const tables = openTables(service);
    const [old, fresh] = ['the old secret here', 'the fresh secret here'];
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url, { secret: old });
    await ticket(service);
    const [before] = await receiver.received(1);
    await service.call('PUT', `/webhooks/${id}`, { body: { secret: fresh } });
    await until('the second attempt to be due', async () => (await workNow(tables, 'webhook-retry')) > 0);
    const [, during] = await receiver.received(2);
    clock.pass(24 * HOUR_MS + 1);
    await until('the third attempt to be due', async () => (await workNow(tables, 'webhook-retry')) > 0);
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

describe('F15 webhooks with waiting events', () => {
  test('F15 a webhook that is disabled while its events wait gets none of them, and gets new events after it is enabled again', async () => {
    const service = await startTestService();
    const tables = openTables(service);
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url);
    for (let n = 0; n < 3; n++) await ticket(service);
    await receiver.received(3);
    await until('all to wait', async () => (await retries()) === 3);
    await service.call('PUT', `/webhooks/${id}`, { body: { active: false } });
    await ticket(service);
    await workNow(tables, 'webhook-retry');
    await until('all to be cancelled', async () => (await deliveries(service, id, 'cancelled')) === 3);
    expect(receiver.calls).toHaveLength(3);
    receiver.behave(answers(200));
    await service.call('PUT', `/webhooks/${id}`, { body: { active: true } });
    const after = await ticket(service);
    const [, , , heard] = await receiver.received(4);
    expect((JSON.parse(heard?.body ?? '') as { ticket: { id: string } }).ticket.id).toBe(after.id);

    async function retries(): Promise<number> {
      return undoneWork(tables, 'webhook-retry');
    }
  });

  test('F15 a webhook that is removed while its events wait is no longer called, and leaves no work behind', async () => {
    const service = await startTestService();
    const tables = openTables(service);
    const receiver = await startReceiver(answers(500));
    const id = await register(service, receiver.url);
    await ticket(service);
    await receiver.received(1);
    await until('it to wait', async () => (await undoneWork(tables, 'webhook-retry')) === 1);
    expect((await service.call('DELETE', `/webhooks/${id}`)).status).toBe(200);
    await workNow(tables, 'webhook-retry');
    await until('its work to be gone', async () => (await undoneWork(tables)) === 0);
    expect(receiver.calls).toHaveLength(1);
  });
});
