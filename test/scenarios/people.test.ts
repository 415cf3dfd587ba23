import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { runCommand } from '../harness/run-command.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';
import { startTap } from '../harness/tap.ts';
import { countTitled } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const { ada, ben, mira, sam } = DEMO.people;

const ticketAt = async ({ service }: World, ts: string) =>
  (await service.listTickets({ query: { chatMessageTs: ts } })).items[0];
const openedAt = (world: World, ts: string) =>
  until('the ticket', () => ticketAt(world, ts), { seen: () => world.chat.messages(CHANNEL) });
const userOf = async ({ service }: World, chatUserId: string) =>
  (await service.listUsers({ query: { chatUserId } })).items[0];
const messagesOf = async ({ service }: World, ticketId: string) =>
  (await service.listTicketMessages({ query: { ticketId } })).items;
const said = async (world: World, ticketId: string, words: string) =>
  until(
    `"${words}" on the ticket`,
    async () => (await messagesOf(world, ticketId)).find(({ content }) => content.includes(words)),
    { seen: () => messagesOf(world, ticketId) },
  );

async function itQueue({ service }: World) {
  const { items } = await service.listQueues({});
  const found = items.find(({ prefix }) => prefix === DEMO.itPrefix);
  if (!found) throw new Error('the demo has no such queue');
  return found;
}

/** A ticket of Ada with its thread. */
async function openTicket(world: World, text: string) {
  const { bot } = await world.chat.state();
  const root = await world.chat.say(CHANNEL, 'ada', `<@${bot}> ${text}`);
  const ticket = await openedAt(world, root.ts);
  return { root: root.ts, id: ticket.id, ticket };
}

