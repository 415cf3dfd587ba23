import { describe, expect, it } from 'vitest';

import type { Body } from '../harness.ts';
import { OFFICE_HOURS } from '../world.ts';
import { create, person, put, statuses } from './requests.ts';
import { due, made, read, recomputed, setUp, TARGETS } from './targets.ts';

const HOUR_MS = 60 * 60_000;

describe('a ticket’s due times', () => {
  it('are counted from its opening in the business hours of its queue, and are in lists too', async () => {
    const { service, queue } = await setUp();
    const ticket = await create(service, { queueId: queue.id });
    // 12:30 in Berlin; and, after 6.5 hours on Friday, 12:30 on Monday.
    const expected = ['2026-11-20T11:30:00.000Z', '2026-11-23T11:30:00.000Z'];
    expect(due(ticket)).toEqual(expected);
    const [listed] = (await service.call('GET', `/tickets?set=${ticket.id}`)).body.items;
    expect(listed && due(listed)).toEqual(expected);
    const [thin] = (await service.call('GET', `/tickets?set=${ticket.id}&responseType=thin`)).body.items;
    expect(thin && due(thin)).toEqual(expected);
  });

  it('are null without a target, whose queue or priority has none', async () => {
    const { service, queue } = await setUp();
    expect(due(await create(service, {}))).toEqual([null, null]);
    expect(due(await create(service, { queueId: queue.id, priority: 'LOW' }))).toEqual([null, null]);
  });

  it('follow the ticket’s queue and priority', async () => {
    const { service, queue } = await setUp();
    const allDay = await made(service, '/business-hours', {
      name: 'Always',
      timeZone: 'UTC',
      days: [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' })),
    });
    const always = await made(service, '/queues', {
      name: 'Ops',
      prefix: 'OPS',
      businessHoursId: allDay.id,
      settings: { targets: TARGETS },
    });
    const { id } = await create(service, { queueId: queue.id });
    const after = async (data: Record<string, unknown>) => due((await put(service, id, data)).body);
    expect(await after({ priority: 'URGENT' })).toEqual([
      '2026-11-20T10:30:00.000Z',
      '2026-11-20T14:30:00.000Z',
    ]);
    expect(await after({ priority: 'MEDIUM', queueId: always.id })).toEqual([
      '2026-11-20T11:30:00.000Z',
      '2026-11-20T19:30:00.000Z',
    ]);
    expect(await after({ priority: 'LOW' })).toEqual([null, null]);
    expect(await after({ title: 'Other', priority: 'HIGH' })).toEqual([null, null]);
  });

  it('end with the first reply to the requester and with the resolution, and come back when it is reopened', async () => {
    const { service, queue } = await setUp();
    const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
    const { id, resolutionDueAt } = await create(service, { queueId: queue.id, requesterId: ada });
    const say = (body: object) =>
      service.call('POST', '/ticket-messages', { body: { ticketId: id, content: 'x', ...body } });
    await say({ authorId: ada });
    await say({ authorId: mira, private: true });
    expect((await read(service, id)).firstReplyDueAt).not.toBeNull();
    await say({ authorId: mira });
    expect(due(await read(service, id))).toEqual([null, resolutionDueAt]);
    const by = await statuses(service);
    expect(due((await put(service, id, { statusId: by['Done'] })).body)).toEqual([null, null]);
    expect(due((await put(service, id, { statusId: by['Open'] })).body)).toEqual([null, resolutionDueAt]);
    expect(due((await put(service, id, { archivedAt: '2026-11-20T10:00:00Z' })).body)).toEqual([null, null]);
    const unanswered = await create(service, { queueId: queue.id, requesterId: ada });
    expect(due((await put(service, unanswered.id, { statusId: by['Closed'] })).body)).toEqual([null, null]);
    expect(due(await create(service, { queueId: queue.id, statusId: by['Done'] }))).toEqual([null, null]);
  });

  it('of open tickets follow changed targets and business hours, without an event or a new updatedAt', async () => {
    const { service, queue, hours } = await setUp();
    const ticket = await create(service, { queueId: queue.id });
    const by = await statuses(service);
    const done = await create(service, { queueId: queue.id, statusId: by['Done'] });
    const elsewhere = await create(service, {});
    const after = async (method: string, path: string, body?: object) => {
      expect((await service.call(method, path, { body })).status).toBe(200);
      await recomputed(service);
      const now = await read(service, ticket.id);
      expect(now.updatedAt).toBe(ticket.updatedAt);
      return due(now);
    };
    const targets = { MEDIUM: { responseMinutes: 30, resolutionMinutes: null } };
    expect(await after('PUT', `/queues/${queue.id}`, { settings: { targets } })).toEqual([
      '2026-11-20T10:00:00.000Z',
      null,
    ]);
    expect(
      await after('PUT', `/business-hours/${hours.id}`, { holidays: [{ date: '2026-11-20', name: 'Off' }] }),
    ).toEqual(['2026-11-23T08:30:00.000Z', null]);
    expect(await after('DELETE', `/business-hours/${hours.id}`)).toEqual(['2026-11-20T10:00:00.000Z', null]);
    const again = { ...OFFICE_HOURS, timeZone: 'America/New_York', isDefault: true };
    expect(await after('POST', '/business-hours', again)).toEqual(['2026-11-20T14:30:00.000Z', null]);
    expect(await after('PUT', `/queues/${queue.id}`, { settings: { targets: null } })).toEqual([null, null]);
    expect(due(await read(service, done.id))).toEqual([null, null]);
    expect(due(await read(service, elsewhere.id))).toEqual([null, null]);
  });
});

describe('tickets that are due', () => {
  it('are found and sorted by the earliest of both targets and the due date, unless they are done', async () => {
    const { service, queue, clock } = await setUp();
    const by = await statuses(service);
    const title = (items: readonly Body[]) => items.map((each) => each.title);
    const list = async (query: string) =>
      title(
        (await service.call('GET', `/tickets?sortBy=due&sortDirection=asc&timeZone=Europe/Berlin&${query}`))
          .body.items,
      );
    await create(service, { title: 'never' });
    await create(service, { title: 'in two hours', queueId: queue.id });
    await create(service, { title: 'in an hour', queueId: queue.id, dueAt: '2026-11-20T10:30:00Z' });
    await create(service, { title: 'tonight', dueAt: '2026-11-20T22:59:00Z' });
    await create(service, { title: 'after midnight in Berlin', dueAt: '2026-11-20T23:30:00Z' });
    await create(service, { title: 'next Thursday', dueAt: '2026-11-26T12:00:00Z' });
    await create(service, { title: 'next Friday', dueAt: '2026-11-27T12:00:00Z' });
    await create(service, { title: 'done', dueAt: '2026-11-20T10:00:00Z', statusId: by['Done'] });
    const soon = ['in an hour', 'in two hours', 'tonight'];
    expect(await list('due=overdue')).toEqual([]);
    expect(await list('due=today')).toEqual(soon);
    expect(await list('due=week')).toEqual([...soon, 'after midnight in Berlin', 'next Thursday']);
    clock.pass(1.5 * HOUR_MS);
    expect(await list('due=overdue')).toEqual(['in an hour']);
    expect(await list('due=today')).toEqual(['in two hours', 'tonight']);
    expect((await list('')).at(-1)).toBe('never');
    expect((await service.call('GET', '/tickets?due=tomorrow')).status).toBe(400);
  });
});
