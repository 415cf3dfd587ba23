import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';

import { contentOf } from '../../../src/service/workflow-config/outline.ts';
import { countIdle, isStillIdle } from '../../../src/service/workflows/idle.ts';
import { RUNS_PER_MINUTE } from '../../../src/service/workflows/start.ts';
import { create, person, put, statuses } from '../tickets/requests.ts';
import { messagesOf, readWorkflow, setUp } from './setup.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const idle = (inputs: Record<string, unknown>) =>
  ({
    steps: {
      idle: ['Nothing happens', 'ticket.idle', inputs],
      note: ['Note', 'message.note', { content: 'Since {{idle.since}}' }],
    },
    leads: [['idle', 'note']],
  }) as const;

/** A service with a requester and a colleague of the team. */
async function withPeople() {
  const world = await setUp();
  const { service, send, settled } = world;
  const [requesterId, colleague] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const write = async (ticketId: string, authorId: string, more: object = {}) => {
    await send('POST', '/ticket-messages', { ticketId, content: 'A message', authorId, ...more });
    await settled();
  };
  const notes = async (id: string) =>
    (await messagesOf(service, id)).filter((content) => content.startsWith('Since '));
  return { ...world, requesterId, colleague, write, notes };
}

it('no reply of the team for four hours starts a run, once, and none where the team has replied', async () => {
  const { service, activate, pass, requesterId, colleague, write, notes } = await withPeople();
  await activate(idle({ of: 'team-reply', minutes: 240 }));
  const { id: silent } = await create(service, { requesterId });
  const { id: answered } = await create(service, { requesterId });
  await pass(HOUR_MS);
  await write(answered, colleague);
  // Neither a note nor what the requester adds is a reply.
  await write(silent, colleague, { private: true });
  await write(silent, requesterId);
  await pass(3 * HOUR_MS - MINUTE_MS);
  expect([await notes(silent), await notes(answered)]).toEqual([[], []]);
  await pass(2 * MINUTE_MS);
  expect([(await notes(silent)).length, await notes(answered)]).toEqual([1, []]);
  await pass(DAY_MS);
  expect((await notes(silent)).length).toBe(1);

  // The requester asks again: that is another time without a reply.
  await write(answered, requesterId);
  await pass(3 * HOUR_MS);
  expect(await notes(answered)).toEqual([]);
  await pass(HOUR_MS + MINUTE_MS);
  expect((await notes(answered)).length).toBe(1);
});