test('B9, B10, B13, B17, B23: guests are refused politely, bots need permission, renamed people keep their user, mentions follow', async () => {
  const world = await startWorld({ CHAT_SETTINGS_SECONDS: '0' });
  const { chat, service } = world;
  const { bot } = await chat.state();

  // B9: a guest of the workspace, and a person of another organisation.
  const queue = await itQueue(world);
  await service.updateQueue({ params: { id: queue.id }, body: { settings: { allowGuestUsers: false } } });
  const { root, id } = await openTicket(world, 'the projector flickers');
  await chat.post('add-person', { name: 'gast', role: 'guest', email: 'gast@acme.example' });
  await chat.post('add-person', { name: 'fremd', teamId: 'T0OTHERORG' });
  for (const guest of ['gast', 'fremd']) {
    await chat.post('join', { channel: CHANNEL, user: guest });
    const asked = await chat.say(CHANNEL, guest, `<@${bot}> may I ask something?`);
    const whisper = await until(`the answer to ${guest}`, () => chat.ephemeral(CHANNEL, guest), {});
    expect(whisper.text).toContain('Guests cannot open tickets here');
    expect(await ticketAt(world, asked.ts)).toBeUndefined();
    // In a conversation that a member started they can write.
    await chat.say(CHANNEL, guest, `${guest} sees it too`, root);
    const reply = await said(world, id, `${guest} sees it too`);
    expect((await service.readUser({ params: { id: reply.authorId ?? '' } })).isGuestCreated).toBe(true);
  }
  await chat.say(CHANNEL, 'gast', `<@${bot}>`);
  await world.untilIdle();
  expect(await countTitled(service, 'may I ask')).toBe(0);

  // B17: bots are ignored until they are allowed; then messages of one with an account, and of one without.
  await chat.post('bot-message', { channel: CHANNEL, bot: 'Pager', text: 'disk is full', thread_ts: root });
  await world.untilIdle();
  expect((await messagesOf(world, id)).some(({ content }) => content.includes('disk'))).toBe(false);
  expect((await runCommand(['people', 'bots', 'allow'], world.environment)).out).toContain('are forwarded');
  await chat.post('bot-message', { channel: CHANNEL, bot: 'Pager', text: 'disk is fuller', thread_ts: root });
  const fromBot = await said(world, id, 'disk is fuller');
  expect(await service.readUser({ params: { id: fromBot.authorId ?? '' } })).toMatchObject({
    firstName: 'Pager',
    isBot: true,
  });
  const alarm = { channel: CHANNEL, bot: 'Pager', username: 'Alarm *1*', text: 'gone', thread_ts: root };
  await chat.post('bot-message', alarm);
  expect((await said(world, id, 'gone')).content).toBe('**Alarm \\*1\\*:** gone');
  const answer = await service.createTicketMessage({ body: { ticketId: id, content: 'Thank you all.' } });
  await until('the answer in the thread', async () =>
    (await chat.thread(CHANNEL, root)).some(({ text }) => text.includes('Thank you all.')),
  );
  await world.untilIdle();
  expect((await messagesOf(world, id)).filter(({ content }) => content === answer.content)).toHaveLength(1);

  // B10: a new name and picture reach the existing user; the picture is next to answers from the desk.
  const known = await userOf(world, ada.id);
  await chat.post('change-person', { user: 'ada', firstName: 'Adelina', lastName: 'Reyes' });
  await until('the new name', async () => (await userOf(world, ada.id))?.firstName === 'Adelina', {
    seen: () => userOf(world, ada.id),
  });
  expect((await userOf(world, ada.id))?.id).toBe(known?.id);

  // B23: mentioned users follow, once, also with concurrent mentions; the requester and bots do not. B10: a
  // person who left is no longer mentioned.
  await Promise.all([
    chat.say(CHANNEL, 'ada', `<@${ben.id}> <@${ada.id}> <@${bot}> look at this`, root),
    chat.say(CHANNEL, 'sam', `<@${mira.id}> and you <@${bot}>`, root),
    chat.say(CHANNEL, 'mira', `<@${sam.id}> too, and <@${ben.id}>`, root),
  ]);
  await world.untilIdle();
  const [benUser, miraUser, samUser] = await Promise.all(
    [ben, mira, sam].map((one) => until(`${one.id} to be known`, () => userOf(world, one.id))),
  );
  if (!benUser || !miraUser || !samUser) throw new Error('nobody is known');
  const followers = async () => (await service.readTicket({ params: { id } })).followers.map((one) => one.id);
  expect((await followers()).toSorted()).toEqual([benUser.id, miraUser.id, samUser.id].toSorted());
  const mention = (n: number) =>
    service.createTicketMessage({ body: { ticketId: id, content: `${n} [@Ben](user:${benUser.id})` } });
  const posted = (n: number) =>
    until(`post ${n}`, async () =>
      (await chat.thread(CHANNEL, root)).find(({ text, bot_id }) => bot_id && text.includes(`${n} `)),
    );
  await mention(701);
  expect(JSON.stringify((await posted(701)).blocks)).toContain(ben.id);
  await chat.post('change-person', { user: 'ben', deleted: true });
  await world.untilIdle();
  await mention(702);
  expect(JSON.stringify((await posted(702)).blocks)).not.toContain(ben.id);
  expect((await userOf(world, ben.id))?.id).toBe(benUser.id);
});

