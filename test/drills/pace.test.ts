import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess } from '../harness/world.ts';

const CHANNEL = 'it-help';

test('B31 B48 at one post per second, replies are posted first and in order, and a burst of changes ends in one edit of the card with the newest state', async () => {
  const world = await startProcess({ CHAT_POSTS_PER_SECOND: '1', RECONCILE_EVERY_SECONDS: '3600' });
  const { chat, service } = world;
  const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
  await database.connect();
  onTestFinished(() => database.end());
  const { bot, channels } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> slowly, please`);
  const ticket = await ticketAt(service, root);
  await world.untilIdle();
  const calls = async (after = 0) => {
    const seen = await fetch(`${world.urls.sandbox}/_control/calls?limit=1000&after=${after}`);
    return ((await seen.json()) as { calls: { id: number; method: string; args: { channel?: string } }[] })
      .calls;
  };
  const before = (await calls()).at(-1)?.id ?? 0;
  const written = async () =>
    (await calls(before))
      // The team's copy of the card is in another channel, with its own rate limit.
      .filter(({ args }) => args.channel === channels[CHANNEL])
      .map(({ method }) => method)
      .filter((method) => method === 'chat.postMessage' || method === 'chat.update');

  const answers = Array.from({ length: 8 }, (_, n) => `answer ${n}`);
  for (const content of answers)
    await service.createTicketMessage({ body: { ticketId: ticket.id, content } });
  // A reply that is not planned yet could not be posted first.
  const planned = async () =>
    (
      await database.query(
        `select from bridge.outbox where body ->> 'text' like 'answer %' and channel_id = $1`,
        [channels[CHANNEL]],
      )
    ).rowCount;
  await until('all answers to be planned', async () => (await planned()) === answers.length);
  const sentBefore = (await written()).length;
  const { items: statuses } = await service.listStatuses({ query: {} });
  for (const label of ['In Progress', 'Waiting', 'In Progress', 'Done']) {
    const statusId = statuses.find((status) => status.label === label)?.id ?? '';
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { statusId } } });
  }
  await world.untilIdle();

  const all = await written();
  expect(all.filter((method) => method === 'chat.postMessage')).toHaveLength(answers.length);
  // The card may only be edited between answers while no answer is planned behind it.
  expect(all.slice(sentBefore + 1, -1).filter((method) => method === 'chat.update')).toEqual([]);
  expect(all.at(-1)).toBe('chat.update');
  const thread = (await chat.thread(CHANNEL, root)).map(({ text }) => text);
  expect(thread.filter((text) => text.startsWith('answer'))).toEqual(answers);
  expect(thread.filter((text) => text.includes('slowly, please'))).toEqual([
    expect.stringContaining('(Done)'),
  ]);
});
