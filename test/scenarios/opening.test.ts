import { describe, expect, test } from 'vitest';

import { startRefusing } from '../harness/refusing-service.ts';
import { runCommand } from '../harness/run-command.ts';
import { countTitled } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { userIdOf } from '../harness/user-id.ts';
import { sharedWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

const ticketOf = (world: World, ts: string) =>
  until(
    'the ticket',
    async () =>
      (await world.service.listTickets({ query: { chatMessageTs: ts, includeArchived: true } })).items[0],
    {
      seen: () => world.chat.messages(CHANNEL),
    },
  );
const messagesOf = async ({ service }: World, ticketId: string) =>
  (await service.listTicketMessages({ query: { ticketId } })).items;

describe('opening a ticket', () => {
  test('B3 🎫 makes the message’s author the requester and the reacting user the author; B2 further entry points find the same ticket', async () => {
    const { chat } = world;
    const { bot } = await chat.state();
    const root = await chat.say(CHANNEL, 'ben', 'The projector in room 4 flickers');
    await chat.react(CHANNEL, 'mira', root.ts, 'ticket');
    const ticket = await ticketOf(world, root.ts);
    expect(ticket).toMatchObject({
      title: 'The projector in room 4 flickers',
      requesterId: await userIdOf(world.service, 'ben'),
      authorId: await userIdOf(world.service, 'mira'),
    });

    await chat.react(CHANNEL, 'sam', root.ts, 'ticket');
    await until('the answer to Sam', async () =>
      (await chat.ephemeral(CHANNEL, 'sam'))?.text.includes('already has a ticket'),
    );
    await chat.say(CHANNEL, 'ada', `<@${bot}>`, root.ts);
    await until('the answer to Ada', async () =>
      (await chat.ephemeral(CHANNEL, 'ada'))?.text.includes('already has a ticket'),
    );
    expect(await chat.ephemeral(CHANNEL, 'ben')).toBeUndefined();
    await world.untilIdle();
    expect(await countTitled(world.service, 'projector')).toBe(1);
    expect(await messagesOf(world, ticket.id)).toEqual([]);
  });

  test('B2 a mention and a 🎫 at the same moment make one ticket', async () => {
    const { bot } = await world.chat.state();
    const roots = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const root = await world.chat.say(CHANNEL, 'ada', `<@${bot}> racing request ${n}`);
        await Promise.all([
          world.chat.react(CHANNEL, 'mira', root.ts, 'ticket'),
          world.chat.react(CHANNEL, 'sam', root.ts, 'ticket'),
        ]);
        return root;
      }),
    );
    for (const root of roots) await ticketOf(world, root.ts);
    await world.untilIdle();
    expect(await countTitled(world.service, 'racing')).toBe(6);
    for (const root of roots)
      expect((await world.chat.thread(CHANNEL, root.ts)).filter((message) => message.bot_id)).toHaveLength(1);
  });

  test('B5 🎫 on a reply, or in a channel that is not linked, opens nothing', async () => {
    const { chat } = world;
    const root = await chat.say(CHANNEL, 'ben', 'Only talk');
    const reply = await chat.say(CHANNEL, 'ada', 'More talk', root.ts);
    await chat.react(CHANNEL, 'mira', reply.ts, 'ticket');
    const elsewhere = await chat.say('general', 'ben', 'Talk elsewhere');
    await chat.react('general', 'mira', elsewhere.ts, 'ticket');
    await chat.react(CHANNEL, 'mira', root.ts, 'thumbsup');
    await world.untilIdle();
    expect(await countTitled(world.service, 'talk')).toBe(0);
  });

  test('B4 a mention in a thread opens the ticket on its first message and imports the replies, each with its author and time, none twice', async () => {
    const { chat } = world;
    const { bot } = await chat.state();
    const root = await chat.say(CHANNEL, 'ben', 'Anybody else without VPN? It drops every minute.');
    const first = await chat.say(CHANNEL, 'ada', 'Me too', root.ts);
    const second = await chat.say(CHANNEL, 'ben', 'Since *this* morning', root.ts);
    const asking = await chat.say(CHANNEL, 'mira', `<@${bot}> please track this`, root.ts);
    const third = await chat.say(CHANNEL, 'ada', 'Still broken', root.ts);
    const ticket = await ticketOf(world, root.ts);
    expect(ticket).toMatchObject({
      title: 'Anybody else without VPN?',
      requesterId: await userIdOf(world.service, 'ben'),
      authorId: await userIdOf(world.service, 'mira'),
    });
    await world.untilIdle();
    const messages = await messagesOf(world, ticket.id);
    expect(messages.map(({ content }) => content)).toEqual([
      'Me too',
      'Since **this** morning',
      '@deskbridge please track this',
      'Still broken',
    ]);
    expect(messages.map(({ chatMessages }) => chatMessages[0]?.ts)).toEqual([
      first.ts,
      second.ts,
      asking.ts,
      third.ts,
    ]);
    expect(messages.map(({ authorId }) => authorId)).toEqual(
      await Promise.all(['ada', 'ben', 'mira', 'ada'].map((name) => userIdOf(world.service, name))),
    );
    const times = messages.map(({ createdAt }) => Date.parse(createdAt) / 1000);
    expect(times[0]).toBeCloseTo(Number(first.ts), 2);
  });

  test('B6 a bare mention is asked about, the answer describes the ticket, and its edits follow until an agent changes the title', async () => {
    const { chat, service } = world;
    const { bot } = await chat.state();
    const root = await chat.say(CHANNEL, 'ada', `<@${bot}>`);
    await until('the question', async () =>
      (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text.includes('What do you need?')),
    );
    await chat.say(CHANNEL, 'ben', 'Not my question', root.ts);
    const answer = await chat.say(CHANNEL, 'ada', 'A second monitor. For the lab.', root.ts);
    const ticket = await ticketOf(world, root.ts);
    expect(ticket).toMatchObject({
      title: 'A second monitor',
      description: 'A second monitor. For the lab.',
    });

    // As if the bridge had ended between the service's response to the edit and its own record of it.
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { title: 'Both monitors' } } });
    for (const [title, begin] of [
      ['Both monitors', 'Both'],
      ['Two monitors', 'Two'],
    ] as const) {
      await chat.edit(CHANNEL, 'ada', answer.ts, `${title}. For the lab.`);
      await until('the edit', async () =>
        (await service.readTicket({ params: { id: ticket.id } })).description?.startsWith(begin),
      );
      expect((await service.readTicket({ params: { id: ticket.id } })).title).toBe(title);
    }
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { title: 'Lab equipment' } } });
    await chat.edit(CHANNEL, 'ada', answer.ts, 'Three monitors. For the lab.');
    await until('the second edit', async () =>
      (await service.readTicket({ params: { id: ticket.id } })).description?.startsWith('Three'),
    );
    expect((await service.readTicket({ params: { id: ticket.id } })).title).toBe('Lab equipment');
    await world.untilIdle();
    // Ben's message from before the ticket is a message on it; the description is not added a second time.
    expect((await messagesOf(world, ticket.id)).map(({ content }) => content)).toEqual(['Not my question']);
  });

  test('B7 the channel decides the queue, and an unlinked channel uses the default one or says that there is none', async () => {
    const { chat, service } = world;
    const { bot } = await chat.state();
    const people = await chat.say('people-help', 'ben', `<@${bot}> parental leave`);
    expect((await ticketOf(world, people.ts)).code).toMatch(/^PPL-/);

    const [workspace] = (await service.listWorkspaces({})).items;
    if (workspace?.defaultQueueId) {
      const elsewhere = await chat.say('general', 'ben', `<@${bot}> a question of mine`);
      expect((await ticketOf(world, elsewhere.ts)).queueId).toBe(workspace.defaultQueueId);
    } else {
      await chat.say('general', 'ben', `<@${bot}> a question of mine`);
      await until('the answer to Ben about linking', async () =>
        (await chat.ephemeral('general', 'ben'))?.text.includes('not linked to a queue'),
      );
    }
  });

  test('a ticket that another program opened for a chat message gets its thread: card, answers and replies', async () => {
    const { chat, service } = world;
    const { channels } = await chat.state();
    const root = await chat.say(CHANNEL, 'ben', 'The door badge does not work');
    const ticket = await service.createTicket({
      body: { title: 'Door badge', chatChannelId: channels[CHANNEL] ?? '', chatTimestamp: root.ts },
    });
    await service.createTicketMessage({ body: { ticketId: ticket.id, content: 'Which door is it?' } });
    await until('the answer in the thread', async () =>
      (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text === 'Which door is it?'),
    );
    await chat.say(CHANNEL, 'ben', 'The red one', root.ts);
    await world.untilIdle();
    expect((await messagesOf(world, ticket.id)).map(({ content }) => content)).toEqual([
      'Which door is it?',
      'The red one',
    ]);
    expect((await chat.thread(CHANNEL, root.ts)).filter(({ bot_id }) => bot_id)).toHaveLength(2);
  });
});

