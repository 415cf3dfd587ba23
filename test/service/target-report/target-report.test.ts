import { expect, it } from 'vitest';

import type { TargetReport } from '../../../src/contract/index.ts';
import { signIn } from '../signed-in.ts';
import { create, person, put, statuses } from '../tickets/requests.ts';
import { made, setUp } from '../tickets/targets.ts';
import { openTables } from '../world.ts';

const MINUTE_MS = 60_000;

it('the report says which targets were met or missed, by group, and where the time went, of what the caller sees', async () => {
  const { service, clock, queue } = await setUp();
  const { db } = openTables(service);
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const labels = await statuses(service);
  const pass = (minutes: number) => clock.pass(minutes * MINUTE_MS);
  const open = (more = {}) =>
    create(service, { queueId: queue.id, requesterId: ada, assigneeId: mira, ...more });
  const answer = (ticketId: string) =>
    made(service, '/ticket-messages', { ticketId, content: 'x', authorId: mira });
  const set = (id: string, label: string) => put(service, id, { statusId: labels[label] });

  // In time: an hour to the first reply, two hours to the resolution.
  const good = await open();
  pass(60);
  await answer(good.id);
  pass(60);
  await set(good.id, 'Done');
  // 12:30 in Berlin. Late: an hour held without a reply, then 180 minutes until the first one.
  const late = await open();
  await set(late.id, 'Waiting');
  pass(60);
  await set(late.id, 'Open');
  pass(180);
  await answer(late.id);
  // Urgent, without a target for it in another queue.
  const { id: other } = await made(service, '/queues', { name: 'HR', prefix: 'HR' });
  const plain = await open({ queueId: other });
  await answer(plain.id);

  const report = async (groupBy: string, token?: string): Promise<TargetReport> => {
    const query = `from=2026-11-16T00:00:00Z&to=2026-11-23T00:00:00Z&timeZone=Europe/Berlin&groupBy=${groupBy}`;
    const answered = await service.call(
      'GET',
      `/target-report?${query}`,
      token === undefined ? {} : { token },
    );
    expect([answered.status, answered.body]).toEqual([200, answered.body]);
    return answered.body as unknown as TargetReport;
  };
  const { groups, breaches } = await report('queue');
  const result = {
    firstReply: { attained: 1, missed: 1 },
    resolution: { attained: 1, missed: 0 },
    openMinutes: 120,
    heldMinutes: 0,
    waitedWithoutReply: 1,
  };
  const rounded = groups.map((group) => ({ ...group, openMinutes: Math.round(group.openMinutes) }));
  expect(rounded).toEqual([{ groupId: queue.id, groupName: 'IT', ...result }]);
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

  // Reopened: it is not resolved any more.
  await set(good.id, 'Open');
  expect((await report('queue')).groups[0]?.resolution).toEqual({ attained: 0, missed: 0 });
  // A team's tickets are reported to the team.
  const { token } = await signIn(db, service.workspaceId, { role: 'agent', name: 'Fay' });
  expect((await report('queue', token)).breaches).toHaveLength(1);
  await service.call('PUT', `/queues/${queue.id}`, { body: { autoAssignees: mira } });
  await service.call('PUT', `/queues/${queue.id}`, { body: { visibility: 'team' } });
  expect(await report('queue', token)).toEqual({ groups: [], breaches: [] });
  const bad = await service.call(
    'GET',
    '/target-report?from=2026-11-16T00:00:00Z&to=2026-11-23T00:00:00Z&groupBy=week&timeZone=Nowhere',
  );
  expect(bad.status).toBe(400);
});
