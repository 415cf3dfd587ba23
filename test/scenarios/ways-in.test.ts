import { describe, expect, test } from 'vitest';

import { startRefusing } from '../harness/refusing-service.ts';
import { runCommand } from '../harness/run-command.ts';
import { countTitled } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, sharedWorld, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const BOT = '@deskbridge';
const world = sharedWorld();

const ticketOf = (world: World, ts: string, channel = CHANNEL) =>
  until(
    'the ticket',
    async () => (await world.service.listTickets({ query: { chatMessageTs: ts } })).items[0],
    { seen: () => world.chat.messages(channel, 'ada') },
  );
const shortcut = ({ chat }: World, user: string, channel: string, messageTs: string) =>
  chat.post('shortcut', { user, callbackId: 'create_ticket', channel, messageTs });

async function queueOf({ service }: World, prefix: string) {
  const queue = (await service.listQueues({})).items.find((one) => one.prefix === prefix);
  if (!queue) throw new Error(`there is no queue ${prefix}`);
  return queue;
}

describe('entry points', () => {
  test('B1 B5 B8 every message of a channel with that setting, a workspace’s own emoji and a shortcut open tickets; emoji can be for the team only, and a private ticket continues in direct messages', async () => {
    const world = await startWorld();
    const { chat, service } = world;
    const [workspace] = (await service.listWorkspaces({})).items;
    const people = await queueOf(world, 'PPL');
    const desk = await queueOf(world, 'IT');
    await service.updateQueue({ params: { id: people.id }, body: { settings: { autoCreateTickets: true } } });
    await service.updateQueue({ params: { id: desk.id }, body: { settings: { enableUserEmojis: false } } });
    await service.updateWorkspace({
      params: { id: workspace?.id ?? '' },
      body: { chatEmojiActions: { fire: { action: 'create' }, lock: { action: 'create-private' } } },
    });
    // The bridge may have cached the settings, which it does for seconds.
    world.clock.pass(SETTINGS_CACHE_MS);

    const wanted = await chat.say('people-help', 'ben', 'When is the summer party?');
    const reply = await chat.say('people-help', 'ada', 'In July, I heard', wanted.ts);
    const party = await ticketOf(world, wanted.ts, 'people-help');
    expect(party.code).toMatch(/^PPL-/);

    const ours = await chat.say(CHANNEL, 'ben', 'The scanner is on fire');
    await chat.react(CHANNEL, 'ada', ours.ts, 'fire');
    await until('the answer to Ada with the reason', async () =>
      (await chat.ephemeral(CHANNEL, 'ada'))?.text.includes('only the help desk’s team'),
    );
    expect(await countTitled(world.service, 'scanner')).toBe(0);
    await chat.react(CHANNEL, 'mira', ours.ts, 'fire');
    await ticketOf(world, ours.ts);
    const locked = await chat.say(CHANNEL, 'ada', 'My desk was searched');
    await chat.react(CHANNEL, 'mira', locked.ts, 'lock');
    const searched = await ticketOf(world, locked.ts);
    await service.createTicketMessage({ body: { ticketId: searched.id, content: 'When was that?' } });

    const talk = await chat.say('general', 'ben', 'Where is the guest WiFi password?');
    const answer = await chat.say('general', 'sam', 'On the board', talk.ts);
    await Promise.all([
      shortcut(world, 'ada', 'general', answer.ts),
      shortcut(world, 'sam', 'general', talk.ts),
      chat.say('general', 'mira', `<@${(await chat.state()).bot}>`, talk.ts),
    ]);
    const wifi = await ticketOf(world, talk.ts, 'general');
    await world.untilIdle();
    expect(await countTitled(world.service, 'WiFi password')).toBe(1);
    expect(await countTitled(world.service, 'summer party')).toBe(1);
    const said = async (ticketId: string) =>
      (await service.listTicketMessages({ query: { ticketId } })).items.map(({ content }) => content);
    expect(await said(wifi.id)).toEqual(['On the board']);
    expect(await said(party.id)).toEqual([reply.text]);
    const told = await chat.ephemeral('general', 'ada');
    expect(told?.text).toContain(wifi.code);
    expect((await chat.messages(BOT, 'ada')).map(({ text }) => text)).toContain('When was that?');
    expect((await chat.thread(CHANNEL, locked.ts)).map(({ text }) => text)).toEqual([
      'A private ticket was opened. Its conversation continues in direct messages.',
    ]);
  });

  test('B1 the shortcut joins a public channel for its message, and says in a private one what to do', async () => {
    const { chat } = world;
    await chat.post('create-channel', { user: 'ada', name: 'office', members: ['ben'] });
    await chat.post('create-channel', { user: 'ada', name: 'board', private: true, members: ['ben'] });
    const open = await chat.say('office', 'ben', 'The coffee machine leaks');
    await shortcut(world, 'ada', 'office', open.ts);
    await ticketOf(world, open.ts, 'office');
    const hidden = await chat.say('board', 'ben', 'The vault is open');
    await shortcut(world, 'ada', 'board', hidden.ts);
    const told = await until('the answer to Ada', async () => chat.ephemeral('board', 'ada'));
    expect(told.text).toContain('/invite @deskbridge');
    expect(told.text).toContain('The vault is open');
    await world.untilIdle();
    expect(await countTitled(world.service, 'vault')).toBe(0);
  });

  test('B8 a direct message opens a private ticket, soon following messages are added to it, and can become their own ticket', async () => {
    const { chat, service } = world;
    await chat.say(BOT, 'ada', 'Hello :wave:');
    const greeting = await until('the answer', async () =>
      (await chat.messages(BOT, 'ada')).find(({ text }) => text.startsWith('Hi!')),
    );
    expect(greeting.text).toBe('Hi! Write what you need in one message, and it becomes a ticket.');
    await chat.post('interact', {
      user: 'ada',
      channel: greeting.channel,
      messageTs: greeting.ts,
      action: 'new_ticket',
    });
    await until('the form', async () => (await chat.modal('ada'))?.callback_id === 'new_ticket_form');
    const first = await chat.say(BOT, 'ada', 'My badge is lost');
    const second = await chat.say(BOT, 'ada', 'It was in my blue bag');
    const third = await chat.say(BOT, 'ada', 'Also: may I have a second monitor?');
    const ticket = await ticketOf(world, first.ts, BOT);
    expect(ticket).toMatchObject({ private: true, title: 'My badge is lost' });
    await world.untilIdle();
    const contents = async (ticketId: string) =>
      (await service.listTicketMessages({ query: { ticketId } })).items
        .filter(({ deleted }) => !deleted)
        .map(({ content }) => content);
    expect(await contents(ticket.id)).toEqual([second.text, third.text]);
    await chat.edit(BOT, 'ada', second.ts, 'It was in my red bag');
    await until('the edit', async () => (await contents(ticket.id))[0] === 'It was in my red bag');

    const added = (await chat.messages(BOT, 'ada')).find(
      ({ thread_ts, bot_id }) => bot_id !== undefined && thread_ts === third.ts,
    );
    expect(added?.text).toContain(ticket.code);
    await chat.post('interact', {
      user: 'ada',
      channel: added?.channel,
      messageTs: added?.ts,
      action: 'own_ticket',
    });
    const own = await until(
      'the ticket of its own',
      async () =>
        (await service.listTickets({ query: { search: 'second monitor' } })).items.find(
          ({ description }) => description === third.text,
        ),
      { seen: () => chat.messages(BOT, 'ada') },
    );
    expect(own.private).toBe(true);
    await world.untilIdle();
    expect(await contents(ticket.id)).toEqual(['It was in my red bag']);
    expect(await contents(own.id)).toEqual([]);
    await chat.say(BOT, 'ada', 'With a long cable', third.ts);
    await until(
      'the reply on the new ticket',
      async () => (await contents(own.id))[0] === 'With a long cable',
    );
    expect(await countTitled(world.service, 'badge')).toBe(1);

    // A greeting is still answered, and thanks are added to the ticket without an answer.
    const greetings = async () =>
      (await chat.messages(BOT, 'ada')).filter(({ text }) => text.startsWith('Hi!')).length;
    const before = await greetings();
    await chat.say(BOT, 'ada', 'hi');
    const thanks = await chat.say(BOT, 'ada', 'thanks!');
    await world.untilIdle();
    expect(await greetings()).toBe(before + 1);
    expect(await contents(own.id)).toEqual(['With a long cable', 'thanks!']);
    expect((await chat.messages(BOT, 'ada')).filter(({ thread_ts }) => thread_ts === thanks.ts)).toEqual([]);
  });
});

