import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';

import type { TargetReport } from '../../../src/contract/index.ts';
import { signIn } from '../signed-in.ts';
import { create, person, put, statuses } from '../tickets/requests.ts';
import { made, minute, setUp } from '../tickets/targets.ts';
import { openTables } from '../world.ts';

const MINUTE_MS = 60_000;
const NOTHING = { groups: [], breaches: [], waiting: [] };

/** Writes at one instant of the clock follow each other by a millisecond. */
function rounded<Of extends TargetReport['total']>(figures: Of): Of {
  const median = <Outcome extends { medianMinutes: number | null }>(outcome: Outcome) => ({
    ...outcome,
    medianMinutes: outcome.medianMinutes === null ? null : Math.round(outcome.medianMinutes),
  });
  return {
    ...figures,
    firstReply: median(figures.firstReply),
    resolution: median(figures.resolution),
    openMinutes: Math.round(figures.openMinutes),
    heldMinutes: Math.round(figures.heldMinutes),
  };
}

const WEEK = 'from=2026-11-16T00:00:00Z&to=2026-11-23T00:00:00Z';

/**
 * A week of three tickets, assigned to Mira: IT-1, replied to in an hour and resolved in two; IT-2, which waited an hour
 * for its requester before anybody replied, and got its first reply after 180 minutes; and one of another queue, without
 * targets.
 */
async function reportedWeek() {
  const { service, clock, queue } = await setUp();
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const labels = await statuses(service);
  const pass = (minutes: number) => clock.pass(minutes * MINUTE_MS);
  const open = (more = {}) =>
    create(service, { queueId: queue.id, requesterId: ada, assigneeId: mira, ...more });
  const reply = (ticketId: string) =>
    made(service, '/ticket-messages', { ticketId, content: 'x', authorId: mira });
  const set = (id: string, label: string) => put(service, id, { statusId: labels[label] });

  const inTime = await open();
  pass(60);
  await reply(inTime.id);
  pass(60);
  await set(inTime.id, 'Done');
  // 12:30 in Berlin.
  const late = await open();
  await set(late.id, 'Waiting');
  pass(60);
  await set(late.id, 'Open');
  pass(180);
  await reply(late.id);
  const { id: otherQueueId } = await made(service, '/queues', { name: 'HR', prefix: 'HR' });
  const plain = await open({ queueId: otherQueueId });
  await reply(plain.id);

  const report = async (groupBy: string, token?: string, more = ''): Promise<TargetReport> => {
    const query = `${WEEK}&timeZone=Europe/Berlin&groupBy=${groupBy}${more}`;
    const answered = await service.call(
      'GET',
      `/target-report?${query}`,
      token === undefined ? {} : { token },
    );
    expect([answered.status, answered.body]).toEqual([200, answered.body]);
    return answered.body as unknown as TargetReport;
  };
  return { service, queue, otherQueueId, mira, inTime, late, set, report };
}

it('the report says which targets were met or missed, by group, and where the time of a missed one went', async () => {
  const { service, queue, mira, inTime, late, set, report } = await reportedWeek();
  const { groups, breaches, total, waiting } = await report('queue');
  const result = {
    // Of 60 and 180 minutes.
    firstReply: { attained: 1, missed: 1, medianMinutes: 120 },
    resolution: { attained: 1, missed: 0, medianMinutes: 120 },
    openMinutes: 120,
    heldMinutes: 0,
    waitedWithoutReply: 1,
  };
  expect(groups.map(rounded)).toEqual([{ groupId: queue.id, groupName: 'IT', ...result }]);
  expect(rounded(total)).toEqual(result);
  expect(waiting).toMatchObject([{ code: 'IT-2', queueName: 'IT', assigneeName: 'Mira', title: late.title }]);
  expect([minute(waiting[0]?.from ?? null), minute(waiting[0]?.until ?? null)]).toEqual([
    '2026-11-20T11:30:00.000Z',
    '2026-11-20T12:30:00.000Z',
  ]);
  expect(breaches).toHaveLength(1);
  expect(breaches[0]).toMatchObject({
    ticketId: late.id,
    code: 'IT-2',
    target: 'first-reply',
    minutes: 120,
    assigneeId: mira,
    waitedWithoutReply: true,
  });
  const { openMinutes = 0, heldMinutes = 0, outsideMinutes = 0 } = breaches[0] ?? {};
  expect([openMinutes, heldMinutes, outsideMinutes].map(Math.round)).toEqual([180, 60, 0]);
  const names = async (groupBy: string) => (await report(groupBy)).groups.map(({ groupName }) => groupName);
  expect(await names('assignee')).toEqual(['Mira']);
  expect(await names('priority')).toEqual(['MEDIUM']);
  expect(await names('request-type')).toEqual([null]);
  expect(await names('week')).toEqual(['2026-11-16']);

  // A ticket that was reopened is not resolved any more.
  await set(inTime.id, 'Open');
  expect((await report('queue')).groups[0]?.resolution).toEqual({
    attained: 0,
    missed: 0,
    medianMinutes: null,
  });
  const bad = await service.call('GET', `/target-report?${WEEK}&groupBy=week&timeZone=Nowhere`);
  expect(bad.status).toBe(400);
});

