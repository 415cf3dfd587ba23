import { isDeepStrictEqual } from 'node:util';

import { expect, it } from 'vitest';

import { transaction } from '../../src/platform/database/open.ts';
import { pruneDeliveries } from '../../src/service/upkeep/retention.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from './clock.ts';
import { startTestService } from './harness.ts';
import { answers, startReceiver } from './receiver.ts';
import { undoneWork } from './work.ts';
import { openTables } from './world.ts';

type Started = Awaited<ReturnType<typeof startTestService>>;
const DAY_MS = 86_400_000;

const ticket = (service: Started) => service.call('POST', '/tickets', { body: { title: 'T' } });
const deliveries = async ({ call }: Started, id: string, state: string) =>
  (await call('GET', `/webhooks/${id}/deliveries?state=${state}`)).body.items;
const settled = (service: Started, id: string, state: string, count: number) =>
  until(`${count} deliveries that are ${state}`, async () => {
    const found = await deliveries(service, id, state);
    return found.length === count ? found : undefined;
  });

it('a webhook that answered 410 leaves an audit entry, and a system ticket notifies the team', async () => {
  const service = await startTestService();
  const receiver = await startReceiver(answers(410));
  const body = { url: `${receiver.url}?token=unguessable`, name: 'Reporting', eventTypes: ['Message'] };
  const { id } = (await service.call('POST', '/webhooks', { body })).body;
  const other = await startReceiver();
  await service.call('POST', '/webhooks', { body: { url: other.url, eventTypes: ['Ticket'] } });
  const first = (await ticket(service)).body;
  await service.call('POST', '/ticket-messages', { body: { ticketId: first.id, content: 'x' } });
  const notice = await until('the notice', async () => {
    const { items } = (await service.call('GET', '/tickets?search=switched%20off')).body;
    return items[0] as unknown as { title: string; description: string; source: string; priority: string };
  });
  expect(notice).toMatchObject({
    title: 'A webhook was switched off: Reporting',
    source: 'SYSTEM',
    priority: 'HIGH',
  });
  expect(notice.description).toContain(id);
  expect(notice.description).toContain('410');
  expect(notice.description).not.toContain('unguessable');
  const { items } = (await service.call('GET', `/audit-entries?action=webhook.deactivated&subjectId=${id}`))
    .body;
  expect(items).toMatchObject([
    { action: 'webhook.deactivated', subjectId: id, workspaceId: service.workspaceId },
  ]);
  // Webhooks that work get its creation like any other.
  const told = (await other.received(2)).map(
    (call) => JSON.parse(call.body) as { actor: unknown; data: object },
  );
  expect(told.find(({ data }) => 'title' in data && data.title === notice.title)?.actor).toEqual({
    userId: null,
    source: 'SYSTEM',
  });
});

it('a webhook that fails for five days is reported once, however many of its events fail after that', async () => {
  const clock = new MovableClock();
  const service = await startTestService({ clock });
  const receiver = await startReceiver(answers(500));
  const { id } = (
    await service.call('POST', '/webhooks', { body: { url: receiver.url, eventTypes: ['Message'] } })
  ).body;
  const { id: ticketId } = (await ticket(service)).body;
  const say = () => service.call('POST', '/ticket-messages', { body: { ticketId, content: 'x' } });
  for (let count = 0; count < 9; count++) await say();
  await receiver.received(9);
  await until('nine failures', async () => {
    const { items } = (await service.call('GET', `/webhooks/${id}/deliveries`)).body;
    return items.every(({ attemptCount }) => attemptCount === 1) || undefined;
  });
  clock.pass(5 * DAY_MS);
  expect((await service.call('GET', '/audit-entries?action=webhook.deactivated')).body.items).toEqual([]);
  await Promise.all(Array.from({ length: 8 }, say));
  await until('the webhook to be off', async () => {
    const { active } = (await service.call('GET', `/webhooks/${id}`)).body;
    return !active || undefined;
  });
  await until('all of its deliveries to have been looked at', async () => {
    const tables = openTables(service);
    return (await undoneWork(tables)) === (await undoneWork(tables, 'webhook-retry')) || undefined;
  });
  expect((await service.call('GET', '/audit-entries?action=webhook.deactivated')).body.totalCount).toBe(1);
  expect((await service.call('GET', '/tickets?search=switched%20off')).body.totalCount).toBe(1);
});