describe('a ticket that the service refuses', () => {
  const noDeadLetters = async ({ environment }: World) =>
    expect((await runCommand(['dead-letters', 'list'], environment)).out).toContain('No dead letters.');

  test('B1 B54 `/ticket new` says why under its first message, to the person who asked, and not that anything is saved', async () => {
    const { world, bridge } = await startRefusing((what) => what === 'POST /api/tickets');
    const { chat } = bridge;
    await chat.command(CHANNEL, 'ada', 'new A chair that does not squeak');
    const posts = async () => chat.messages(CHANNEL);
    const line = await until(
      'the reason',
      async () => (await posts()).find(({ text }) => text.includes('not today')),
      { seen: posts },
    );
    const parent = (await posts()).find(({ ts }) => ts === line.thread_ts);
    expect(parent?.text).toContain('A chair that does not squeak');
    expect(line.text).toMatch(/^<@U\w+> No ticket was opened\. /);
    await bridge.untilIdle();
    expect((await chat.ephemeral(CHANNEL, 'ada'))?.text ?? '').not.toContain('saved');
    await noDeadLetters(bridge);
    expect(await countTitled(world.service, 'chair')).toBe(0);
  });

  test('B8 a message that gets no ticket of its own stays on the ticket that it was added to, with its replies', async () => {
    let refusing = false;
    const { world, bridge } = await startRefusing((what) => refusing && what === 'POST /api/tickets');
    const { chat } = bridge;
    const direct = '@deskbridge';
    const first = await chat.say(direct, 'ada', 'My badge is lost');
    const added = await chat.say(direct, 'ada', 'And a monitor, please');
    const ticket = await ticketOf(world, first.ts);
    const contents = async (id: string) =>
      (await messagesOf(world, id)).filter(({ deleted }) => !deleted).map(({ content }) => content);
    await until('the message', async () => (await contents(ticket.id)).length === 1);
    const below = async () =>
      (await chat.messages(direct, 'ada')).filter(
        ({ thread_ts, bot_id }) => thread_ts === added.ts && bot_id !== undefined,
      );
    const offer = await until('the button', async () => (await below())[0], { seen: below });
    const press = () =>
      chat.post('interact', {
        user: 'ada',
        channel: offer.channel,
        messageTs: offer.ts,
        action: 'own_ticket',
      });

    refusing = true;
    await press();
    await until(
      'the reason',
      async () =>
        (await below()).some(({ text }) => text.includes('not today') && text.includes(ticket.code)),
      { seen: below },
    );
    const reply = await chat.say(direct, 'ada', 'With a stand', added.ts);
    await until('the reply', async () => (await contents(ticket.id)).includes(reply.text), {
      seen: () => contents(ticket.id),
    });
    await bridge.untilIdle();
    expect(await contents(ticket.id)).toEqual([added.text, reply.text]);
    await noDeadLetters(bridge);
    expect(await countTitled(world.service, 'monitor')).toBe(0);
  });
});
