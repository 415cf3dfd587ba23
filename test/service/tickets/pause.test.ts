import { describe, expect, it } from 'vitest';

import { migrate } from '../../../src/platform/database/migrate.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/log.ts';
import { tellWarnings } from '../../../src/service/warnings/tell.ts';
import { migrations, SCHEMA } from '../../../src/service/schema/migrations.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { databaseContents } from '../../harness/database-contents.ts';
import { connected, openSchema } from '../../harness/schema.ts';
import { type Body, type Running, startTestService } from '../harness.ts';
import { MovableClock } from '../clock.ts';
import { planningEngine } from '../work.ts';
import { openTables } from '../world.ts';
import { create, person, put, statuses } from './requests.ts';
import { due, made, minute, read, recomputed, setUp } from './targets.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A ticket of Ada's in a queue with targets, on Friday, 20 November 2026, 10:30 in Berlin. */
async function openTicket() {
  const world = await setUp();
  const { service, clock, queue } = world;
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const labels = await statuses(service);
  const { id } = await create(service, { queueId: queue.id, requesterId: ada });
  const set = async (label: string, more = {}) =>
    (await put(service, id, { statusId: labels[label], ...more }, { actorId: mira })).body;
  const say = (authorId: string, more = {}) =>
    service.call('POST', '/ticket-messages', { body: { ticketId: id, content: 'x', authorId, ...more } });
  return { ...world, ada, mira, labels, id, set, say, pass: (hours: number) => clock.pass(hours * HOUR_MS) };
}

/** The pauses of the history, with the status changes between, as they are shown. */
async function history({ call }: Running, id: string): Promise<string[]> {
  const { items } = (await call('GET', `/tickets/${id}/activity`)).body as unknown as {
    items: { at: string; field: string; from: unknown; to: unknown; actor: { name: string } }[];
  };
  const text = (value: unknown) =>
    typeof value === 'string' ? value.slice(5, 16) : ((value as { name: string } | null)?.name ?? '–');
  return items
    .filter(({ field }) => ['slaPausedAt', 'statusId'].includes(field))
    .map(
      ({ at, field, from, to, actor }) =>
        `${at.slice(5, 16)} ${actor.name} ${field}: ${text(from)} → ${text(to)}`,
    );
}

const PAUSED = [null, null];

