import { expect, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';

interface Card {
  ticketId: string;
  root: string;
}

async function open({ chat, service }: World, who: string, words: string): Promise<Card> {
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, who, `<@${bot}> ${words}`);
  const ticket = await ticketAt(service, ts);
  return { root: ts, ticketId: ticket.id };
}

/** A card bears controls; what else is said of a ticket does not. */
async function cardIn({ chat }: World, channel: string, holds: string): Promise<SeenMessage> {
  return until(
    `the card with ${holds}`,
    async () =>
      (await chat.messages(channel)).findLast(
        ({ text, bot_id, metadata }) =>
          bot_id !== undefined && text.includes(holds) && metadata?.event_payload['card'] !== undefined,
      ),
    { seen: async () => chat.messages(channel) },
  );
}

async function press(
  { chat }: World,
  user: string,
  card: SeenMessage,
  actionId: string,
  value?: string,
): Promise<void> {
  const action = value === undefined ? actionId : { actionId, value };
  await chat.post('interact', { user, channel: card.channel, messageTs: card.ts, action });
}

interface View {
  callback_id: string;
  blocks: { type: string; block_id: string }[];
}

async function modalOf({ urls }: World, user: string): Promise<View | undefined> {
  const answer = await fetch(`${urls.sandbox}/_control/views/${user}`);
  return ((await answer.json()) as { stack: View[] }).stack.at(-1);
}

const filledModal = (world: World, user: string, callbackId: string) =>
  until(`the modal ${callbackId}`, async () => {
    const view = await modalOf(world, user);
    return view?.callback_id === callbackId ? view : undefined;
  });

test('B25 the team works a ticket by its card, its requester closes it, and others get a polite no', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const { ticketId } = await open(world, 'ada', 'my laptop is slow');
  const ticket = () => service.readTicket({ params: { id: ticketId } });
  const card = await cardIn(world, CHANNEL, 'my laptop is slow');

  await press(world, 'mira', card, 'card_assign_me');
  await world.quiet();
  const assigned = await ticket();
  const { items } = await service.listUsers({ query: { set: assigned.assigneeId } });
  expect(items.map(({ firstName }) => firstName)).toEqual(['Mira']);
  expect(JSON.stringify((await cardIn(world, CHANNEL, 'slow')).blocks)).toContain('Mira Lind');

  const statuses = (await service.listStatuses({ query: {} })).items;
  const waiting = statuses.find(({ label }) => label === 'Waiting')?.id ?? '';
  await press(world, 'ben', card, 'card_status', waiting);
  const no = await until('a polite no', async () => chat.whisper(CHANNEL, 'ben'));
  expect(no.text).toContain('Only the team of');
  await press(world, 'sam', await cardIn(world, CHANNEL, 'slow'), 'card_status', waiting);
  await cardIn(world, CHANNEL, '(Waiting)');

  await press(world, 'sam', await cardIn(world, CHANNEL, '(Waiting)'), 'card_manage');
  await filledModal(world, 'sam', 'manage_ticket');
  const submitted = await chat.post<{ result: string }>('submit-view', {
    user: 'sam',
    values: {
      title: { title: 'Slow laptop' },
      priority: { priority: 'URGENT' },
      dueAt: { dueAt: '1900000000' },
      clear: { clear: ['assigneeId'] },
    },
  });
  expect(submitted.result).toBe('closed');
  await world.quiet();
  expect(await ticket()).toMatchObject({
    title: 'Slow laptop',
    priority: 'URGENT',
    dueAt: '2030-03-17T17:46:40.000Z',
    assigneeId: null,
    statusId: waiting,
    description: '@deskbridge my laptop is slow',
  });
  const managed = await cardIn(world, CHANNEL, 'Slow laptop (Waiting)');
  expect(JSON.stringify(managed.blocks)).toContain('<!date^1900000000^');

  await press(world, 'ada', managed, 'card_manage');
  await filledModal(world, 'ada', 'manage_own_ticket');
  await chat.post('submit-view', { user: 'ada', values: {} });
  await cardIn(world, CHANNEL, '(Closed)');
}, 240_000);
