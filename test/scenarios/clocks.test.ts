import { describe, expect, test } from 'vitest';

import { bridgeSettings } from '../harness/bridge-settings.ts';
import { TestClock } from '../harness/clock.ts';
import { roundsUntil } from '../harness/reminder-rounds.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { userIdOf } from '../harness/user-id.ts';
import { type LocalWorld, startWorld } from '../harness/world.ts';

const MINUTE_MS = 60_000;
/** More than that, and they refuse each other's signatures. */
const BEHIND_MS = 4 * MINUTE_MS;

/** Starts a bridge for the first time, beside a service whose clock is behind its own. */
async function startApart(behindMs: number, settings: Record<string, string> = {}) {
  const { base, people } = await startService();
  const { service } = base;
  return { service, ...people, ...(await startBridge(base, behindMs, settings)) };
}

async function startService() {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const people = {
    requesterId: await userIdOf(base.service, 'ben'),
    authorId: await userIdOf(base.service, 'mira'),
  };
  return { base, people };
}

async function startBridge(base: LocalWorld, aheadMs: number, settings: Record<string, string> = {}) {
  const ahead = new TestClock();
  ahead.pass(aheadMs);
  const { chat, urls } = await base.startAlongside(['sandbox']);
  const bridge = await base.startAlongside(
    ['bridge'],
    { ...bridgeSettings(urls.sandbox), ...settings },
    ahead,
  );
  return { bridge, chat, toBen: async () => JSON.stringify(await chat.messages('@deskbridge', 'ben')) };
}

describe.each([0, BEHIND_MS])('beside a service whose clock is %d ms behind', (behindMs) => {
  test('B1 the requester of a ticket made outside Slack is told of it, and of an answer, from the first minute on', async () => {
    const { service, requesterId, authorId, toBen } = await startApart(behindMs);
    const open = (title: string, more: object = {}) =>
      service.createTicket({ body: { title, requesterId, authorId, source: 'WEB', ...more } });
    await open('A badge', { tellRequester: true });
    const { id: ticketId } = await open('A screen');
    await service.createTicketMessage({ body: { ticketId, authorId, content: 'It is on its way' } });
    const isTold = async () => {
      const told = await toBen();
      return told.includes('A badge') && told.includes('It is on its way');
    };
    await until('both', isTold, { seen: toBen });
  });

  test('B50 an answer without an event is found', async () => {
    const settings = { RECONCILE_EVERY_SECONDS: '2' };
    const { service, bridge, requesterId, authorId, toBen } = await startApart(behindMs, settings);
    // It has no thread that would be compared by itself.
    const { id: ticketId } = await service.createTicket({
      body: { title: 'A screen', requesterId, authorId },
    });
    await bridge.untilIdle();
    const { items } = await service.listWebhooks({});
    const hook = items.find(({ url }) => url.includes('/webhooks/service'));
    await service.updateWebhook({ params: { id: hook?.id ?? '' }, body: { active: false } });
    await service.createTicketMessage({ body: { ticketId, authorId, content: 'It is on its way' } });
    await until('it', async () => (await toBen()).includes('It is on its way'), { seen: toBen });
  });

  test('B50 a request without an event is found', async () => {
    const settings = { RECONCILE_EVERY_SECONDS: '2', CHAT_READS_PER_MINUTE: '6000' };
    const { service, chat } = await startApart(behindMs, settings);
    const { bot } = await chat.state();
    // The cursor of its channel moves on with this one.
    const before = await chat.say('it-help', 'ada', `<@${bot}> the printer burns`);
    await ticketAt(service, before.ts);
    await chat.post('faults', { events: [{ kind: 'drop', times: null }] });
    const { ts } = await chat.say('it-help', 'ada', `<@${bot}> the lift is stuck`);
    expect(await ticketAt(service, ts)).toMatchObject({ title: 'the lift is stuck' });
  });

  test('B43 the team hears of a target that is missed in the first minute', async () => {
    const { base, people } = await startService();
    const { service, clock } = base;
    const { items: queues } = await service.listQueues({});
    const queueId = queues.find(({ prefix }) => prefix === 'IT')?.id ?? '';
    const warnings = { percent: 80, escalations: [], outsideHours: ['MEDIUM' as const] };
    await service.updateQueue({ params: { id: queueId }, body: { settings: { warnings } } });
    const ticket = await service.createTicket({ body: { title: 'A screen', queueId, ...people } });
    const passedMs = Date.parse(ticket.firstReplyDueAt ?? '') - clock.now().getTime() - 1_000;
    clock.pass(passedMs);
    const { bridge, chat } = await startBridge(base, passedMs + behindMs);
    const untilRound = await roundsUntil(bridge);
    await bridge.untilIdle();
    clock.pass(2_000);
    await untilRound('the warning', async () => {
      const told = JSON.stringify(await chat.messages('it-triage'));
      return told.includes(ticket.code) && told.includes('has missed its first-reply target');
    });
  });
});

test('what was opened and answered before the bridge first ran is not announced', async () => {
  const { base, people } = await startService();
  const { service, clock } = base;
  const body = { title: 'An old badge', ...people, source: 'WEB', tellRequester: true } as const;
  const { id } = await service.createTicket({ body });
  await service.createTicketMessage({
    body: { ticketId: id, authorId: people.authorId, content: 'an old answer' },
  });
  clock.pass(6 * MINUTE_MS);
  const { bridge, toBen } = await startBridge(base, 6 * MINUTE_MS);
  await service.updateTicket({ params: { id }, body: { data: { priority: 'HIGH' } } });
  await bridge.untilIdle();
  expect(await toBen()).not.toContain('old');
});
