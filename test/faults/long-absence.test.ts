import { expect, test } from 'vitest';

import { LIMITS } from '../../src/contract/index.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { userIdOf } from '../harness/user-id.ts';
import { startTappedBridge, type TappedBridge } from '../drills/harness/tapped-bridge.ts';

const CHANNEL = 'it-help';
const BOT = '@deskbridge';
/** More than come with their ticket: one piece of work brings twenty of them to chat. */
const MANY = LIMITS.messagesWithTicket + 5;
/** More than one piece of work looks for. */
const EDITED = 30;

/** Answers of an agent, of which the first ones are edited once all are written. */
async function answerAndEdit(
  { service }: TappedBridge,
  ticketId: string,
  authorId: string,
  count: number,
  edited: number,
) {
  const ids: string[] = [];
  for (let n = 1; n <= count; n++) {
    const { id } = await service.createTicketMessage({
      body: { ticketId, authorId, content: `answer ${n}` },
    });
    ids.push(id);
  }
  for (const [at, id] of ids.slice(0, edited).entries())
    await service.updateTicketMessage({ params: { id }, body: { content: `answer ${at + 1}, put better` } });
  return ids.map((_, at) => (at < edited ? `answer ${at + 1}, put better` : `answer ${at + 1}`));
}

test('B13 B47 of many answers that were written while the bridge was down, and of which some were edited since, each stands in the order in which they were written', async () => {
  const world = await startTappedBridge();
  const { chat, bridge } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the printer is slow`);
  const ticket = await ticketAt(world.service, root);
  await world.untilBridgeIdle();
  await bridge.kill();
  const agent = await userIdOf(world.service, 'mira');
  const written = await answerAndEdit(world, ticket.id, agent, MANY, EDITED);
  await bridge.restart();
  const shown = async () =>
    (await chat.thread(CHANNEL, root)).map(({ text }) => text).filter((text) => text.startsWith('answer'));
  await until('all answers', async () => (await shown()).length >= MANY, { seen: shown });
  await world.untilBridgeIdle();
  expect(await shown()).toEqual(written);
  await world.end();
});

test('B1 of the first answers to a ticket from outside of chat none is lost, although the first one was edited after the others', async () => {
  const world = await startTappedBridge();
  const { chat, service, bridge } = world;
  const requesterId = await userIdOf(world.service, 'ben');
  const ticket = await service.createTicket({ body: { title: 'Sent by mail', requesterId } });
  await world.untilBridgeIdle();
  await bridge.kill();
  const written = await answerAndEdit(world, ticket.id, await userIdOf(world.service, 'mira'), 3, 1);
  await bridge.restart();
  const shown = async () =>
    (await chat.messages(BOT, 'ben')).map(({ text }) => text).filter((text) => text.startsWith('answer'));
  await until('an answer', async () => (await shown()).length > 0, { seen: shown });
  await world.untilBridgeIdle();
  expect(await shown()).toEqual(written);
  await world.end();
});