it('an archived ticket is in no figure, however it was archived; restored, it counts by how it was resolved', async () => {
  const { service, queue } = await setUp();
  const labels = await statuses(service);
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const open = async () =>
    (await create(service, { queueId: queue.id, requesterId: ada, assigneeId: mira })).id;
  const read = async () => {
    const { status, body } = await service.call('GET', `/target-report?${WEEK}&groupBy=queue`);
    expect(status).toBe(200);
    return body as unknown as TargetReport;
  };
  const resolutions = async () => {
    const { attained, missed } = (await read()).total.resolution;
    return attained + missed;
  };
  const [closed, updated, resolved, waiting] = [await open(), await open(), await open(), await open()];
  await made(service, '/ticket-messages', { ticketId: resolved, content: 'x', authorId: mira });
  await put(service, resolved, { statusId: labels['Done'] });
  await put(service, waiting, { statusId: labels['Waiting'] });
  expect(await read()).toMatchObject({ waiting: [{ ticketId: waiting }] });
  expect(await resolutions()).toBe(1);

  await service.call('DELETE', `/tickets/${closed}`);
  const archivedAt = '2026-11-20T10:00:00Z';
  for (const id of [updated, resolved, waiting]) await put(service, id, { archivedAt });
  expect(await read()).toMatchObject({
    ...NOTHING,
    total: { firstReply: { attained: 0, missed: 0 }, waitedWithoutReply: 0 },
  });
  expect(await resolutions()).toBe(0);

  // What is resolved while it is archived counts once it is restored; what only was archived does not.
  await put(service, updated, { statusId: labels['Done'] });
  for (const id of [closed, updated, resolved]) await put(service, id, { archivedAt: null });
  expect(await resolutions()).toBe(2);
  await put(service, updated, { statusId: labels['Open'] });
  expect(await resolutions()).toBe(1);
  await put(service, closed, { statusId: labels['Closed'] });
  expect(await resolutions()).toBe(2);
});

it('the report has the tickets of the queue that is asked for, and of what the caller sees', async () => {
  const { service, queue, otherQueueId, mira, report } = await reportedWeek();
  expect(await report('queue', undefined, `&queueId=${otherQueueId}`)).toMatchObject({
    total: { firstReply: { attained: 0, missed: 0, medianMinutes: null } },
    ...NOTHING,
  });
  expect(await report('queue', undefined, `&queueId=${queue.id}&limit=0`)).toMatchObject({
    groups: [{ groupName: 'IT' }],
    breaches: [],
    waiting: [],
  });

  // A team's tickets are reported to the team.
  const { db } = openTables(service);
  const { token } = await signIn(db, service.workspaceId, { role: 'agent', name: 'Fay' });
  expect((await report('queue', token)).breaches).toHaveLength(1);
  await service.call('PUT', `/queues/${queue.id}`, { body: { autoAssignees: mira } });
  await service.call('PUT', `/queues/${queue.id}`, { body: { visibility: 'team' } });
  const hidden = await report('queue', token);
  expect(hidden).toMatchObject({ total: { waitedWithoutReply: 0, openMinutes: 0 }, ...NOTHING });
  expect(JSON.stringify(hidden)).not.toMatch(/IT|Mira/);
});