describe('a menu entry and a button that the service cannot follow', () => {
  const told =
    ({ chat }: World, channel: string) =>
    async () =>
      (await chat.ephemeral(channel, 'ada'))?.text;

  test('B1 B47 while it is down the person is told that their request waits, and then what became of it', async () => {
    const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    const bridge = await base.startAlongside(['start']);
    const { chat } = bridge;
    const first = await chat.say(BOT, 'ada', 'My badge is lost');
    await ticketOf(base, first.ts, BOT);
    const added = await chat.say(BOT, 'ada', 'A desk lamp, please');
    const offer = await until('the button', async () =>
      (await chat.messages(BOT, 'ada')).find((one) => one.bot_id && one.thread_ts === added.ts),
    );
    await bridge.untilIdle();
    const asked = await chat.say(CHANNEL, 'ben', 'The heating is off');

    await base.stop();
    await shortcut(bridge, 'ada', CHANNEL, asked.ts);
    await until(
      'the notice',
      async () => (await told(bridge, CHANNEL)())?.includes('Your request is saved'),
      {
        seen: told(bridge, CHANNEL),
      },
    );
    await chat.post('interact', {
      user: 'ada',
      channel: offer.channel,
      messageTs: offer.ts,
      action: 'own_ticket',
    });
    await until('the other notice', async () => (await told(bridge, BOT)())?.includes('is saved'), {
      seen: () => chat.messages(BOT, 'ada'),
    });
    await base.restart();
    const { code } = await ticketOf(base, asked.ts);
    await until('the result', async () => (await told(bridge, CHANNEL)())?.includes(code), {
      seen: told(bridge, CHANNEL),
    });
    expect((await ticketOf(base, added.ts, BOT)).private).toBe(true);
    await bridge.untilIdle();
  });

  test('B1 if it refuses the ticket the person is told why, and nothing is left', async () => {
    const { bridge } = await startRefusing((what) => what === 'POST /api/tickets');
    const { chat } = bridge;
    const asked = await chat.say(CHANNEL, 'ben', 'The heating is off');
    await shortcut(bridge, 'ada', CHANNEL, asked.ts);
    await until('the reason', async () => (await told(bridge, CHANNEL)())?.includes('not today'), {
      seen: told(bridge, CHANNEL),
    });
    await bridge.untilIdle();
    const letters = await runCommand(['dead-letters', 'list'], bridge.environment);
    expect(letters.out).toContain('No dead letters.');
  });
});

