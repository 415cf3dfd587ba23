import { describe, expect, it } from 'vitest';

import type { Notification, TicketEvent, TicketWarning } from '../../../src/contract/index.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/log.ts';
import { tellWarnings } from '../../../src/service/warnings/tell.ts';
import { signIn } from '../signed-in.ts';
import { create, person, put, statuses } from '../tickets/requests.ts';
import { made, recomputed, setUp } from '../tickets/targets.ts';
import { planningEngine } from '../work.ts';
import { openTables } from '../world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * A ticket of Ada's, which Mira has, on Friday, 20 November 2026, 10:30 in Berlin: a first reply within two business
 * hours, a resolution within ten. Sam is of the team too, Fay is not.
 */
async function openTicket() {
  const world = await setUp();
  const { service, clock, queue } = world;
  await recomputed(service);
  const tables = openTables(service);
  const { db } = tables;
  const agent = (name: string, queueIds: string[] | null) =>
    signIn(db, service.workspaceId, { role: 'agent', name, queueIds, now: clock.now() });
  const people = {
    mira: await agent('Mira', [queue.id]),
    sam: await agent('Sam', [queue.id]),
    fay: await agent('Fay', null),
  };
  await made(service, '/webhooks', { url: 'http://127.0.0.1:9/hook', eventTypes: ['Ticket'] });
  const ada = await person(service, 'Ada');
  const open = (more = {}) =>
    create(service, { queueId: queue.id, requesterId: ada, assigneeId: people.mira.personId, ...more });
  const { id } = await open();
  const newId = createIds(clock);
  const log = createLog({ level: 'silent', pretty: false });
  const tell = () => tellWarnings(db, planningEngine(tables), { newId, log, now: clock.now() });
  /** What was told so far, oldest first. */
  const told = async () => {
    const { items } = (await service.call('GET', '/ticket-warnings?sortDirection=asc')).body as unknown as {
      items: TicketWarning[];
    };
    return items.map(
      ({ target, percent, recipient, userId, chatChannelId, createdAt }) =>
        `${createdAt.slice(5, 16)} ${target} ${percent} ${[recipient, userId, chatChannelId].filter(Boolean).join(' ')}`,
    );
  };
  const inbox = async ({ token }: { token: string }) => {
    const { items } = (await service.call('GET', '/notifications?sortDirection=asc', { token }))
      .body as unknown as { items: Notification[] };
    return items.map(({ kind, at }) => `${at.slice(5, 16)} ${kind}`);
  };
  /** Looks for warnings every so often, as the service does. */
  const passTo = async (instant: string, everyMinutes = 1) => {
    while (clock.now().getTime() < Date.parse(instant)) {
      clock.pass(everyMinutes * MINUTE_MS);
      await tell();
    }
  };
  const set = async (data: object) => {
    const { status } = await service.call('PUT', `/queues/${queue.id}`, { body: { settings: data } });
    await recomputed(service);
    return status;
  };
  return { ...world, db, people, ada, id, open, tell, told, inbox, passTo, set };
}

