import { expect, test } from 'vitest';

import { roundsUntil } from '../harness/reminder-rounds.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess, type World } from '../harness/world.ts';
import { startTappedBridge } from './harness/tapped-bridge.ts';

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
});

/** Where the bridge is killed while it tells a warning of a target. */
const KILLS = [
  ['GET /api/ticket-warnings', 'answered'],
  ['POST /api/chat.postMessage', 'arrived'],
  ['POST /api/chat.postMessage', 'answered'],
] as const;

test('B67 B52 a warning of a target is told once through kills: before it is planned, before Slack has it, before the response, and while the bridge is away', async () => {
  const world = await startTappedBridge();
  const { chat, service, bridge } = world;
  const untilRound = await roundsUntil(world);
  const queue = (await service.listQueues({ query: {} })).items.find(({ prefix }) => prefix === 'IT');
  const queueId = queue?.id ?? '';
  // In twelve seconds, at any time: the bridge has the machine's clock.
  const [hours] = (await service.listBusinessHours({ query: {} })).items;
  const days = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));
  await service.updateBusinessHours({ params: { id: hours?.id ?? '' }, body: { days, holidays: [] } });
  const targets = { MEDIUM: { responseMinutes: 10, resolutionMinutes: null } };
  const warnings = { percent: 2, escalations: [], outsideHours: [] };
  await service.updateQueue({ params: { id: queueId }, body: { settings: { targets, warnings } } });
  const tickets: { id: string; code: string }[] = [];
  /** A ticket whose card is in its place; its team is warned next. */
  const open = async () => {
    const { id, code } = await service.createTicket({
      body: { title: `the lift is stuck again (${tickets.length})`, priority: 'MEDIUM', queueId },
    });
    tickets.push({ id, code });
    await until('its card', async () =>
      (await chat.messages('it-triage')).some(({ text }) => text.includes(`${code} the lift`)),
    );
    await world.untilBridgeIdle();
  };
  /** Of each ticket: the lines in the team's channel, and the warnings of the service. */
  const told = async () => {
    const lines = (await chat.messages('it-triage')).filter(({ text }) => /^:\w+: \*</.test(text));
    const { items } = await service.listTicketWarnings({ query: { limit: 100 } });
    return tickets.map(({ id, code }) => ({
      code,
      lines: lines.filter(({ text }) => text.includes(`|${code}>`)).map(({ text }) => text),
      warned: items.filter(({ ticketId }) => ticketId === id).length,
    }));
  };
  const untilTold = async () => {
    await untilRound(
      'each warning to be told',
      async () => (await told()).every(({ lines, warned }) => warned > 0 && lines.length >= warned),
      { seen: told },
    );
    await world.untilBridgeIdle();
    for (const { code, lines, warned } of await told())
      expect([code, lines.length, new Set(lines).size]).toEqual([code, warned, warned]);
  };
  for (const [request, when] of KILLS) {
    await open();
    const killed = world.killWhere((point) => point.request === request && point.when === when);
    let isKilled = false;
    void killed.then(() => (isKilled = true));
    await untilRound('the kill', async () => isKilled);
    await bridge.restart();
    await untilTold();
  }
  await open();
  await bridge.kill();
  await until('the warning', async () => ((await told()).at(-1)?.warned ?? 0) > 0);
  await bridge.restart();
  await untilTold();
  await world.end();
});
