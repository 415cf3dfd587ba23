import { expect, it } from 'vitest';

import type { QueueReaders, QueueVisibility, TicketReaders } from '../../../src/contract/index.ts';
import { sharedTeams } from './setup.ts';

const newTeams = sharedTeams();

it('a switch says before how many people gain and lose the queue, and which keys and webhooks read it still', async () => {
  const { call, it: queue, people, who, show, key, post } = await newTeams();
  const preview = async (visibility: QueueVisibility) =>
    (await call('GET', `/queues/${people}/readers?visibility=${visibility}`)).body as unknown as QueueReaders;
  // Root, Pia and Ron read it; Sam and Zoe are other agents, Ada and Ben requesters.
  expect(await preview('team')).toMatchObject({ gain: 0, lose: 0, members: 2 });
  expect(await preview('agents')).toMatchObject({ gain: 2, lose: 0 });
  expect(await preview('workspace')).toMatchObject({ gain: 4, lose: 0 });
  await show('workspace');
  expect(await preview('agents')).toMatchObject({ gain: 0, lose: 2 });
  expect(await preview('team')).toMatchObject({ gain: 0, lose: 4 });

  const [own, other] = [await key({ queueIds: [people] }), await key({ queueIds: [queue] })];
  const hooks = [];
  for (const { token } of [own, other])
    hooks.push((await post('/webhooks', { url: 'https://receiver.example/hook' }, token)).id);
  const { keys, webhooks } = await preview('team');
  expect(keys.map(({ id }) => id)).toContain(own.id);
  expect(keys.map(({ id }) => id)).not.toContain(other.id);
  expect(webhooks.map(({ id }) => id)).toEqual([hooks[0]]);
  const { status } = await call('GET', `/queues/${people}/readers?visibility=team`, { token: who.pia.token });
  expect(status).toBe(403);
});

it('a move says before how many people gain and lose the ticket, to those who may move it', async () => {
  const { call, ask, it: queue, people, who } = await newTeams();
  const preview = async (ticket: string, to: string, token?: string) => {
    const path = `/tickets/${ticket}/readers?queueId=${to}`;
    return call('GET', path, token === undefined ? {} : { token });
  };
  const numbers = async (...asked: Parameters<typeof preview>) =>
    (await preview(...asked)).body as unknown as TicketReaders;
  const open = await ask('Laptop', { queueId: queue, followers: [{ id: who.zoe.personId }] });
  const secret = await ask('Salary');
  // Ada asks, Zoe follows the one: they read it in either queue.
  expect(await numbers(open.id, people)).toEqual({ gain: 0, lose: 2 });
  expect(await numbers(secret.id, queue)).toEqual({ gain: 3, lose: 0 });
  expect(await numbers(secret.id, people)).toEqual({ gain: 0, lose: 0 });
  const hidden = await ask('Bonus', { private: true });
  expect(await numbers(hidden.id, queue)).toEqual({ gain: 2, lose: 1 });
  expect((await preview(secret.id, queue, who.pia.token)).status).toBe(200);
  expect((await preview(secret.id, queue, who.sam.token)).status).toBe(404);
  expect((await preview(open.id, people, who.pia.token)).status).toBe(403);
  expect((await preview(secret.id, 'que_none')).status).toBe(422);
});
