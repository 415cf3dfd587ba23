import { expect, it } from 'vitest';

import type { User } from '../../src/contract/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { startTestService } from './harness.ts';

it('the demo is a workspace with people, linked channels and believable tickets, created once', async () => {
  const { call } = await startTestService({
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
  // Requesters get a survey, as the tour shows (D12).
  expect((await call('GET', '/queues')).body.items).toMatchObject([
    { settings: { enableCSAT: true } },
    { settings: { enableCSAT: true } },
  ]);
  // Open tickets are the newest of each queue; seed.test.ts checks its history.
  const { items } = (await call('GET', '/tickets?limit=6')).body;
  expect(items.map(({ title }) => title)).toContain('Cannot open the finance share');
  // Whoever answered has the ticket; only new ones are nobody's.
  const { body: unassigned } = await call('GET', '/tickets?unassignedFilter=true');
  expect(unassigned.items.map(({ status }) => status.label)).toEqual(['Open', 'Open']);
});
