import { describe, expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { attemptOver } from '../harness/attempt-over.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

async function open(world: World): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> my screen is dark`);
  const ticket = await ticketAt(world.service, ts);
  await world.quiet();
  return { root: ts, id: ticket.id };
}

const statusOf = async ({ service }: World, id: string) =>
  (await service.readTicket({ params: { id } })).status.statusGroup.label;

/** Deletes a post of the bot, as an admin may. */
async function takeAway({ urls }: World, channel: string, ts: string): Promise<void> {
  const answer = await fetch(`${urls.sandbox}/api/chat.delete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${DEMO.app.botToken}` },
    body: JSON.stringify({ channel, ts }),
  });
  expect(await answer.json()).toMatchObject({ ok: true });
}

describe('a first message that is deleted', () => {
  test('B59 before anybody answered closes its ticket, with the reason', async () => {
    const { root, id } = await open(world);
    await world.chat.say(CHANNEL, 'ada', 'never mind', root);
    await world.quiet();
    await world.chat.remove(CHANNEL, 'ada', root);
    await until('the ticket to be closed', async () => (await statusOf(world, id)) === 'Closed', {
      withinMs: 90_000,
    });
    await world.quiet();
    const { items } = await world.service.listTicketMessages({ query: { ticketId: id } });
    expect(items.filter((message) => message.private).map(({ content }) => content)).toEqual([
      'Its first message was deleted in chat before anyone replied, so the ticket was closed.',
    ]);
    const thread = await world.chat.thread(CHANNEL, root);
    expect(thread.find(({ text }) => text.includes('(Closed)'))).toBeDefined();
  }, 240_000);

  test('B58 after an answer keeps its ticket, and the talk goes on in its thread', async () => {
    const { root, id } = await open(world);
    await world.chat.say(CHANNEL, 'ben', 'mine too', root);
    await world.quiet();
    await world.chat.remove(CHANNEL, 'ada', root);
    await world.quiet();
    await world.service.createTicketMessage({ body: { ticketId: id, content: 'we look into it' } });
    await world.quiet();
    expect(await statusOf(world, id)).toBe('Open');
    expect((await world.chat.thread(CHANNEL, root)).at(-1)?.text).toBe('we look into it');
  }, 240_000);
});

describe('B58 a thread that is gone', () => {
  test.each([
    ['begins anew under a root that names the ticket', []],
    [
      'is begun anew once, whichever answer of chat is lost',
      [{ method: 'chat.postMessage', kind: 'answer_lost', times: 2 }],
    ],
    [
      'is begun anew once, where taking the lost post back is refused at first',
      [{ method: 'chat.delete', kind: 'rate_limited', retryAfter: 1, times: 1 }],
    ],
  ])(
    '%s',
    async (_, faults) => {
      const { chat, service } = world;
      const { root, id } = await open(world);
      /** What was said in the channel since then. */
      const said = async () => (await chat.messages(CHANNEL)).filter(({ ts }) => Number(ts) > Number(root));
      // Its card is the only reply: with that and the root gone there is no thread any more.
      for (const { channel, ts } of await chat.thread(CHANNEL, root)) await takeAway(world, channel, ts);
      await chat.remove(CHANNEL, 'ada', root);
      await world.quiet();
      if (faults.length > 0) await chat.post('faults', { faults });
      for (const n of [1, 2])
        await service.createTicketMessage({ body: { ticketId: id, content: `answer ${n}` } });
      // Where the post whose answer was lost fell out of the thread, it may still be under way.
      if (faults.some(({ kind }) => kind === 'answer_lost')) await attemptOver(world);
      await until('both answers', async () => (await said()).some(({ text }) => text === 'answer 2'), {
        withinMs: 90_000,
      });
      await world.quiet();
      const messages = await said();
      const [first, second, ...more] = messages.filter(({ text }) => text.startsWith('answer'));
      expect([first?.text, second?.text, more]).toEqual(['answer 1', 'answer 2', []]);
      const roots = messages.filter(({ text }) => text.includes('first message was deleted'));
      expect(roots).toHaveLength(1);
      const anew = roots[0]?.ts ?? '';
      expect([first?.thread_ts, second?.thread_ts]).toEqual([anew, anew]);
      // People go on there, and the service knows of it.
      await chat.say(CHANNEL, 'ada', 'thank you', anew);
      await world.quiet();
      const { items } = await service.listTicketMessages({ query: { ticketId: id, private: false } });
      expect(items.map(({ content }) => content)).toEqual(['answer 1', 'answer 2', 'thank you']);
      const { chatThreads } = await service.readTicket({ params: { id } });
      const talked = chatThreads.filter(({ type }) => type !== 'TRIAGE');
      expect(talked.map(({ messageTs }) => messageTs)).toEqual([root, anew]);
      expect(await chat.thread(CHANNEL, anew)).toHaveLength(4);
    },
    240_000,
  );
});