it('in business hours, a time goes on after the weekend', async () => {
  // It is Friday, 9:30.
  const { service, activate, pass, send, notes } = await withPeople();
  const days = [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' }));
  await send('POST', '/business-hours', { name: 'Office', timeZone: 'UTC', days, isDefault: true });
  await activate(idle({ of: 'team-reply', minutes: 240, businessHours: true }));
  await pass(6 * HOUR_MS);
  const { id } = await create(service);
  // Friday has an hour and a half left, so the other two and a half end on Monday at 11:30.
  await pass(2 * DAY_MS + 19 * HOUR_MS + 55 * MINUTE_MS);
  expect(await notes(id)).toEqual([]);
  await pass(10 * MINUTE_MS);
  expect(await notes(id)).toEqual(['Since 2026-11-20T15:30:00.000Z']);
});

it('in business hours, time is computed once for queues that share theirs, and for a ticket only in its queue', async () => {
  const { service, tables, clock, send } = await withPeople();
  const { workspaceId } = service;
  const days = [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' }));
  await send('POST', '/business-hours', { name: 'Office', timeZone: 'UTC', days, isDefault: true });
  const { id } = await create(service);
  const trigger = { workspaceId, queueIds: null, inputs: { minutes: 30 * 8 * 60, businessHours: true } };
  const lookAtAll = () => countIdle(tables.db, trigger, clock.now(), 1000);
  const lookAtOne = () => isStillIdle(tables.db, trigger, { id, since: clock.now(), now: clock.now() });
  /** How often a clock on a wall is read. */
  const readings = async (look: () => Promise<unknown>) => {
    const read = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    await look();
    const { length } = read.mock.calls;
    read.mockRestore();
    return length;
  };
  const ofOneQueue = await readings(lookAtAll);
  expect(ofOneQueue).toBeGreaterThan(0);
  // Each day that it looks back at is read about twice.
  expect(ofOneQueue).toBeLessThan(500);
  for (let at = 0; at < 10; at++) await send('POST', '/queues', { name: `Queue ${at}`, prefix: `QU${at}` });
  expect(await readings(lookAtAll)).toBe(ofOneQueue);
  const tokyo = { name: 'Tokyo', timeZone: 'Asia/Tokyo', days };
  const { id: businessHoursId } = await send('POST', '/business-hours', tokyo);
  await send('POST', '/queues', { name: 'Tokyo', prefix: 'TOK', businessHoursId });
  expect(await readings(lookAtAll)).toBeGreaterThan(ofOneQueue);
  expect(await readings(lookAtOne)).toBe(ofOneQueue);
});

it('five days of waiting for the requester start a run, unless the ticket went on in between', async () => {
  const { service, activate, pass, notes } = await withPeople();
  const byLabel = await statuses(service);
  await activate(idle({ of: 'status-change', statusGroup: 'PENDING', minutes: 5 * 24 * 60 }));
  const { id } = await create(service);
  await put(service, id, { statusId: byLabel['Waiting'] });
  await pass(3 * DAY_MS);
  await put(service, id, { statusId: byLabel['Open'] });
  await put(service, id, { statusId: byLabel['Waiting'] });
  await pass(4 * DAY_MS);
  expect(await notes(id)).toEqual([]);
  await pass(DAY_MS + MINUTE_MS);
  expect((await notes(id)).length).toBe(1);
});

it.each<[string, ['team' | 'requester', sentMinute: number][], boolean]>([
  [
    'answers a message that had been written and had come before it',
    [
      ['requester', 0],
      ['team', 1],
    ],
    true,
  ],
  [
    'does not answer a message that was written after it, though the reply came later',
    [
      ['requester', 2],
      ['team', 1],
    ],
    false,
  ],
  [
    'does not answer a message that came after it, though the reply was written later',
    [
      ['team', 1],
      ['requester', 0],
    ],
    false,
  ],
])('a reply of the team %s', async (_, coming, isAnswered) => {
  const { service, activate, pass, requesterId, colleague, write, notes, clock } = await withPeople();
  await activate(idle({ of: 'requester-reply', minutes: 60 }));
  const { id } = await create(service, { requesterId });
  const began = clock.now().getTime();
  await pass(5 * MINUTE_MS);
  for (const [who, sentMinute] of coming) {
    const chatTimestamp = ((began + sentMinute * MINUTE_MS) / 1_000).toFixed(6);
    const author = who === 'team' ? colleague : requesterId;
    await write(id, author, { chatChannelId: 'C0HELP', chatTimestamp });
    await pass(MINUTE_MS);
  }
  await pass(2 * HOUR_MS);
  expect(await notes(id)).toHaveLength(isAnswered ? 1 : 0);
});

it('any act of a person is activity, and what workflows write is none', async () => {
  const { service, activate, pass, write, colleague, notes } = await withPeople();
  await activate(idle({ minutes: 60 }));
  const { id } = await create(service);
  await pass(50 * MINUTE_MS);
  await put(service, id, { priority: 'HIGH' });
  await pass(50 * MINUTE_MS);
  await write(id, colleague, { private: true });
  await pass(50 * MINUTE_MS);
  expect(await notes(id)).toEqual([]);
  await pass(11 * MINUTE_MS);
  expect((await notes(id)).length).toBe(1);
  await pass(DAY_MS);
  expect((await notes(id)).length).toBe(1);
});

it('tickets that match already are left out, and count anew when something happens', async () => {
  const { service, activate, pass, write, colleague, notes } = await withPeople();
  const { id: old } = await create(service);
  await pass(55 * MINUTE_MS);
  const { id: young } = await create(service);
  await pass(10 * MINUTE_MS);
  await activate(idle({ minutes: 60 }));
  // The younger one counts from the activation.
  await pass(55 * MINUTE_MS);
  expect([await notes(old), await notes(young)]).toEqual([[], []]);
  await pass(6 * MINUTE_MS);
  expect([await notes(old), (await notes(young)).length]).toEqual([[], 1]);
  await write(old, colleague);
  await pass(61 * MINUTE_MS);
  expect((await notes(old)).length).toBe(1);
});

it('tickets that match already are included once their number is confirmed', async () => {
  const { service, send, settled, pass, notes } = await withPeople();
  const tickets = [(await create(service)).id, (await create(service)).id];
  await pass(61 * MINUTE_MS);
  const { id } = await send('POST', '/workflows', { name: 'Flow', ...contentOf(idle({ minutes: 60 })) });
  expect(await send('GET', `/workflows/${id}/matching-tickets`)).toEqual({ count: 2, isCapped: false });
  const confirm = (includeMatching: number) =>
    service.call('PUT', `/workflows/${id}`, { body: { name: 'Flow', state: 'Active', includeMatching } });
  const refused = await confirm(1);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    409,
    expect.stringContaining('2 tickets match already, not 1'),
  ]);
  expect((await readWorkflow(service, id)).state).toBe('Draft');
  expect((await confirm(2)).status).toBe(200);
  await settled();
  for (const ticket of tickets) expect((await notes(ticket)).length).toBe(1);
  // It is active: nothing is there to be confirmed.
  expect(await send('GET', `/workflows/${id}/matching-tickets`)).toEqual({ count: 0, isCapped: false });
  expect((await confirm(2)).status).toBe(422);
});

