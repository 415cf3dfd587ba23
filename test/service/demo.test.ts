import { expect, it } from 'vitest';

import { DEMO } from '../../src/demo.ts';
import { startTestService } from './harness.ts';

it('the demo is a workspace with people, linked channels and believable tickets, made once', async () => {
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
  const { items } = (await call('GET', '/tickets?sortBy=number&groupBy=queueId')).body;
  expect(items.map(({ code }) => code)).toEqual(['IT-1', 'IT-2', 'IT-3', 'IT-4', 'PPL-1', 'PPL-2']);
  for (const ticket of items) {
    expect(ticket.updatedAt >= ticket.createdAt).toBe(true);
    if (ticket.status.label === 'Done') expect(ticket.resolvedAt).not.toBeNull();
  }
  expect((await call('GET', '/ticket-messages')).body.items.length).toBeGreaterThan(5);
});
