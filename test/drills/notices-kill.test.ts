import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';

/** The bot's direct messages to a user, in order. */
async function toldTo({ chat }: World, user: string): Promise<string[]> {
  const messages = await chat.messages('@deskbridge', user);
  return messages
    .filter(({ bot_id, ephemeralFor }) => bot_id !== undefined && ephemeralFor === undefined)
    .map(({ blocks }) => JSON.stringify(blocks));
}

test('B52 a kill between planning and sending a notice, or before its response, neither loses nor doubles it', async () => {
  const world = await startProcess();
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> the door is stuck`);
  const { id } = await ticketAt(service, ts);
  await world.untilIdle();
  const { items } = await service.listUsers({ query: { email: 'sam@acme.example' } });
  const sam = items[0]?.id ?? '';
  const posts = { method: 'chat.postMessage', times: 1 };
  await chat.post('faults', { faults: [{ ...posts, kind: 'rate_limited', retryAfter: 2 }] });
  await service.updateTicket({ params: { id }, body: { data: { assigneeId: sam } } });
  await world.kill();
  await world.restart();
  await world.untilIdle();
  expect(await toldTo(world, 'sam')).toEqual([expect.stringMatching(/assigned (it )?to you/)]);
  await chat.post('faults', { faults: [{ ...posts, kind: 'answer_lost' }] });
  await service.updateTicket({ params: { id }, body: { data: { approvers: [{ id: sam }] } } });
  await until('the question', async () => (await toldTo(world, 'sam')).length === 2);
  await world.kill();
  await world.restart();
  await world.untilIdle();
  expect(await toldTo(world, 'sam')).toHaveLength(2);
}, 240_000);