it('runs of tickets whose time is up neither pause their workflow nor count towards its limit', async () => {
  const { service, activate, settled, pass, tables, clock, runs } = await withPeople();
  const id = await activate({
    steps: {
      idle: ['An hour', 'ticket.idle', { minutes: 60 }],
      opened: ['Opened', 'ticket.created', {}],
      note: ['Note', 'message.note', { content: 'Noted' }],
    },
    leads: [
      ['idle', 'note'],
      ['opened', 'note'],
    ],
  });
  await create(service);
  await settled();
  const [run] = await tables.db.selectFrom('workflow_run').selectAll().execute();
  if (!run) throw new Error('no run');
  const addRuns = async (trigger: string, created_at: Date) => {
    const more = Array.from({ length: RUNS_PER_MINUTE }, (_, at) => {
      const name = `${trigger}_${at}`;
      return { ...run, id: `wfr_${name}`, event_id: name, trigger_step_id: trigger, created_at };
    });
    await tables.db.insertInto('workflow_run').values(more).execute();
  };
  const started = async () =>
    (await runs('limit=1000'))
      .filter(({ id: runId }) => !/_(idle|opened)_/.test(runId))
      .map(({ triggerStepId }) => triggerStepId);

  await addRuns('opened', new Date(clock.now().getTime() + 61 * MINUTE_MS));
  await pass(61 * MINUTE_MS);
  expect(await started()).toEqual(['opened', 'idle']);
  await pass(2 * MINUTE_MS);
  await addRuns('idle', clock.now());
  await create(service);
  await settled();
  expect(await started()).toEqual(['opened', 'idle', 'opened']);
  expect((await readWorkflow(service, id)).state).toBe('Active');
});

it('a new version counts on where its trigger is the same, and from then on where it is not', async () => {
  const { service, send, activate, pass, notes } = await withPeople();
  const id = await activate(idle({ minutes: 60 }));
  const { id: ticket } = await create(service);
  await pass(50 * MINUTE_MS);
  const publish = async (stepId: string, inputs: Record<string, unknown>) => {
    const { steps } = await readWorkflow(service, id);
    const changed = steps.map((step) => (step.id === stepId ? { ...step, inputs } : step));
    await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Active', steps: changed });
  };
  await publish('note', { content: 'Since then' });
  await pass(11 * MINUTE_MS);
  expect(await notes(ticket)).toEqual(['Since then']);
  await publish('idle', { minutes: 30 });
  await pass(DAY_MS);
  expect(await notes(ticket)).toEqual(['Since then']);
});

it('a ticket that is done does not wait for anything, unless the trigger names its status', async () => {
  const { service, activate, pass, notes } = await withPeople();
  const byLabel = await statuses(service);
  await activate(idle({ minutes: 60 }));
  const { id } = await create(service);
  await put(service, id, { statusId: byLabel['Done'] });
  await pass(DAY_MS);
  expect(await notes(id)).toEqual([]);
  await activate(idle({ minutes: 60, statusGroup: 'RESOLVED' }));
  await put(service, id, { title: 'Another' });
  await pass(DAY_MS);
  expect((await notes(id)).length).toBe(1);
});

