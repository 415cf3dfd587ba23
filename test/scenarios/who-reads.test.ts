import { expect, test } from 'vitest';

import { compare, walkInChat } from '../drills/harness/who-reads-in-chat.ts';
import { seeded } from '../harness/seeded.ts';

const SURFACES = [
  'count',
  'direct messages',
  'figures',
  'general',
  'home',
  'list',
  'search',
  'show',
  'triage',
  'why',
];

test('B0 B35 whatever is asked, moved, switched and shared, every surface in chat shows every reader what the rule says; a leak on any of them would be found', async () => {
  const random = seeded(5);
  const { world } = await walkInChat(random, 2);
  const { chat, service } = world.world;
  // Everyone reads every queue, and everybody shows a ticket.
  for (const queue of world.queues) {
    await service.updateQueue({ params: { id: queue.id }, body: { visibility: 'workspace' } });
    queue.visibility = 'workspace';
  }
  expect((await compare(world, random)).different).toEqual([]);
  // One stays in the triage channel of the queue that it leaves, and everybody shows it to a channel.
  const ticket = world.tickets.find(({ isPrivate }) => !isPrivate);
  const queue = world.queues.find((one) => one !== ticket?.queue);
  if (!ticket || !queue) throw new Error('no ticket is for everyone');
  const body = { data: { queueId: queue.id } };
  Object.assign(ticket, {
    queue,
    code: (await service.updateTicket({ params: { id: ticket.id }, body })).code,
  });
  // While it is private, nothing of it is left there, nor of what was said on it.
  for (const isPrivate of [true, false]) {
    await world.world.untilIdle();
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { private: isPrivate } } });
    ticket.isPrivate = isPrivate;
    if (isPrivate) expect((await compare(world, () => 1)).different).toEqual([]);
  }
  for (const { name } of world.people) {
    const { ts } = await world.ask(name, `show ${ticket.code}`);
    const action = { actionId: 'share_ticket' };
    await chat.post('interact', { channel: 'general', messageTs: ts, user: name, action });
  }
  await world.world.untilIdle();
  // The rule is told that only teams read them, which have nobody; the programs are not.
  for (const one of world.queues) Object.assign(one, { visibility: 'team', autoAssignees: [] });
  for (const person of world.people) Object.assign(person, { queueIds: [], triages: [] });
  for (const one of world.tickets) Object.assign(one, { isPrivate: false, people: [] });
  expect((await compare(world, () => 0, { isTakenBack: false })).different).toEqual(SURFACES);
});