describe('the targets of a ticket that is Waiting', () => {
  it('are paused, are in no list of what is overdue, and go on with the time that is left', async () => {
    const { service, id, set, pass } = await openTicket();
    const overdue = async () => {
      const { items } = (await service.call('GET', '/tickets?due=overdue')).body;
      return items.map((ticket) => ticket.id);
    };
    pass(0.5);
    const waiting = await set('Waiting');
    expect([due(waiting), minute(waiting.slaPausedAt)]).toEqual([PAUSED, '2026-11-20T10:00:00.000Z']);
    const [listed] = (await service.call('GET', `/tickets?set=${id}`)).body.items;
    expect(listed?.slaPausedAt).toBe('2026-11-20T10:00:00.000Z');
    pass(3);
    expect(await overdue()).toEqual([]);
    const open = await set('In Progress');
    // An hour and a half, and nine and a half hours: three of them on Friday, six and a half on Monday.
    expect(due(open)).toEqual(['2026-11-20T14:30:00.000Z', '2026-11-23T14:30:00.000Z']);
    expect(open.slaPausedAt).toBeNull();
    pass(2);
    expect(await overdue()).toEqual([id]);
    // What was late before is late no longer while it waits, and is late again afterwards.
    await set('Waiting');
    expect(await overdue()).toEqual([]);
    pass(1);
    expect(due(await set('Open'))[0]).toBe('2026-11-20T14:30:00.000Z');
    expect(await overdue()).toEqual([id]);
    expect(await history(service, id)).toEqual([
      '11-20T10:00 Mira statusId: Open → Waiting',
      '11-20T10:00 Mira slaPausedAt: – → 11-20T10:00',
      '11-20T13:00 Mira statusId: Waiting → In Progress',
      '11-20T13:00 Mira slaPausedAt: 11-20T10:00 → –',
      '11-20T15:00 Mira statusId: In Progress → Waiting',
      '11-20T15:00 Mira slaPausedAt: – → 11-20T15:00',
      '11-20T16:00 Mira statusId: Waiting → Open',
      '11-20T16:00 Mira slaPausedAt: 11-20T15:00 → –',
    ]);
  });

  it('stay paused through another status of the group, and a snooze pauses none', async () => {
    const { service, id, set, pass, labels } = await openTicket();
    const { items } = (await service.call('GET', '/statuses')).body;
    const group = items.find(({ label }) => label === 'Waiting') as unknown as { statusGroupId: string };
    const own = await made(service, '/statuses', {
      label: 'At the maker',
      statusGroupId: group.statusGroupId,
    });
    const snoozed = (await put(service, id, { snoozeUntil: '2026-12-01T08:00:00Z' })).body;
    expect(due(snoozed)).toEqual(['2026-11-20T11:30:00.000Z', '2026-11-23T11:30:00.000Z']);
    await set('Waiting');
    pass(1);
    const moved = (await put(service, id, { statusId: own.id })).body;
    expect([due(moved), minute(moved.slaPausedAt)]).toEqual([PAUSED, '2026-11-20T09:30:00.000Z']);
    // Opened as Waiting: nothing has counted yet.
    const waiting = await create(service, { queueId: moved.queueId, statusId: labels['Waiting'] });
    expect([due(waiting), minute(waiting.slaPausedAt)]).toEqual([PAUSED, '2026-11-20T10:30:00.000Z']);
    pass(1);
    const open = (await put(service, waiting.id, { statusId: labels['Open'] })).body;
    expect(due(open)[0]).toBe('2026-11-20T13:30:00.000Z');
  });

  it('count neither what it waited nor what it had ended, when it is closed out of Waiting and reopened', async () => {
    const { service, id, set, pass } = await openTicket();
    pass(0.5);
    await set('Waiting');
    pass(1);
    const closed = await set('Closed');
    expect([due(closed), minute(closed.slaPausedAt)]).toEqual([PAUSED, null]);
    pass(70);
    // Monday, 10:00 in Berlin: an hour and a half, and nine and a half hours, of which seven are on Monday.
    expect(due(await set('Open'))).toEqual(['2026-11-23T10:30:00.000Z', '2026-11-24T10:30:00.000Z']);
    await set('Done');
    pass(1);
    const waiting = await set('Waiting');
    expect([due(waiting), minute(waiting.slaPausedAt)]).toEqual([PAUSED, '2026-11-23T10:00:00.000Z']);
    expect((await history(service, id)).filter((line) => line.includes('slaPausedAt'))).toEqual([
      '11-20T10:00 Mira slaPausedAt: – → 11-20T10:00',
      '11-23T10:00 Mira slaPausedAt: – → 11-23T10:00',
    ]);
  });

  it('are not paused without a target, and are as soon as there is one', async () => {
    const { service, set, id, pass } = await openTicket();
    await set('Waiting', { priority: 'LOW' });
    expect((await read(service, id)).slaPausedAt).toBeNull();
    pass(1);
    const urgent = (await put(service, id, { priority: 'URGENT' })).body;
    expect([due(urgent), minute(urgent.slaPausedAt)]).toEqual([PAUSED, '2026-11-20T09:30:00.000Z']);
    pass(1);
    expect(due(await set('Open'))).toEqual(['2026-11-20T12:30:00.000Z', '2026-11-23T08:30:00.000Z']);
  });

  it('go on in a queue that does not pause, and keep what was paused before', async () => {
    const { service, id, set, pass, queue } = await openTicket();
    const targets = { MEDIUM: { responseMinutes: 120, resolutionMinutes: null } };
    const { id: restless } = await made(service, '/queues', {
      name: 'Ops',
      prefix: 'OPS',
      settings: { targets, pauseWhileWaiting: false },
    });
    await set('Waiting');
    pass(1);
    const moved = (await put(service, id, { queueId: restless })).body;
    expect([due(moved), minute(moved.slaPausedAt)]).toEqual([['2026-11-20T12:30:00.000Z', null], null]);
    pass(1);
    const back = (await put(service, id, { queueId: queue.id })).body;
    expect([due(back), minute(back.slaPausedAt)]).toEqual([PAUSED, '2026-11-20T11:30:00.000Z']);
    pass(1);
    // An hour was paused before the move, an hour after it came back.
    expect(due(await set('Open'))[0]).toBe('2026-11-20T13:30:00.000Z');
  });

  it('follow the switch of the queue from then on, which the history says, without an event', async () => {
    const { service, id, set, pass, queue } = await openTicket();
    const before = await set('Waiting');
    pass(1);
    const turn = async (pauseWhileWaiting: boolean): Promise<Body> => {
      await service.call('PUT', `/queues/${queue.id}`, { body: { settings: { pauseWhileWaiting } } });
      await recomputed(service);
      return read(service, id);
    };
    const off = await turn(false);
    expect([due(off)[0], minute(off.slaPausedAt)]).toEqual(['2026-11-20T12:30:00.000Z', null]);
    pass(0.5);
    const on = await turn(true);
    expect([due(on), minute(on.slaPausedAt)]).toEqual([PAUSED, '2026-11-20T11:00:00.000Z']);
    expect(on.updatedAt).toBe(before.updatedAt);
    expect((await history(service, id)).slice(2)).toEqual([
      '11-20T10:30 System slaPausedAt: 11-20T09:30 → –',
      '11-20T11:00 System slaPausedAt: – → 11-20T11:00',
    ]);
  });
});

