import pg from 'pg';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { startForeignWorld } from '../harness/foreign-world.ts';
import { removePost } from '../harness/remove-post.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

async function open(world: World): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> a card, please`);
  const ticket = await ticketAt(world.service, ts);
  return { root: ts, id: ticket.id };
}

const cardsIn = async ({ chat }: World, root: string) =>
  (await chat.thread(CHANNEL, root)).filter(({ text }) => text.includes('a card, please'));

async function setStatus({ service }: World, id: string, label: string): Promise<void> {
  const { items } = await service.listStatuses({ query: {} });
  const statusId = items.find((status) => status.label === label)?.id ?? '';
  await service.updateTicket({ params: { id }, body: { data: { statusId } } });
}

test('B24 the card is in its thread once after a lost response, is updated, and is posted again after a user deleted it', async () => {
  await world.chat.post('faults', {
    faults: [{ method: 'chat.postMessage', kind: 'answer_lost', times: 1 }],
  });
  const { root, id } = await open(world);
  await world.untilIdle();
  await setStatus(world, id, 'Waiting');
  await world.untilIdle();
  const [card, ...more] = await cardsIn(world, root);
  expect([card?.text, more]).toEqual([expect.stringContaining('(Waiting)'), []]);
  await removePost(world, card?.channel ?? '', card?.ts ?? '');
  await world.untilIdle();
  await setStatus(world, id, 'In Progress');
  await world.untilIdle();
  const cards = await cardsIn(world, root);
  expect(cards.map(({ text }) => text)).toEqual([expect.stringContaining('(In Progress)')]);
});

test('B22 a message of the requester on a done ticket reopens it, another user’s does not, and the card shows it', async () => {
  const { root, id } = await open(world);
  await world.untilIdle();
  await setStatus(world, id, 'Done');
  await world.chat.say(CHANNEL, 'ben', 'same for me by the way', root);
  await world.untilIdle();
  expect((await cardsIn(world, root))[0]?.text).toContain('(Done)');
  await world.chat.say(CHANNEL, 'ada', 'it is back', root);
  await world.untilIdle();
  expect((await world.service.readTicket({ params: { id } })).status.label).toBe('Open');
  expect((await cardsIn(world, root))[0]?.text).toContain('(Open)');
});

test('B22 a service that does not report the state of the ticket with a stored reply is asked for it: the reply reopens a done ticket', async () => {
  const { base, bridge, chat } = await startForeignWorld({ pairs: 'dropped' });
  const { service } = base;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> the door squeaks`);
  // It stores no chat pair, by which the ticket could be found.
  const { id } = await until('the ticket', async () => {
    const { items } = await service.listTickets({ query: { search: 'the door squeaks' } });
    return items[0];
  });
  await bridge.untilBridgeIdle();
  await setStatus(base, id, 'Done');
  await chat.say(CHANNEL, 'ada', 'it squeaks again', ts);
  const label = async () => (await service.readTicket({ params: { id } })).status.label;
  await until('the ticket to be open again', async () => (await label()) === 'Open', { seen: label });
  await bridge.untilBridgeIdle();
  const { items } = await service.listTicketMessages({ query: { ticketId: id } });
  expect(items.filter(({ content }) => content === 'it squeaks again')).toHaveLength(1);
});

test('B22 thanks and emoji leave a ticket done; a reply more than 14 days later opens a new ticket that is linked to it', async () => {
  const { chat, service } = world;
  const { root, id } = await open(world);
  await world.untilIdle();
  await setStatus(world, id, 'Done');
  const { ts } = await chat.say(CHANNEL, 'ada', 'Thanks a lot, works now :tada:', root);
  await chat.say(CHANNEL, 'ada', ':+1:', root);
  await chat.react(CHANNEL, 'ada', ts, 'heart');
  await world.untilIdle();
  const old = () => service.readTicket({ params: { id } });
  expect((await old()).status.label).toBe('Done');

  const database = new pg.Client({ connectionString: world.environment.DATABASE_URL ?? '' });
  await database.connect();
  await database.query(`update service.ticket set resolved_at = now() - interval '15 days' where id = $1`, [
    id,
  ]);
  await database.end();
  await chat.say(CHANNEL, 'ada', 'The beeping is back since this morning', root);
  await world.untilIdle();
  const { status, children, code } = await old();
  expect([status.label, children.map(({ title }) => title)]).toEqual([
    'Done',
    ['The beeping is back since this morning'],
  ]);
  const next = await service.readTicket({ params: { id: children[0]?.id ?? '' } });
  expect(next).toMatchObject({ parentId: id, private: false, status: { label: 'Open' } });
  const { items } = await service.listUsers({ query: { set: next.requesterId ?? '' } });
  expect(items.map(({ firstName }) => firstName)).toEqual(['Ada']);
  const last = (await chat.thread(CHANNEL, root)).at(-1);
  expect(last?.text).toContain('your reply is a new request');
  expect(last?.text).toContain(next.code);
  const begins = (await chat.messages(CHANNEL)).filter(
    ({ text, thread_ts }) => text.startsWith('The beeping is back') && thread_ts === undefined,
  );
  expect(begins.map(({ username }) => username)).toEqual(['ada']);
  expect(JSON.stringify(begins[0]?.blocks)).toContain(`|${code}>`);
});

test('B10 a person whose e-mail and chat account belong to two users is the user of the chat account', async () => {
  const { service } = world;
  const { user: chatUserId } = await world.chat.post<{ user: string }>('add-person', {
    name: 'newcomer',
    email: 'newcomer@acme.example',
  });
  await world.chat.post('join', { channel: CHANNEL, user: 'newcomer' });
  await service.createUser({ body: { firstName: 'Mail', email: 'newcomer@acme.example' } });
  const known = await service.createUser({
    body: { firstName: 'Chat', chatUsers: [{ chatUserId, chatTeamId: DEMO.team.id, isBot: false }] },
  });
  const { root, id } = await open(world);
  await world.untilIdle();
  await world.chat.say(CHANNEL, 'newcomer', 'who am I?', root);
  await world.untilIdle();
  const { items } = await service.listTicketMessages({ query: { ticketId: id } });
  expect(items.map(({ content, authorId }) => [content, authorId])).toEqual([['who am I?', known.id]]);
});

test('B29 the first message has one emoji of the status, which changes with it, and none if the queue turns it off', async () => {
  const world = await startWorld({ CHAT_SETTINGS_SECONDS: '0' });
  const { root, id } = await open(world);
  await world.untilIdle();
  const emoji = async () =>
    (await world.chat.messages(CHANNEL)).find(({ ts }) => ts === root)?.reactions.map(({ name }) => name);
  expect(await emoji()).toEqual([]);
  await setStatus(world, id, 'In Progress');
  await world.untilIdle();
  expect(await emoji()).toEqual(['eyes']);
  await setStatus(world, id, 'Done');
  await world.untilIdle();
  expect(await emoji()).toEqual(['white_check_mark']);
  const { queueId } = await world.service.readTicket({ params: { id } });
  const settings = { enableEmojiUpdates: false };
  await world.service.updateQueue({ params: { id: queueId ?? '' }, body: { settings } });
  await setStatus(world, id, 'Waiting');
  await world.untilIdle();
  expect(await emoji()).toEqual([]);
});