describe('private channels of tickets', () => {
  test('B11 🤫 moves a private ticket to a private channel with requester, reacting user and team, created once even if its response is lost', async () => {
    const { chat, service } = world;
    // The response to creating the channel is lost: the next attempt finds the channel.
    await chat.post('faults', {
      faults: [{ method: 'conversations.create', kind: 'answer_lost', times: 1 }],
    });
    const root = await chat.say(CHANNEL, 'ben', 'Somebody reads my mail');
    await chat.say(CHANNEL, 'ada', 'Oh dear', root.ts);
    await chat.react(CHANNEL, 'ada', root.ts, 'shushing_face');
    const ticket = await ticketOf(world, root.ts);
    expect(ticket.private).toBe(true);
    const rooms = async () =>
      Object.keys((await chat.state()).channels).filter((name) => name.includes('-private'));
    const room = `${ticket.code.toLowerCase()}-private`;
    const inRoom = async () => ((await rooms()).includes(room) ? chat.messages(room, 'ben') : []);
    await until(
      'the first message in the room',
      async () => (await inRoom()).some(({ bot_id, text }) => bot_id && text.includes(ticket.code)),
      { seen: async () => [await rooms(), await inRoom()] },
    );
    expect(await rooms()).toEqual([room]);
    // Its members are the requester, the reacting user and the team, and nobody else.
    for (const who of ['ben', 'ada', 'mira', 'sam']) await chat.say(room, who, `${who} is here`);
    await service.createTicketMessage({ body: { ticketId: ticket.id, content: 'We look at it' } });
    await until('the answer in the room', async () =>
      (await inRoom()).some(({ text }) => text === 'We look at it'),
    );
    const said = [
      'Oh dear',
      'ben is here',
      'ada is here',
      'mira is here',
      'sam is here',
      'We look at it',
    ].toSorted();
    const contents = async () =>
      (await service.listTicketMessages({ query: { ticketId: ticket.id } })).items
        .map(({ content }) => content)
        .toSorted();
    await until('all messages to be on the ticket', async () => (await contents()).length >= said.length, {
      seen: contents,
    });
    expect(await contents()).toEqual(said);
    expect((await chat.thread(CHANNEL, root.ts)).filter(({ bot_id }) => bot_id)).toEqual([]);
  });

  test('B11 if the name is taken or Slack rejects a channel, or one of its members, another place is found and none is left behind; without any place, the user and the ticket get a notice', async () => {
    const { chat, service } = world;
    const rooms = async () => Object.keys((await chat.state()).channels);
    const desk = await queueOf(world, 'IT');
    const before = await service.createTicket({ body: { title: 'The one before', queueId: desk.id } });
    // Another user has a channel with the name that the next ticket wants.
    const next = Number(before.code.slice(3)) + 1;
    await chat.post('create-channel', {
      user: 'sam',
      name: `it-${next}-private`,
      private: true,
      members: [],
    });
    const taken = await chat.say(CHANNEL, 'ada', 'My badge opens every door');
    await chat.react(CHANNEL, 'ada', taken.ts, 'shushing_face');
    const second = `it-${next}-private-2`;
    await until('the second name', async () => (await rooms()).includes(second), { seen: rooms });
    await world.untilIdle();
    // The first post there says what the ticket is about.
    const [first] = (await chat.messages(second, 'ada')).filter(({ bot_id }) => bot_id !== undefined);
    expect(JSON.stringify(first?.blocks)).toContain('rich_text_quote');
    expect(JSON.stringify(first?.blocks)).toContain('My badge opens every door');

    const refuse = (method: string, error: string) =>
      chat.post('faults', { faults: [{ method, kind: 'error', error, times: 1 }] });
    const openAside = async (user: string, words: string) => {
      const { ts } = await chat.say(CHANNEL, user, words);
      await chat.react(CHANNEL, user, ts, 'shushing_face');
      const ticket = await ticketOf(world, ts);
      await world.untilIdle();
      expect((await chat.thread(CHANNEL, ts)).filter(({ bot_id }) => bot_id)).toEqual([]);
      return ticket;
    };
    /** The channels of a ticket's current and previous conversations. */
    const placesOf = async ({ id }: { id: string }) =>
      (await service.readTicket({ params: { id } })).chatThreads
        .filter(({ type }) => type !== 'TRIAGE')
        .map(({ channelId }) => channelId);
    await refuse('conversations.create', 'restricted_action');
    expect(await placesOf(await openAside('ben', 'My salary slip is wrong'))).toHaveLength(2);
    await refuse('conversations.invite', 'user_is_restricted');
    const empty = await openAside('ben', 'My contract is wrong');
    const room = `${empty.code.toLowerCase()}-private`;
    const { archived, channels } = await chat.state();
    expect(archived).toEqual([room]);
    const places = await placesOf(empty);
    expect(places).toHaveLength(2);
    expect(places).not.toContain(channels[room]);

    await chat.post('faults', {
      faults: [
        { method: 'conversations.create', kind: 'error', error: 'restricted_action', times: 1 },
        { method: 'conversations.open', kind: 'error', error: 'user_disabled', times: 2 },
      ],
    });
    const lost = await openAside('ben', 'My phone was stolen');
    const notes = await service.listTicketMessages({ query: { ticketId: lost.id, private: true } });
    expect(notes.items.map(({ content }) => content)).toEqual([
      expect.stringMatching(
        /^The conversation of this private ticket has no place of its own yet.*user_disabled/s,
      ),
    ]);
    const told = (await chat.messages(BOT, 'ben')).filter(({ text }) =>
      text.includes('could not get a private conversation'),
    );
    expect(told.map(({ text }) => text)).toEqual([expect.stringContaining(lost.code)]);
  });

  test('B1 a ticket from outside of chat gets a direct conversation with its first public answer by another user', async () => {
    const { chat, service } = world;
    const people = (await service.listUsers({ query: { email: 'ben@acme.example' } })).items;
    const [agent] = (await service.listUsers({ query: { email: 'mira@acme.example' } })).items;
    const desk = await queueOf(world, 'IT');
    const requesterId = people[0]?.id ?? '';
    const ticket = await service.createTicket({
      body: { title: 'Sent by mail', queueId: desk.id, requesterId },
    });
    const write = (content: string, authorId: string, isPrivate = false) =>
      service.createTicketMessage({ body: { ticketId: ticket.id, content, authorId, private: isPrivate } });
    await write('Anybody there?', requesterId);
    await write('A note', agent?.id ?? '', true);
    await world.untilIdle();
    expect((await chat.messages(BOT, 'ben')).filter(({ text }) => text.includes(ticket.code))).toEqual([]);
    await Promise.all([write('Yes, here', agent?.id ?? ''), write('And here', agent?.id ?? '')]);
    await until('both answers', async () => {
      const texts = (await chat.messages(BOT, 'ben')).map(({ text }) => text);
      return texts.includes('Yes, here') && texts.includes('And here');
    });
    await world.untilIdle();
    const shown = await chat.messages(BOT, 'ben');
    const roots = shown.filter(
      ({ thread_ts, ts, text }) => (thread_ts ?? ts) === ts && text.includes(ticket.code),
    );
    expect(roots).toHaveLength(1);
    expect(shown.filter(({ text }) => text === 'A note' || text === 'Anybody there?')).toEqual([]);
    await chat.say(BOT, 'ben', 'Thank you');
    await until('the reply on the ticket', async () =>
      (await service.listTicketMessages({ query: { ticketId: ticket.id } })).items.some(
        ({ content }) => content === 'Thank you',
      ),
    );
  });
});
