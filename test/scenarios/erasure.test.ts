import { expect, test } from 'vitest';

import { findText } from '../harness/find-text.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { type LocalWorld, startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const EMAIL = 'otto.q@acme.example';
/** Both sides are compared every second: that is how the bridge learns of an erasure. */
const EVERY = { RECONCILE_EVERY_SECONDS: '1', CHAT_READS_PER_MINUTE: '6000' };

/** Adds Otto, whose names occur nowhere else, to the channel. Returns the id in chat. */
async function addOttoline({ chat }: LocalWorld): Promise<string> {
  const person = { name: 'ottoq', firstName: 'Ottoline', lastName: 'Quackenbush', email: EMAIL };
  const { user } = await chat.post<{ user: string }>('add-person', { ...person, displayName: 'ottoq' });
  await chat.post('join', { channel: CHANNEL, user: 'ottoq' });
  return user;
}

/** Returns where these texts occur in the tables of service and bridge. */
const find = ({ environment }: LocalWorld, texts: readonly string[]) =>
  findText(environment['DATABASE_URL'] ?? '', ['service', 'bridge'], texts);

/** Some of the tables that contain data of a person before the erasure. */
const TABLES_WITH_PEOPLE = [
  'service.person',
  'service.chat_user',
  'service.event',
  'bridge.person',
  'bridge.inbox',
];

const authorOf = async ({ service }: LocalWorld, ticketId: string, content: string) =>
  (await service.listTicketMessages({ query: { ticketId } })).items.find((one) => one.content === content)
    ?.authorId;

/** Otto's ticket, and the message that opened it. */
interface Opened {
  id: string;
  ts: string;
  /** The id of Otto's first user at the service. */
  requesterId: string;
}

/** Otto writes, reacts, presses, sends commands and is mentioned: everything that stores data of a person. */
async function leaveTraces(world: LocalWorld, chatUserId: string): Promise<Opened> {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ottoq', `<@${bot}> my keyboard smokes`);
  const { id, requesterId, queueId } = await ticketAt(service, ts);
  if (requesterId === null) throw new Error('no requester');
  await service.updateQueue({
    params: { id: queueId ?? '' },
    body: { settings: { enableGranularChatNotifications: true, enableCSAT: true } },
  });
  await chat.say(CHANNEL, 'ottoq', 'now it burns', ts);
  const { ts: reply } = await chat.say(CHANNEL, 'ben', `<@${chatUserId}> which one?`, ts);
  await chat.react(CHANNEL, 'ottoq', reply, 'eyes');
  await pressOwnCard(world);
  await chat.command(CHANNEL, 'ottoq', 'notify all');
  await chat.command(CHANNEL, 'ottoq', 'list');
  await chat.post('open-home', { user: 'ottoq' });
  await chat.say('@deskbridge', 'ottoq', 'my screen is dark, too');
  await world.untilIdle();
  await writeAtDesk(world, { id, requesterId });
  await world.untilIdle();
  return { id, ts, requesterId };
}

/** An interaction stores the message that it was on: the card, with the requester's name. */
async function pressOwnCard({ chat }: LocalWorld): Promise<void> {
  const card = await until('the card', async () =>
    (await chat.messages('it-triage')).find(({ text }) => text.includes('my keyboard smokes')),
  );
  const press = { messageTs: card.ts, action: 'card_assign_me' };
  await chat.post('interact', { user: 'mira', channel: card.channel, ...press });
}

async function writeAtDesk({ service }: LocalWorld, { id, requesterId }: Pick<Opened, 'id' | 'requesterId'>) {
  const { items } = await service.listUsers({ query: {} });
  const ben = items.find(({ firstName }) => firstName === 'Ben')?.id ?? '';
  const byBen = await service.createTicket({ body: { title: 'Budget', requesterId: ben } });
  for (const data of [{ assigneeId: requesterId, approverIds: [requesterId] }, { priority: 'HIGH' as const }])
    await service.updateTicket({ params: { id: byBen.id }, body: { data } });
  await service.createTicketMessage({
    body: { ticketId: id, content: 'From my desk', authorId: requesterId },
  });
  await service.createTicketMessage({ body: { ticketId: id, content: 'An answer', authorId: ben } });
}

test('an erased person is in no table of service and bridge, stays unknown to comparisons, and is a new user when they write again', async () => {
  const world = await startWorld(EVERY);
  const { chat, service } = world;
  const names = ['Ottoline', 'Quackenbush', 'ottoq', EMAIL];
  expect(await find(world, names)).toEqual([]);
  const chatUserId = await addOttoline(world);
  const needles = [...names, chatUserId];

  const { id, ts, requesterId } = await leaveTraces(world, chatUserId);
  const stored = (await find(world, needles)).join();
  for (const table of TABLES_WITH_PEOPLE) expect(stored).toContain(table);

  const erased = await runCommand(['people', 'erase', EMAIL, '--yes'], world.environment);
  expect([erased.code, erased.out]).toEqual([0, expect.stringContaining(`${requesterId} is erased`)]);
  await until('nothing to be left', async () => (await find(world, needles)).length === 0, {
    seen: () => find(world, needles),
  });

  // Their messages are still in Slack; comparing both sides does not bring them back.
  expect((await runCommand(['reconcile'], world.environment)).code).toBe(0);
  await world.untilIdle();
  expect(await find(world, needles)).toEqual([]);
  expect((await service.listUsers({ query: { email: EMAIL } })).items).toEqual([]);
  expect(await authorOf(world, id, 'now it burns')).toBe(requesterId);

  await chat.say(CHANNEL, 'ottoq', 'it is me again', ts);
  const again = await until('the message', () => authorOf(world, id, 'it is me again'));
  expect(again).not.toBe(requesterId);
  expect(await service.readUser({ params: { id: again } })).toMatchObject({
    email: EMAIL,
    lastName: 'Quackenbush',
  });

  // Also if they write before the bridge has learned of the erasure.
  await service.eraseUser({ params: { id: again } });
  await chat.say(CHANNEL, 'ottoq', 'and once more', ts);
  const third = await until('the message', () => authorOf(world, id, 'and once more'));
  expect([requesterId, again]).not.toContain(third);
});

test('people erase does nothing without --yes or for an unknown user', async () => {
  const world = await startWorld();
  const { service, environment } = world;
  const { id } = await service.createUser({ body: { firstName: 'Bo', email: 'bo@acme.example' } });
  const unasked = await runCommand(['people', 'erase', id], environment);
  expect([unasked.code, unasked.err]).toEqual([1, expect.stringContaining('needs --yes')]);
  const unknown = await runCommand(['people', 'erase', 'nobody@acme.example', '--yes'], environment);
  expect([unknown.code, unknown.err]).toEqual([
    1,
    expect.stringContaining('has no user nobody@acme.example'),
  ]);
  expect((await service.readUser({ params: { id } })).firstName).toBe('Bo');
});
