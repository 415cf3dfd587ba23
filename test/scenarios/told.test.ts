import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { userIdOf } from '../harness/user-id.ts';
import { sharedWorld } from '../harness/world.ts';

const world = sharedWorld();

const userOf = (name: string) => userIdOf(world.service, name);
/** A ticket that Mira logs for Ben at the desk. */
const log = async (title: string, more: object = {}) =>
  world.service.createTicket({
    body: { title, requesterId: await userOf('ben'), authorId: await userOf('mira'), source: 'WEB', ...more },
  });
/** Ben's direct messages from the bot about a ticket. */
const toBen = async ({ code, title }: { code: string; title: string | null }) => {
  const all = await world.chat.messages('@deskbridge', 'ben');
  return all.filter((message) => {
    const text = JSON.stringify([message.text, message.blocks]);
    return text.includes(code) || text.includes(title ?? code);
  });
};

test.each([false, true])(
  'the requester of a ticket that an agent logs for them is told of it once, with its card, and can answer there (private: %s)',
  async (isPrivate) => {
    const { service, chat } = world;
    const title = `Badge ${String(isPrivate)}`;
    const ticket = await log(title, { tellRequester: true, private: isPrivate });
    expect(ticket).toMatchObject({ tellRequester: true });
    await until('the card', async () => JSON.stringify(await toBen(ticket)).includes('has got it'));
    await world.untilIdle();
    const told = await toBen(ticket);
    // A change of it is no news of its own.
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { priority: 'HIGH' } } });
    await world.untilIdle();
    expect((await toBen(ticket)).map(({ ts }) => ts)).toEqual(told.map(({ ts }) => ts));

    const [root] = told;
    await chat.say('@deskbridge', 'ben', 'It is blue', root?.thread_ts ?? root?.ts);
    await until('his answer', async () => {
      const { items } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
      return items.some(({ content }) => content === 'It is blue');
    });
  },
);

test('B28 a silent queue tells nobody', async () => {
  const { service } = world;
  const silent = await service.createQueue({ body: { name: 'Quiet', prefix: 'QUI' } });
  await service.updateQueue({ params: { id: silent.id }, body: { settings: { silentMode: true } } });
  const ticket = await log('Logged in silence', { tellRequester: true, queueId: silent.id });
  await world.untilIdle();
  expect(await toBen(ticket)).toEqual([]);
});

test('nobody is told who is not to be, who asks for themselves, or of what has ended', async () => {
  const { service } = world;
  const { items } = await service.listStatuses({});
  const statusId = items.find(({ label }) => label === 'Closed')?.id ?? '';
  const tickets = [
    await log('Not told'),
    await log('Closed at once', { tellRequester: true, statusId }),
    await log('Asked by Ben', { tellRequester: true, authorId: await userOf('ben') }),
  ];
  expect(tickets[2]).not.toHaveProperty('tellRequester');
  await world.untilIdle();
  for (const ticket of tickets) expect([ticket.title, await toBen(ticket)]).toEqual([ticket.title, []]);
});