it('retention deletes finished deliveries after its days, delivered or failed, with their events, and never waiting ones', async () => {
  const clock = new MovableClock();
  const service = await startTestService({ clock });
  const { db } = openTables(service);
  const [well, failing, gone] = [
    await startReceiver(),
    await startReceiver(answers(500)),
    await startReceiver(answers(410)),
  ];
  const register = async (url: string) =>
    (await service.call('POST', '/webhooks', { body: { url, eventTypes: ['Message'] } })).body.id;
  const ids = { well: await register(well.url), failing: await register(failing.url) };
  const { id: ticketId } = (await ticket(service)).body;
  const say = () => service.call('POST', '/ticket-messages', { body: { ticketId, content: 'x' } });
  await say();
  await settled(service, ids.well, 'delivered', 1);
  const ended = await register(gone.url);
  await say();
  await settled(service, ids.well, 'delivered', 2);
  await settled(service, ended, 'failed', 1);
  await settled(service, ids.failing, 'pending', 2);
  const count = async () => ({
    deliveries: (await db.selectFrom('delivery').select('id').execute()).length,
    events: (await db.selectFrom('event').select('id').execute()).length,
  });
  expect(await count()).toEqual({ deliveries: 5, events: 2 });
  const days = (number: number) => new Date(clock.now().getTime() - number * DAY_MS);
  clock.pass(89 * DAY_MS);
  expect(await pruneDeliveries(db, days(90))).toEqual({ deliveries: 0, events: 0 });
  clock.pass(2 * DAY_MS);
  expect(await pruneDeliveries(db, days(90))).toEqual({ deliveries: 3, events: 0 });
  expect(await count()).toEqual({ deliveries: 2, events: 2 });
  // Waiting deliveries are deleted with their webhook, and then their events.
  await service.call('DELETE', `/webhooks/${ids.failing}`);
  expect(await pruneDeliveries(db, days(90))).toEqual({ deliveries: 0, events: 2 });
});

it('a running service prunes by itself, in as many batches as needed, while other requests run', async () => {
  const clock = new MovableClock();
  const service = await startTestService({ clock, retention: { days: 90, everyMs: 50 } });
  const { db } = openTables(service);
  const receiver = await startReceiver();
  const { id } = (
    await service.call('POST', '/webhooks', { body: { url: receiver.url, eventTypes: ['Ticket'] } })
  ).body;
  const old = new Date(clock.now().getTime() - 91 * DAY_MS);
  const numbers = Array.from({ length: 2_500 }, (_, number) => number);
  const row = { workspace_id: service.workspaceId, created_at: old };
  await transaction(db, async (tx) => {
    await tx
      .insertInto('event')
      .values(
        numbers.map((number) => ({
          ...row,
          id: `old${number}`,
          type: 'Ticket',
          action: 'created',
          body: '{}',
        })),
      )
      .execute();
    await tx
      .insertInto('delivery')
      .values(
        numbers.map((number) => ({
          ...row,
          id: `old${number}`,
          webhook_id: id,
          event_id: `old${number}`,
          state: 'delivered' as const,
          delivered_at: old,
          updated_at: old,
        })),
      )
      .execute();
  });
  await ticket(service);
  await until('only the new event to be left', async () => {
    const rows = await db.selectFrom('event').select('id').execute();
    return rows.length === 1 || undefined;
  });
  expect(await settled(service, id, 'delivered', 1)).toHaveLength(1);
});

it('a running service deletes done work, and lanes without work, by itself; what waits stays', async () => {
  const service = await startTestService({ forgetEveryMs: 50 });
  const { db } = openTables(service);
  const [well, dead] = [await startReceiver(), await startReceiver(answers(500))];
  for (const { url } of [well, dead])
    await service.call('POST', '/webhooks', { body: { url, eventTypes: ['Ticket'] } });
  await ticket(service);
  await until('only the retry to be left', async () => {
    const work = await db.selectFrom('work').select('kind').execute();
    const lanes = await db.selectFrom('lane').select('class').execute();
    const isLeft = isDeepStrictEqual([work, lanes], [[{ kind: 'retry' }], [{ class: 'webhook-retry' }]]);
    return (isLeft && well.calls.length === 1) || undefined;
  });
});