it('as CSV a table of the report is a file whose cells are never formulas, and has what its reader sees', async () => {
  const { service, clock, queue } = await setUp();
  const { db } = openTables(service);
  const [ada, mira] = [await person(service, 'Ada'), await person(service, '=Mira')];
  const labels = await statuses(service);
  const title = '@SUM(A1), "so" he said';
  const ticket = await create(service, { queueId: queue.id, requesterId: ada, assigneeId: mira, title });
  await put(service, ticket.id, { statusId: labels['Waiting'] });
  clock.pass(60 * MINUTE_MS);
  await put(service, ticket.id, { statusId: labels['Open'] });
  clock.pass(180 * MINUTE_MS);
  await made(service, '/ticket-messages', { ticketId: ticket.id, content: 'x', authorId: mira });

  const download = async (query: string, token = service.token) => {
    const address = `${service.url}/target-report/csv?from=2026-11-16T00:00:00Z&to=2026-11-23T00:00:00Z&${query}`;
    return fetch(address, { headers: { 'x-service-api-token': token } });
  };
  const rows = async (query: string, token?: string): Promise<string[][]> => {
    const answer = await download(query, token);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const text = Buffer.from(await answer.arrayBuffer()).toString('utf8');
    expect(text.startsWith('\uFEFF')).toBe(true);
    return parse(text, { bom: true });
  };
  const columns = ([headings = [], ...lines]: string[][]) =>
    lines.map((line) => Object.fromEntries(headings.map((heading, at) => [heading, line[at]])));

  const [breach] = columns(await rows('table=breaches&groupBy=queue'));
  expect(breach).toMatchObject({
    Ticket: 'IT-1',
    Title: `'${title}`,
    Queue: 'IT',
    Priority: 'MEDIUM',
    Assignee: "'=Mira",
    Target: 'first-reply',
    'Target minutes': '120',
    'Waited without a reply': 'yes',
  });
  const spent = ['Open minutes', 'Held minutes', 'Minutes outside hours'].map((heading) =>
    Math.round(Number(breach?.[heading])),
  );
  expect(spent).toEqual([180, 60, 0]);
  expect(columns(await rows('table=groups&groupBy=assignee'))).toMatchObject([
    { Assignee: "'=Mira", 'Assignee id': mira, 'First replies in time': '0', 'First replies late': '1' },
  ]);
  expect(columns(await rows('table=groups&groupBy=week'))).toMatchObject([
    { Week: '2026-11-16', 'Resolution, median minutes': '', 'Waited without a reply': '1' },
  ]);
  const [waited] = columns(await rows('table=waiting&groupBy=week'));
  expect([waited?.['Ticket'], minute(waited?.['Waited until'] ?? null)]).toEqual([
    'IT-1',
    '2026-11-20T10:30:00.000Z',
  ]);
  const answer = await download('table=breaches&groupBy=queue');
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="target-report-breaches\.csv"/,
  );

  // A team's tickets are reported to the team, and to agents only.
  const outsider = await signIn(db, service.workspaceId, { role: 'agent', name: 'Fay' });
  expect(await rows('table=breaches&groupBy=queue', outsider.token)).toHaveLength(2);
  await service.call('PUT', `/queues/${queue.id}`, { body: { autoAssignees: mira } });
  await service.call('PUT', `/queues/${queue.id}`, { body: { visibility: 'team' } });
  for (const table of ['groups', 'breaches', 'waiting'])
    expect(await rows(`table=${table}&groupBy=queue`, outsider.token), table).toHaveLength(1);
  const requester = await signIn(db, service.workspaceId, { role: 'requester', name: 'Ben' });
  const refused = [
    await download('table=groups&groupBy=queue', requester.token),
    await download('table=all&groupBy=queue'),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 400]);
});

it('a ticket that waits without a reply is reported while it waits, once, in the week in which it began', async () => {
  const { service, clock, queue } = await setUp();
  const labels = await statuses(service);
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const open = () => create(service, { queueId: queue.id, requesterId: ada, assigneeId: mira });
  const set = (id: string, label: string) => put(service, id, { statusId: labels[label] });
  const [silent, answered] = [await open(), await open()];
  await made(service, '/ticket-messages', { ticketId: answered.id, content: 'x', authorId: mira });
  clock.pass(MINUTE_MS);
  for (const label of ['Waiting', 'Open', 'Waiting']) {
    await set(silent.id, label);
    await set(answered.id, label);
    clock.pass(MINUTE_MS);
  }
  const report = async (from: string, to: string) =>
    (await service.call('GET', `/target-report?from=${from}T00:00:00Z&to=${to}T00:00:00Z&groupBy=week`))
      .body as unknown as TargetReport;
  // Of a priority without a target, no target was paused.
  const targets = {
    MEDIUM: { responseMinutes: 60, resolutionMinutes: null },
    LOW: { responseMinutes: null, resolutionMinutes: null },
  };
  const lax = await made(service, '/queues', { name: 'Lax', prefix: 'LAX', settings: { targets } });
  for (const priority of ['LOW', 'HIGH']) {
    const { id } = await create(service, { queueId: lax.id, requesterId: ada, priority });
    await set(id, 'Waiting');
  }
  const { waiting, groups, total } = await report('2026-11-16', '2026-11-23');
  expect(waiting).toMatchObject([{ ticketId: silent.id, until: expect.any(String) as string }]);
  expect([groups.map(({ groupId }) => groupId), total.waitedWithoutReply]).toEqual([['2026-11-16'], 1]);
  expect((await report('2026-11-23', '2026-11-30')).waiting).toEqual([]);
});
