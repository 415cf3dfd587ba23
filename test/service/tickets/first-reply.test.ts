import { expect, it } from 'vitest';

import { create, person } from './requests.ts';
import { made, read, setUp } from './targets.ts';

it('only a person’s public message is the first reply, unless the queue counts those of programs too', async () => {
  const { service, queue } = await setUp();
  const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
  const bot = await made(service, '/users', { firstName: 'Ticker', isBot: true, email: 'bot@acme.example' });
  const open = async () => (await create(service, { queueId: queue.id, requesterId: ada })).id;
  const say = async (ticketId: string, body: object) => {
    await made(service, '/ticket-messages', { ticketId, content: 'x', ...body });
    const { respondedAt, firstReplyDueAt } = await read(service, ticketId);
    expect(respondedAt === null).toBe(firstReplyDueAt !== null);
    return respondedAt !== null;
  };
  const automated = {
    'an AI agent': { source: 'AGENT' },
    'a program for an AI agent': { source: 'AGENT', authorId: mira },
    'a workflow': { source: 'WORKFLOW', authorId: mira },
    'the service': { source: 'SYSTEM', authorId: mira },
    'a bot': { authorId: bot.id },
    'a key as its own user': {},
  };
  const id = await open();
  for (const [who, body] of Object.entries(automated))
    expect([who, await say(id, body)]).toEqual([who, false]);
  expect(await say(id, { authorId: mira, private: true })).toBe(false);
  expect(await say(id, { authorId: mira })).toBe(true);

  await service.call('PUT', `/queues/${queue.id}`, { body: { settings: { countAutomatedReplies: true } } });
  for (const [who, body] of Object.entries(automated))
    expect([who, await say(await open(), body)]).toEqual([who, true]);
  expect(await say(await open(), { authorId: ada })).toBe(false);
});