describe('a public reply of the requester', () => {
  it('sets a ticket that is Waiting to Open, so that its clocks go on', async () => {
    const { service, id, set, pass, say, ada, mira } = await openTicket();
    await set('Waiting');
    pass(1);
    await say(mira, { private: true });
    await say(mira);
    await say(ada, { private: true });
    expect((await read(service, id)).status.label).toBe('Waiting');
    const answered = await say(ada);
    const open = await read(service, id);
    expect([open.status.label, open.slaPausedAt, due(open)]).toEqual([
      'Open',
      null,
      [null, '2026-11-23T12:30:00.000Z'],
    ]);
    // The bridge asks nobody whether to reopen what is open already.
    expect(answered.headers.get('x-ticket-status-group')).toBe('Open');
    expect((await history(service, id)).slice(-2)).toEqual([
      '11-20T10:30 Ada statusId: Waiting → Open',
      '11-20T10:30 Ada slaPausedAt: 11-20T09:30 → –',
    ]);
  });

  it('leaves it Waiting if the queue says so, and leaves what is done', async () => {
    const { service, id, set, say, ada, queue } = await openTicket();
    await set('Done');
    await say(ada);
    expect((await read(service, id)).status.label).toBe('Done');
    await service.call('PUT', `/queues/${queue.id}`, { body: { settings: { openOnReply: false } } });
    await set('Waiting');
    await say(ada);
    expect((await read(service, id)).status.label).toBe('Waiting');
  });
});