describe('warnings of a target', () => {
  it('come when four fifths of its business time have passed and when it is over, each once, to assignee and team', async () => {
    const { id, told, inbox, passTo, people, db } = await openTicket();
    await passTo('2026-11-20T11:05:00Z', 5);
    expect(await told()).toEqual([]);
    await passTo('2026-11-20T11:32:00Z');
    const firstReply = ['11-20T11:06 first-reply 80 team', '11-20T11:30 first-reply 100 team'];
    expect(await told()).toEqual(firstReply);
    const inTheirInbox = ['11-20T11:06 due-soon', '11-20T11:30 overdue'];
    expect(await inbox(people.mira)).toEqual(inTheirInbox);
    expect(await inbox(people.sam)).toEqual(inTheirInbox);
    expect(await inbox(people.fay)).toEqual([]);
    // Eight hours: six and a half on Friday, an hour and a half on Monday; not a minute at the weekend.
    await passTo('2026-11-23T11:31:00Z', 30);
    expect(await told()).toEqual([
      ...firstReply,
      '11-23T09:32 resolution 80 team',
      '11-23T11:32 resolution 100 team',
    ]);
    await passTo('2026-11-24T16:00:00Z', 120);
    expect(await told()).toHaveLength(4);
    const events = await db
      .selectFrom('event')
      .select('body')
      .where('action', '=', 'warned')
      .orderBy('id')
      .execute();
    const bodies = events.map(({ body }) => JSON.parse(body) as TicketEvent);
    expect(bodies).toHaveLength(4);
    expect(bodies[0]).toMatchObject({
      type: 'Ticket',
      action: 'warned',
      actor: { userId: null, source: 'SLA' },
      data: { id },
      changes: null,
      warning: {
        ticketId: id,
        target: 'first-reply',
        percent: 80,
        recipient: 'team',
        dueAt: '2026-11-20T11:30:00.000Z',
      },
    });
  });

  it('go to the people and channels that the queue names, at its shares', async () => {
    const { told, inbox, passTo, people, set } = await openTicket();
    const { personId } = people.fay;
    const warnings = {
      percent: null,
      escalations: [
        { percent: 50, userId: personId, chatChannelId: null },
        { percent: 100, userId: null, chatChannelId: 'C1' },
        { percent: 150, userId: null, chatChannelId: 'C1' },
      ],
      outsideHours: [],
    };
    expect(await set({ warnings })).toBe(200);
    await passTo('2026-11-20T12:40:00Z', 5);
    expect(await told()).toEqual([
      `11-20T10:30 first-reply 50 person ${personId}`,
      '11-20T11:30 first-reply 100 team',
      '11-20T11:30 first-reply 100 channel C1',
      '11-20T12:30 first-reply 150 channel C1',
    ]);
    expect(await inbox(people.fay)).toEqual(['11-20T10:30 due-soon']);
    const refused = (escalation: object) => set({ warnings: { ...warnings, escalations: [escalation] } });
    expect(await refused({ percent: 50, userId: 'usr_nobody', chatChannelId: null })).toBe(422);
    expect(await refused({ percent: 50, userId: personId, chatChannelId: 'C1' })).toBe(400);
    expect(await refused({ percent: 50, userId: null, chatChannelId: null })).toBe(400);
  });

  it('that are due outside business hours come when these begin, and only the last of each', async () => {
    const { told, tell, clock } = await openTicket();
    clock.pass(9 * HOUR_MS);
    await tell();
    expect(await told()).toEqual([]);
    clock.pass(Date.parse('2026-11-23T07:59:00Z') - clock.now().getTime());
    await tell();
    expect(await told()).toEqual([]);
    clock.pass(MINUTE_MS);
    await tell();
    await tell();
    expect(await told()).toEqual(['11-23T08:00 first-reply 100 team']);
  });

  it('of a priority that the queue names come outside business hours too', async () => {
    const { told, tell, clock, set } = await openTicket();
    await set({ warnings: { percent: 80, escalations: [], outsideHours: ['MEDIUM'] } });
    clock.pass(9 * HOUR_MS);
    await tell();
    expect(await told()).toEqual(['11-20T18:30 first-reply 100 team']);
  });

  it('do not come while it waits or once it is met, and come again with the time that is left', async () => {
    const { told, passTo, id, service, people } = await openTicket();
    const labels = await statuses(service);
    await put(service, id, { statusId: labels['Waiting'] });
    await passTo('2026-11-20T13:00:00Z', 30);
    await put(service, id, { statusId: labels['Open'] });
    await passTo('2026-11-20T14:40:00Z', 5);
    expect(await told()).toEqual(['11-20T14:40 first-reply 80 team']);
    await made(service, '/ticket-messages', { ticketId: id, content: 'x', authorId: people.mira.personId });
    await passTo('2026-11-20T15:30:00Z', 5);
    expect(await told()).toHaveLength(1);
    await put(service, id, { statusId: labels['Done'] });
    await passTo('2026-11-24T15:00:00Z', 120);
    expect(await told()).toHaveLength(1);
  });

  it('are not told of what new targets put into the past, nor in a silent queue', async () => {
    const { told, tell, clock, set, open } = await openTicket();
    clock.pass(HOUR_MS);
    await set({ targets: { MEDIUM: { responseMinutes: 30, resolutionMinutes: 70 } } });
    await tell();
    expect(await told()).toEqual([]);
    // What comes afterwards is told.
    clock.pass(10 * MINUTE_MS);
    await tell();
    expect(await told()).toEqual(['11-20T10:40 resolution 100 team']);
    await set({ silentMode: true });
    await open();
    clock.pass(HOUR_MS);
    await tell();
    expect(await told()).toHaveLength(1);
  });

  it('are read by who sees the ticket', async () => {
    const { tell, clock, queue, service, people } = await openTicket();
    clock.pass(1.7 * HOUR_MS);
    await tell();
    const count = async ({ token }: { token: string }) =>
      (await service.call('GET', '/ticket-warnings', { token })).body.totalCount;
    expect([await count(people.mira), await count(people.fay)]).toEqual([1, 1]);
    await service.call('PUT', `/queues/${queue.id}`, { body: { visibility: 'team' } });
    expect([await count(people.mira), await count(people.fay)]).toEqual([1, 0]);
    const requester = await signIn(openTables(service).db, service.workspaceId, {
      role: 'requester',
      name: 'Rea',
    });
    expect((await service.call('GET', '/ticket-warnings', { token: requester.token })).status).toBe(403);
  });
});
