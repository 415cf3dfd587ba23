import { describe, expect, test } from 'vitest';

import { expireAttempt } from '../harness/expire-attempt.ts';
import { removePost } from '../harness/remove-post.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

async function open(world: World): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> my screen is dark`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id };
}

const statusOf = async ({ service }: World, id: string) =>
  (await service.readTicket({ params: { id } })).status.statusGroup.label;

describe('a first message that is deleted', () => {
  test('B59 closes its ticket, with the reason, if nobody has answered', async () => {
    const { root, id } = await open(world);
    await world.chat.say(CHANNEL, 'ada', 'never mind', root);
    await world.untilIdle();
    await world.chat.remove(CHANNEL, 'ada', root);
    await until('the ticket to be closed', async () => (await statusOf(world, id)) === 'Closed', {});
    await world.untilIdle();
    const { items } = await world.service.listTicketMessages({ query: { ticketId: id } });
    expect(items.filter((message) => message.private).map(({ content }) => content)).toEqual([
      'Its first message was deleted in Slack before anyone replied, so the ticket was closed.',
    ]);
    const thread = await world.chat.thread(CHANNEL, root);
    expect(thread.find(({ text }) => text.includes('(Closed)'))).toBeDefined();
  });

  test('B58 keeps its ticket if somebody has answered, and the conversation continues in its thread', async () => {
    const { root, id } = await open(world);
    await world.chat.say(CHANNEL, 'ben', 'mine too', root);
    await world.untilIdle();
    await world.chat.remove(CHANNEL, 'ada', root);
    await world.untilIdle();
    await world.service.createTicketMessage({ body: { ticketId: id, content: 'we look into it' } });
    await world.untilIdle();
    expect(await statusOf(world, id)).toBe('Open');
    expect((await world.chat.thread(CHANNEL, root)).at(-1)?.text).toBe('we look into it');
  });
});

describe('B58 a lost thread', () => {
  test.each([
    ['starts again under a first message that names the ticket', []],
    [
      'starts again once, whichever response of Slack is lost',
      [{ method: 'chat.postMessage', kind: 'answer_lost', times: 2 }],
    ],
    [
      'starts again once, even if deleting the lost post fails at first',
      [{ method: 'chat.delete', kind: 'rate_limited', retryAfter: 1, times: 1 }],
    ],
  ])('%s', async (_, faults) => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    /** The messages in the channel since then. */
    const said = async () => (await chat.messages(CHANNEL)).filter(({ ts }) => Number(ts) > Number(root));
    // Its card is the only reply: without that and the parent the thread is gone.
    for (const { channel, ts } of await chat.thread(CHANNEL, root)) await removePost(world, channel, ts);
    await chat.remove(CHANNEL, 'ada', root);
    await world.untilIdle();
    if (faults.length > 0) await chat.post('faults', { faults });
    for (const n of [1, 2])
      await service.createTicketMessage({ body: { ticketId: id, content: `answer ${n}` } });
    // If the post with the lost response left the thread, its call may still be in progress.
    if (faults.some(({ kind }) => kind === 'answer_lost')) await expireAttempt(world);
    await until('both answers', async () => (await said()).some(({ text }) => text === 'answer 2'), {});
    await world.untilIdle();
    const messages = await said();
    const [first, second, ...more] = messages.filter(({ text }) => text.startsWith('answer'));
    expect([first?.text, second?.text, more]).toEqual(['answer 1', 'answer 2', []]);
    const roots = messages.filter(({ text }) => text.includes('first message was deleted'));
    expect(roots).toHaveLength(1);
    const anew = roots[0]?.ts ?? '';
    expect([first?.thread_ts, second?.thread_ts]).toEqual([anew, anew]);
    // The conversation continues there, and the service knows the thread.
    await chat.say(CHANNEL, 'ada', 'thank you', anew);
    await world.untilIdle();
    const { items } = await service.listTicketMessages({ query: { ticketId: id, private: false } });
    expect(items.map(({ content }) => content)).toEqual(['answer 1', 'answer 2', 'thank you']);
    const { chatThreads } = await service.readTicket({ params: { id } });
    const talked = chatThreads.filter(({ type }) => type !== 'TRIAGE');
    expect(talked.map(({ messageTs }) => messageTs)).toEqual([root, anew]);
    expect(await chat.thread(CHANNEL, anew)).toHaveLength(4);
  });
});