it('an upgrade pauses the open tickets that wait, from the recorded changes of their status, and tells nobody', async () => {
  const { url } = await createTestDatabase('upgrade');
  await migrate(openSchema(url, SCHEMA), migrations.slice(0, 1));
  const client = await connected(url);
  await client.query(`set search_path to ${SCHEMA}`);
  // A workspace of the former version: targets of two hours around the clock, and tickets that waited.
  await client.query(`
    insert into workspace (id, name, slug, organization_id, settings_id, created_at, updated_at)
      values ('w', 'W', 'w', 'o', 'ws', now(), now());
    insert into queue (workspace_id, id, name, prefix, settings_id, settings, created_at, updated_at)
      values ('w', 'q', 'Q', 'Q', 'qs', '{"targets": {"MEDIUM": {"responseMinutes": 120, "resolutionMinutes": 600}}}', now(), now());
    insert into status_group (workspace_id, id, label, kind)
      select 'w', kind, kind, kind from unnest(array['OPEN', 'IN_PROGRESS', 'PENDING', 'RESOLVED', 'CLOSED']) as kind;
    insert into status (workspace_id, id, label, position, system, status_group_id, created_at, updated_at)
      select 'w', kind, kind, place, true, kind, now(), now()
      from unnest(array['OPEN', 'IN_PROGRESS', 'PENDING', 'RESOLVED', 'CLOSED']) with ordinality as k (kind, place);
    insert into ticket (workspace_id, id, queue_id, number, short_id, title, priority, source, status_id, first_reply_due_at,
        resolved_at, archived_at, created_at, updated_at, stamped_at)
      select 'w', id, 'q', number, id, id, 'MEDIUM', 'WEB', status, '2026-11-20T11:00Z', resolved::timestamptz, archived::timestamptz,
        '2026-11-20T09:00Z', '2026-11-20T10:00Z', '2026-11-20T10:00Z'
      from (values ('never', 1, 'OPEN', null, null), ('waits', 2, 'PENDING', null, null), ('waited', 3, 'OPEN', null, null),
        ('reopened', 4, 'IN_PROGRESS', null, null), ('done', 5, 'RESOLVED', '2026-11-20T10:00Z', null),
        ('always', 6, 'PENDING', null, null), ('archived', 7, 'PENDING', null, '2026-11-20T10:00Z'),
        ('late', 8, 'OPEN', null, null))
        as t (id, number, status, resolved, archived);
    update ticket set created_at = '2026-11-20T06:00Z' where id = 'late';
    insert into ticket_activity (workspace_id, id, ticket_id, kind, actor_kind, field, old_value, new_value, at)
      select 'w', ticket || at, ticket, 'changed', 'system', 'statusId', old, new, ('2026-11-20T' || at || 'Z')::timestamptz
      from (values ('waits', '09:30', 'OPEN', 'PENDING'), ('waited', '09:30', 'OPEN', 'PENDING'),
        ('waited', '10:00', 'PENDING', 'OPEN'), ('reopened', '09:10', 'OPEN', 'PENDING'),
        ('reopened', '09:20', 'PENDING', 'CLOSED'), ('reopened', '09:50', 'CLOSED', 'IN_PROGRESS'),
        ('done', '10:00', 'OPEN', 'RESOLVED'), ('archived', '09:30', 'OPEN', 'PENDING')) as a (ticket, at, old, new);
  `);
  const told = async () =>
    (await databaseContents(client)).filter((line) =>
      /^rows (?:service\.)?(?:ticket_activity|notification|notification_change|event|delivery) /.test(line),
    );
  const before = await told();

  const clock = new MovableClock();
  const service = await startTestService({ databaseUrl: url, clock });
  await recomputed(service);
  const tables = openTables(service);
  const { db } = tables;
  const tickets = await db
    .selectFrom('ticket')
    .select(['id', 'first_reply_due_at', 'resolution_due_at', 'sla_paused_at', 'updated_at'])
    .orderBy('number')
    .execute();
  const time = (at: Date | null) => at?.toISOString().slice(11, 16) ?? null;
  expect(
    tickets.map((row) => [
      row.id,
      ...[row.first_reply_due_at, row.resolution_due_at, row.sla_paused_at].map(time),
    ]),
  ).toEqual([
    ['never', '11:00', '19:00', null],
    ['waits', null, null, '09:30'],
    ['waited', '11:30', '19:30', null],
    ['reopened', '11:40', '19:40', null],
    ['done', '11:00', null, null],
    ['always', null, null, '09:00'],
    ['archived', '11:00', null, null],
    ['late', '08:00', '16:00', null],
  ]);
  expect(tickets.map((row) => time(row.updated_at))).toEqual(tickets.map(() => '10:00'));
  // Not of the target that was over before, either.
  await tellWarnings(db, planningEngine(tables), {
    newId: createIds(clock),
    log: createLog({ level: 'silent', pretty: false }),
    now: clock.now(),
  });
  expect(await told()).toEqual(before);
  expect(before).toHaveLength(5);
});