test('B10, B42, B44, B45: accounts are linked by hand, sync can be off, bot and AI agents have their own names and pictures', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const { workspaceId } = await itQueue(world);
  const { root, id, ticket } = await openTicket(world, 'the door is stuck');
  const sayAs = async (user: string, words: string) => {
    await chat.say(CHANNEL, user, words, root);
    return (await said(world, id, words)).authorId;
  };

  // Settings of the service are read when they are next needed, but cached for a few seconds; and a link
  // survives a stop.
  await service.updateWorkspace({
    params: { id: workspaceId },
    body: { chatBotUsername: 'Acme Desk', settings: { disableChatUserSync: true, visibleInChat: false } },
  });
  await world.stop();
  await world.restart();
  const other = await service.createUser({ body: { firstName: 'Other', email: 'other@desk.example' } });

  // By hand.
  const linked = await runCommand(['people', 'link', sam.id, 'other@desk.example'], world.environment);
  expect(linked.out).toContain('is now linked to Other');
  expect(await sayAs('sam', 'speaking as another')).toBe(other.id);

  // B10 disableChatUserSync: no new user is created, and the name is in front of the text; known users stay
  // known.
  await chat.post('add-person', { name: 'neu', displayName: 'Neu [x](y)', email: 'neu@acme.example' });
  await chat.post('join', { channel: CHANNEL, user: 'neu' });
  await chat.say(CHANNEL, 'neu', 'am I anybody?', root);
  expect((await said(world, id, 'am I anybody?')).content).toMatch(/^\*\*Neu \\\[x.*:\*\* am I anybody\?$/);
  expect((await service.listUsers({ query: { email: 'neu@acme.example' } })).items).toEqual([]);

  // B42: an AI agent's message has the agent's name.
  const { id: agentId } = await service.saveAgent({ body: { name: 'Robin', workspaceId } });
  await service.updateTicket({ params: { id }, body: { data: { assignedAIAgent: agentId } } });
  await service.createTicketMessage({ body: { ticketId: id, content: 'I am on it', source: 'AGENT' } });
  const agentPost = await until('the agent', async () =>
    (await chat.thread(CHANNEL, root)).find(({ text }) => text === 'I am on it'),
  );
  expect(agentPost.username).toBe('Robin');

  // B45: a workspace that is not visible in chat opens and shows nothing there; existing tickets continue.
  // B44: the bot's own posts have the workspace's bot name.
  const { bot } = await chat.state();
  const asked = await chat.say(CHANNEL, 'ada', `<@${bot}> another door`);
  world.skipComparison('B45: a workspace that is not visible in chat opens no ticket there');
  const told = await until('the answer to Ada', () => chat.ephemeral(CHANNEL, 'ada'));
  expect(told.username).toBe('Acme Desk');
  expect(told.text).toContain('No ticket was opened');
  expect(await ticketAt(world, asked.ts)).toBeUndefined();
  await chat.command(CHANNEL, 'ada', `show ${ticket.code}`);
  await until('the answer to Ada that there is none', async () =>
    (await chat.ephemeral(CHANNEL, 'ada'))?.text.includes('There is no ticket'),
  );
  expect(await sayAs('ada', 'the talk goes on')).toBe(ticket.requesterId);
});

test('B23 a mention adds followers, and removes none whom another program adds at the same moment', async () => {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const { service } = base;
  const follower = await service.createUser({ body: { firstName: 'Late' } });
  let id = '';
  // Once the bridge has read who follows, and before it writes that.
  const tap = await startTap('service', base.urls.root, async ({ request, when }) => {
    if (request === `PUT /api/tickets/${id}` && when === 'arrived') {
      const { followers } = await service.readTicket({ params: { id } });
      if (!followers.some((one) => one.id === follower.id)) {
        const all = [...followers, follower].map((one) => ({ id: one.id }));
        await service.updateTicket({ params: { id }, body: { data: { followers: all } } });
      }
    }
    return 'go on';
  });
  const { chat, urls } = await base.startAlongside(['sandbox']);
  const bridge = await base.startAlongside(['bridge'], {
    SERVICE_URL: `${tap.url}/api`,
    ...bridgeSettings(urls.sandbox),
  });
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> the lift stops`);
  ({ id } = await until('the ticket', () => ticketAt(base, root.ts)));
  await bridge.untilIdle();
  await chat.say(CHANNEL, 'ada', `<@${ben.id}> you too?`, root.ts);
  await said(base, id, 'you too?');
  await bridge.untilIdle();
  const followers = (await service.readTicket({ params: { id } })).followers.map((one) => one.id);
  const mentioned = await userOf(base, ben.id);
  expect(followers.toSorted()).toEqual([follower.id, mentioned?.id].toSorted());
});
