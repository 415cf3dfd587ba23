import { expect, test } from 'vitest';

import { findText } from '../harness/find-text.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { type LocalWorld, startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const EMAIL = 'otto.q@acme.example';
/** Compared often: the bridge learns of an erasure by a list. */
const EVERY = { RECONCILE_EVERY_SECONDS: '1', CHAT_READS_PER_MINUTE: '6000' };

/** Adds somebody to the channel, whose names nobody else has. */
async function addOttoline({ chat }: LocalWorld): Promise<string> {
  const person = { name: 'ottoq', firstName: 'Ottoline', lastName: 'Quackenbush', email: EMAIL };
  const { user } = await chat.post<{ user: string }>('add-person', { ...person, displayName: 'ottoq' });
  await chat.post('join', { channel: CHANNEL, user: 'ottoq' });
  return user;
}

/** Everywhere in the tables of service and bridge. */
const find = ({ environment }: LocalWorld, texts: readonly string[]) =>
  findText(environment['DATABASE_URL'] ?? '', ['service', 'bridge'], texts);

const authorOf = async ({ service }: LocalWorld, ticketId: string, content: string) =>
  (await service.listTicketMessages({ query: { ticketId } })).items.find((one) => one.content === content)
    ?.authorId;

test('an erased person is in no table of service and bridge, stays unknown to comparisons, and is somebody new when they write again', async () => {
  const world = await startWorld(EVERY);
  const { chat, service } = world;
  const { bot } = await chat.state();
  const names = ['Ottoline', 'Quackenbush', 'ottoq', EMAIL];
  expect(await find(world, names)).toEqual([]);
  const needles = [...names, await addOttoline(world)];

  // Everything that leaves something of a person behind.
  const { ts } = await chat.say(CHANNEL, 'ottoq', `<@${bot}> my keyboard smokes`);
  const { id, requesterId, queueId } = await ticketAt(service, ts);
  if (requesterId === null) throw new Error('no requester');
  await service.updateQueue({
    params: { id: queueId ?? '' },
    body: { settings: { enableGranularChatNotifications: true, enableCSAT: true } },
  });
  await chat.say(CHANNEL, 'ottoq', 'now it burns', ts);
  const { ts: reply } = await chat.say(CHANNEL, 'ben', `<@${needles.at(-1) ?? ''}> which one?`, ts);
  await chat.react(CHANNEL, 'ottoq', reply, 'eyes');
  // What is pressed on her card brings the card along, with her name.
  const card = await until('her card', async () =>
    (await chat.messages('it-triage')).find(({ text }) => text.includes('my keyboard smokes')),
  );
  const press = { messageTs: card.ts, action: 'card_assign_me' };
  await chat.post('interact', { user: 'mira', channel: card.channel, ...press });
  await chat.command(CHANNEL, 'ottoq', 'notify all');
  await chat.command(CHANNEL, 'ottoq', 'list');
  await chat.post('open-home', { user: 'ottoq' });
  await chat.say('@deskbridge', 'ottoq', 'my screen is dark, too');
  await world.untilIdle();
  const { items } = await service.listUsers({ query: {} });
  const ben = items.find(({ firstName }) => firstName === 'Ben')?.id ?? '';
  const byBen = await service.createTicket({ body: { title: 'Budget', requesterId: ben } });
  for (const data of [{ assigneeId: requesterId, approverIds: [requesterId] }, { priority: 'HIGH' as const }])
    await service.updateTicket({ params: { id: byBen.id }, body: { data } });
  await service.createTicketMessage({
    body: { ticketId: id, content: 'From my desk', authorId: requesterId },
  });
  await service.createTicketMessage({ body: { ticketId: id, content: 'An answer', authorId: ben } });
  await world.untilIdle();
  const stored = await find(world, needles);
  for (const table of [
    'service.person',
    'service.chat_user',
    'service.event',
    'bridge.person',
    'bridge.inbox',
  ])
    expect(stored.join()).toContain(table);

  const erased = await runCommand(['people', 'erase', EMAIL, '--yes'], world.environment);
  expect([erased.code, erased.out]).toEqual([0, expect.stringContaining(`${requesterId} is erased`)]);
  await until('nothing to be left', async () => (await find(world, needles)).length === 0, {
    seen: () => find(world, needles),
  });

  // What is still in Slack brings nobody back.
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

  // Before the bridge has learned of it, too.
  await service.eraseUser({ params: { id: again } });
  await chat.say(CHANNEL, 'ottoq', 'and once more', ts);
  const third = await until('the message', () => authorOf(world, id, 'and once more'));
  expect([requesterId, again]).not.toContain(third);
});

test('people erase asks, names who is meant, and says that nobody was erased', async () => {
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
