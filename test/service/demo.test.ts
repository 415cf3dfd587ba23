import { expect, it } from 'vitest';

import type { Ticket, User } from '../../src/contract/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { DEMO_TARGETS } from '../../src/service/demo/setup-data.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from './clock.ts';
import { startTestService } from './harness.ts';

type Clocks = Pick<
  Ticket,
  'code' | 'queueId' | 'respondedAt' | 'firstReplyDueAt' | 'resolutionDueAt' | 'slaPausedAt'
>;

it('the demo is a workspace with people, linked channels and believable tickets, created once', async () => {
  const clock = new MovableClock();
  const { call } = await startTestService({
    clock,
    prepare: (service) => Promise.all([service.seedDemo(DEMO), service.seedDemo(DEMO)]),
  });
  const workspaces = (await call('GET', '/workspaces')).body.items as unknown as {
    slug: string;
    chatTriageChannels: unknown[];
  }[];
  expect(workspaces).toMatchObject([{ slug: 'acme' }]);
  expect(workspaces[0]?.chatTriageChannels).toMatchObject([
    { channelId: DEMO.channels.itHelp.id, type: 'REQUEST', queue: { name: 'IT' } },
    { channelId: DEMO.channels.itTriage.id, type: 'TRIAGE', private: true },
    { channelId: DEMO.channels.peopleHelp.id, type: 'REQUEST', queue: { name: 'People' } },
  ]);
  expect((await call('GET', `/users?chatUserId=${DEMO.people.ada.id}`)).body.items).toMatchObject([
    { firstName: 'Ada' },
  ]);
  const [it] = (await call('GET', '/queues?search=IT')).body.items;
  const users = (await call('GET', '/users')).body.items as unknown as User[];
  expect(
    users
      .filter(({ role }) => role !== 'requester')
      .map(({ firstName, role, queueIds }) => ({ firstName, role, queueIds })),
  ).toEqual([
    { firstName: 'Mira', role: 'admin', queueIds: null },
    { firstName: 'Sam', role: 'agent', queueIds: [it?.id] },
  ]);
  // Requesters get a survey, as the tour shows (D12), and each queue has targets, counted in the office's hours.
  const settings = { enableCSAT: true, targets: { URGENT: { responseMinutes: 60, resolutionMinutes: 240 } } };
  expect((await call('GET', '/queues')).body.items).toMatchObject([{ settings }, { settings }]);
  expect((await call('GET', '/business-hours')).body.items).toMatchObject([{ isDefault: true }]);
  // The clocks of open tickets run, as if the operations had opened them; most of them are in time.
  const open = (await call('GET', '/tickets?openFilter=true&limit=100')).body.items as unknown as Clocks[];
  expect(open.length).toBeGreaterThan(15);
  for (const { respondedAt, firstReplyDueAt, resolutionDueAt, slaPausedAt, code } of open)
    expect([firstReplyDueAt === null, resolutionDueAt === null], code).toEqual(
      slaPausedAt === null ? [respondedAt !== null, false] : [true, true],
    );
  const late = open.filter(
    ({ resolutionDueAt }) => Date.parse(resolutionDueAt ?? '') < clock.now().getTime(),
  );
  expect(late.length).toBeLessThan(open.length / 2);
  // Setting the same targets again gives the same times.
  const put = async (targets: object | null) =>
    expect((await call('PUT', `/queues/${it?.id ?? ''}`, { body: { settings: { targets } } })).status).toBe(
      200,
    );
  const clocks = async () =>
    (await call('GET', `/tickets?openFilter=true&limit=100&queueId=${it?.id ?? ''}`)).body
      .items as unknown as Clocks[];
  const before = await clocks();
  await put(null);
  const isTimed = ({ resolutionDueAt, slaPausedAt }: Clocks) =>
    resolutionDueAt !== null || slaPausedAt !== null;
  await until('no clocks', async () => !(await clocks()).some(isTimed));
  await put(DEMO_TARGETS);
  await until('the clocks', async () => (await clocks()).every(isTimed));
  expect(await clocks()).toEqual(before);
  // Open tickets are the newest of each queue; seed.test.ts checks its history.
  const { items } = (await call('GET', '/tickets?limit=6')).body;
  expect(items.map(({ title }) => title)).toContain('Cannot open the finance share');
  // Whoever answered has the ticket; only new ones are nobody's.
  const { body: unassigned } = await call('GET', '/tickets?unassignedFilter=true');
  expect(unassigned.items.map(({ status }) => status.label)).toEqual(['Open', 'Open']);
});