it('a workflow starts nothing on tickets that it was not given, and gets those of new queues without their past', async () => {
  const { service, send, activate, pass, notes } = await withPeople();
  const queue = await send('POST', '/queues', { name: 'Other', prefix: 'OTH' });
  const { id: own } = await create(service);
  const { id: other } = await create(service, { queueId: queue.id });
  const { queueId } = (await send('GET', `/tickets/${own}`)) as unknown as { queueId: string };
  const id = await activate(idle({ minutes: 60 }), { queueIds: [queueId] });
  await pass(2 * HOUR_MS);
  expect([(await notes(own)).length, await notes(other)]).toEqual([1, []]);
  await send('PUT', `/workflows/${id}`, { name: 'Flow', queueIds: [queueId, queue.id] });
  await pass(2 * HOUR_MS);
  expect([(await notes(own)).length, await notes(other)]).toEqual([1, []]);
});

it('a ticket that comes to match has counted before, and one that matches no more does not start', async () => {
  const { service, activate, pass, notes } = await withPeople();
  await activate(idle({ of: 'team-reply', minutes: 60, priority: 'URGENT' }));
  const { id: late } = await create(service);
  const { id: calm } = await create(service, { priority: 'URGENT' });
  await pass(50 * MINUTE_MS);
  await put(service, calm, { priority: 'LOW' });
  await pass(70 * MINUTE_MS);
  expect([await notes(late), await notes(calm)]).toEqual([[], []]);
  await put(service, late, { priority: 'URGENT' });
  await put(service, calm, { priority: 'URGENT' });
  await pass(MINUTE_MS);
  expect([(await notes(late)).length, (await notes(calm)).length]).toEqual([1, 1]);
});

it('a reply that is deleted has not been given', async () => {
  const { service, send, activate, pass, requesterId, colleague, write, notes } = await withPeople();
  await activate(idle({ of: 'requester-reply', minutes: 60 }));
  const { id } = await create(service, { requesterId });
  await write(id, colleague);
  await pass(30 * MINUTE_MS);
  await write(id, requesterId);
  const { items } = await send('GET', `/ticket-messages?ticketId=${id}&sortDirection=desc`);
  await pass(10 * MINUTE_MS);
  await send('DELETE', `/ticket-messages/${items[0]?.id}`);
  await pass(19 * MINUTE_MS);
  expect(await notes(id)).toEqual([]);
  await pass(2 * MINUTE_MS);
  expect((await notes(id)).length).toBe(1);
});

it('a look is only at tickets that changed and at those whose time may be up, however many wait', async () => {
  const { service, tables, activate, pass, colleague, write, notes } = await withPeople();
  await activate(idle({ minutes: 60 }));
  const tickets: string[] = [];
  for (let at = 0; at < 10; at++) tickets.push((await create(service)).id);
  const [written = '', changed = ''] = tickets;
  // What counts anew is written anew.
  const rows = async () => {
    const { rows: found } = await sql<{ ticket_id: string; at: string }>`
      select ticket_id, ctid::text || ' ' || xmin as at from workflow_idle`.execute(tables.db);
    return new Map(found.map(({ ticket_id, at }) => [ticket_id, at]));
  };
  await pass(10 * MINUTE_MS);
  await pass(10 * MINUTE_MS);
  const before = await rows();
  expect(before.size).toBe(10);
  await write(written, colleague, { private: true });
  await put(service, changed, { priority: 'HIGH' });
  await pass(MINUTE_MS);
  const after = await rows();
  expect(tickets.filter((id) => before.get(id) !== after.get(id)).toSorted()).toEqual(
    [written, changed].toSorted(),
  );
  await pass(40 * MINUTE_MS);
  expect((await Promise.all(tickets.map(notes))).map(({ length }) => length)).toEqual([
    0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
  ]);
});

it('after an upgrade, the first look is at all tickets', async () => {
  const { service, tables, activate, pass, notes } = await withPeople();
  await activate(idle({ minutes: 60 }));
  const { id } = await create(service);
  await pass(20 * MINUTE_MS);
  // As the version before left it.
  await sql`update workflow_trigger set looked_at = null`.execute(tables.db);
  await sql`delete from workflow_idle where is_counting`.execute(tables.db);
  await pass(30 * MINUTE_MS);
  await pass(11 * MINUTE_MS);
  expect((await notes(id)).length).toBe(1);
});
