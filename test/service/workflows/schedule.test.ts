import { expect, it } from 'vitest';

import type { ChatRequest } from '../../../src/contract/index.ts';
import { signIn } from '../signed-in.ts';
import { startTestService } from '../harness.ts';
import { onlyRun, readRun, setUp } from './setup.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

// The clock of these tests begins on a Friday, 2026-11-20T09:30Z.
const MONDAYS = [
  'On Mondays',
  'schedule.due',
  { days: [1], time: '09:00', timeZone: 'Europe/Berlin' },
] as const;
const WEEKLY = {
  steps: {
    monday: MONDAYS,
    open: ['Open', 'ticket.create', { title: 'Backups of {{monday.at}}' }],
    note: ['Note', 'message.note', { ticketId: '{{open.ticketId}}', content: 'Check them' }],
  },
  leads: [
    ['monday', 'open'],
    ['open', 'note'],
  ],
} as const;

async function weekly() {
  const world = await setUp();
  await world.activate(WEEKLY);
  const titles = async () =>
    (await world.send('GET', '/tickets?sortBy=createdAt&sortDirection=asc')).items.map(({ title }) => title);
  return { ...world, titles };
}

it('a schedule starts a run at its time of each of its days, once, also with two processes', async () => {
  const { service, clock, pass, titles, runs } = await weekly();
  await startTestService({ databaseUrl: service.databaseUrl, clock });
  await pass(2 * DAY_MS + 22 * HOUR_MS);
  expect(await titles()).toEqual([]);
  await pass(HOUR_MS);
  expect(await titles()).toEqual(['Backups of 2026-11-23T08:00:00.000Z']);
  for (let day = 0; day < 6; day++) await pass(DAY_MS);
  expect((await titles()).length).toBe(1);
  await pass(DAY_MS);
  expect(await titles()).toEqual([
    'Backups of 2026-11-23T08:00:00.000Z',
    'Backups of 2026-11-30T08:00:00.000Z',
  ]);
  expect(await runs()).toMatchObject([
    { ticketId: null, ticketCode: null, state: 'finished' },
    { ticketId: null, ticketCode: null, state: 'finished' },
  ]);
});

it('after a downtime of weeks, the latest time that was missed is made up for, once', async () => {
  const { pass, titles } = await weekly();
  await pass(24 * DAY_MS);
  expect(await titles()).toEqual(['Backups of 2026-12-14T08:00:00.000Z']);
  await pass(DAY_MS);
  expect((await titles()).length).toBe(1);
});

it('a schedule of a workflow that was switched off starts nothing, and makes up for nothing later', async () => {
  const { pass, titles, send } = await weekly();
  const { items } = await send('GET', '/workflows?state=Active');
  const id = items[0]?.id ?? '';
  await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Draft' });
  await pass(4 * DAY_MS);
  await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Active' });
  await pass(HOUR_MS);
  expect(await titles()).toEqual([]);
  await pass(6 * DAY_MS);
  expect(await titles()).toEqual(['Backups of 2026-11-30T08:00:00.000Z']);
});

it('a run without a ticket is for admins, and posts in chat', async () => {
  const { service, send, activate, pass, tables, settled } = await setUp();
  const { id: channelId } = await send('PUT', '/chat-channels', { channelId: 'C0OPS', channelName: 'ops' });
  await send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', servesChat: true });
  await activate({
    steps: { monday: MONDAYS, post: ['Post', 'chat.post', { channelId, content: 'Good morning' }] },
    leads: [['monday', 'post']],
  });
  await pass(3 * DAY_MS);
  const [request] = (await send('GET', '/chat-requests')).items as unknown as ChatRequest[];
  expect(request).toMatchObject({ ticketId: null, chatChannelId: 'C0OPS', content: 'Good morning' });
  await send('PUT', `/chat-requests/${request?.id ?? ''}`, { messageTs: '1700000000.000100' });
  await settled();
  const run = await onlyRun(service);
  expect(run.state).toBe('finished');
  const agent = await signIn(tables.db, service.workspaceId, { role: 'agent' });
  const admin = await signIn(tables.db, service.workspaceId, { role: 'admin' });
  const status = async (token: string) =>
    (await service.call('GET', `/workflow-runs/${run.id}`, { token })).status;
  expect([await status(agent.token), await status(admin.token)]).toEqual([404, 200]);
});

it('a run without a ticket that fails has a ticket opened about it, once', async () => {
  const { service, send, activate, pass, tables, settled } = await setUp();
  const admin = await signIn(tables.db, service.workspaceId, { role: 'admin' });
  await activate({
    steps: {
      monday: MONDAYS,
      note: ['Note', 'message.note', { ticketId: 'tkt_none', content: 'x' }],
    },
    leads: [['monday', 'note']],
  });
  await pass(3 * DAY_MS);
  const { id } = await onlyRun(service);
  await send('POST', `/workflow-runs/${id}/retry`, { stepId: 'note' });
  await settled();
  expect((await readRun(service, id)).state).toBe('failed');
  const { items } = await send('GET', '/tickets');
  expect(items).toMatchObject([{ title: 'The workflow “Flow” needs somebody' }]);
  expect((await send('GET', '/notifications', undefined, admin.token)).items).toMatchObject([
    { kind: 'workflow-failed', ticketId: items[0]?.id },
  ]);
});
