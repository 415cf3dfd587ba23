import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { roundsUntil } from '../harness/reminder-rounds.ts';
import { startTap } from '../harness/tap.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, startWorld } from '../harness/world.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

const CHANNEL = 'it-help';
test('B43 the team gets one reminder in its thread for each due time, also over a restart, and none for finished tickets; a snoozed ticket leaves the open list and comes back', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const untilRound = await roundsUntil(world);
  const { bot } = await chat.state();
  const open = async (words: string) => {
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
    return ticketAt(service, ts);
  };
  const late = await open('the printer smokes');
  const done = await open('the printer is out of paper');
  const statuses = (await service.listStatuses({ query: {} })).items;
  const soon = () => new Date(world.clock.now().getTime() + 60_000).toISOString();
  const update = (id: string, data: Parameters<typeof service.updateTicket>[0]['body']['data']) =>
    service.updateTicket({ params: { id }, body: { data } });
  await update(late.id, { dueAt: soon() });
  await update(done.id, { dueAt: soon() });
  await update(done.id, { statusId: statuses.find(({ label }) => label === 'Done')?.id ?? null });
  await world.untilIdle();
  const lines = async () =>
    (await chat.messages('it-triage')).filter(({ text }) => text.includes('is due now'));
  world.clock.pass(60_000);
  const [line] = await untilRound('a reminder', async () => {
    const found = await lines();
    return found.length > 0 ? found : undefined;
  });
  expect(line?.text).toMatch(
    new RegExp(`${late.code}.*the printer smokes.* is due now; it is unassigned\\.`),
  );
  const card = (await chat.messages('it-triage')).find(({ ts }) => ts === line?.thread_ts);
  expect(card?.text).toContain('the printer smokes');
  await world.stop();
  await world.restart();
  // A reminder of a later ticket shows that earlier ones were sent.
  await update(done.id, {
    statusId: statuses.find(({ label }) => label === 'Open')?.id ?? null,
    dueAt: soon(),
  });
  await world.untilIdle();
  world.clock.pass(60_000);
  await untilRound('the second reminder', async () => (await lines()).length > 1);
  expect((await lines()).map(({ text }) => text.includes(late.code))).toEqual([true, false]);

  // A snoozed ticket leaves the team's open list, and comes back by itself.
  const snoozeUntil = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
  await update(late.id, { snoozeUntil });
  const listed = async (list: string) => {
    await chat.command(CHANNEL, 'mira', `list ${list}`);
    await world.untilBridgeIdle();
    return JSON.stringify((await chat.ephemeral(CHANNEL, 'mira'))?.blocks);
  };
  expect(await listed('open')).not.toContain(`"${late.code}"`);
  expect(await listed('snoozed')).toContain(`"${late.code}"`);
  const blocks = async () =>
    JSON.stringify((await chat.messages('it-triage')).find(({ ts }) => ts === line?.thread_ts)?.blocks);
  await until('the card to say so', async () => (await blocks()).includes(':zzz:'));
  world.clock.pass(3_600_000);
  await untilRound('the card to say so no more', async () => !(await blocks()).includes(':zzz:'));
  expect(await listed('open')).toContain(`"${late.code}"`);
});

const LATE = 'has missed its first-reply target';
const SOON = 'is close to missing its first-reply target';

/** A world in which warnings of IT come at any time, and what is told of a ticket where. */
async function startWarned() {
  const world = await startWorld();
  const { chat, service, clock } = world;
  const untilRound = await roundsUntil(world);
  const { bot } = await chat.state();
  const userOf = async (name: string) =>
    (await service.listUsers({ query: { email: `${name}@acme.example` } })).items[0]?.id ?? '';
  const queue = (await service.listQueues({ query: {} })).items.find(({ prefix }) => prefix === 'IT');
  const queueId = queue?.id ?? '';
  const warn = async (to: { userId?: string; chatChannelId?: string }[] = [], id = queueId) => {
    const escalations = to.map((one) => ({ percent: 90, userId: null, chatChannelId: null, ...one }));
    const warnings = { percent: 80, escalations, outsideHours: ['MEDIUM' as const] };
    await service.updateQueue({ params: { id }, body: { settings: { warnings } } });
    clock.pass(SETTINGS_CACHE_MS);
  };
  const open = async (words: string) => {
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
    return ticketAt(service, ts);
  };
  /** Nothing of what was planned before may be late by what the clock does. */
  const passDue = async (id: string) => {
    await world.untilIdle();
    const { firstReplyDueAt } = await service.readTicket({ params: { id } });
    clock.pass(Date.parse(firstReplyDueAt ?? '') + 60_000 - clock.now().getTime());
  };
  /** Returns what the lines of a ticket in a channel say after its reference. */
  const linesOf = async (code: string, channel: string, reader?: string) =>
    (await chat.messages(channel, reader)).flatMap(({ text }) => {
      const [, said] = text.split(`|${code}>* `);
      return said !== undefined && text.startsWith(':') ? [said] : [];
    });
  const seen = async (codes: string[]) => {
    const told: Record<string, string[]> = {};
    for (const code of codes)
      for (const channel of ['it-triage', CHANNEL]) told[`${code} ${channel}`] = await linesOf(code, channel);
    return told;
  };
  const untilTold = async (count: number, ...at: Parameters<typeof linesOf>) => {
    const label = `${count} lines of ${at.join(', ')}`;
    await untilRound(label, async () => (await linesOf(...at)).length >= count, {
      seen: async () => [await seen([at[0]]), (await service.listTicketWarnings({ query: {} })).items],
    });
    await world.untilIdle();
  };
  return { world, queueId, userOf, warn, open, passDue, linesOf, untilTold, untilRound };
}

test('B67 a service’s warnings are told once each, over a restart too: to the team, the assignee, a person and a channel, of a private ticket by its reference alone, and never where anybody reads', async () => {
  const { world, queueId, userOf, warn, open, passDue, linesOf, untilTold } = await startWarned();
  const { chat, service } = world;
  for (const name of ['leads'])
    await chat.post('create-channel', { user: 'mira', name, private: true, members: ['deskbridge'] });
  const { channels } = await chat.state();
  const [mira, ben, sam] = [await userOf('mira'), await userOf('ben'), await userOf('sam')];
  await warn([
    { userId: mira },
    { userId: ben },
    { chatChannelId: channels[CHANNEL] ?? '' },
    { chatChannelId: channels['leads'] ?? '' },
  ]);
  const { id, code } = await open('the kettle leaks');
  await service.updateTicket({ params: { id }, body: { data: { assigneeId: sam } } });
  const secret = await service.createTicket({
    body: { title: 'the secret kettle', private: true, queueId, priority: 'MEDIUM', assigneeId: sam },
  });
  await passDue(secret.id);
  const has = 'Sam Parks has it.';
  const titled = (said: string) => [`“the kettle leaks” ${said}; ${has}`];
  const untitled = (...said: string[]) => said.map((one) => `${one}; ${has}`);
  const everywhere = async () => ({
    team: await linesOf(code, 'it-triage'),
    assignee: await linesOf(code, '@deskbridge', 'sam'),
    mira: await linesOf(code, '@deskbridge', 'mira'),
    ben: await linesOf(code, '@deskbridge', 'ben'),
    open: await linesOf(code, CHANNEL),
    leads: await linesOf(code, 'leads', 'mira'),
    'secret team': (await linesOf(secret.code, 'it-triage')).sort(),
    'secret assignee': await linesOf(secret.code, '@deskbridge', 'sam'),
    'secret mira': await linesOf(secret.code, '@deskbridge', 'mira'),
    'secret ben': await linesOf(secret.code, '@deskbridge', 'ben'),
    'secret open': await linesOf(secret.code, CHANNEL),
    'secret leads': await linesOf(secret.code, 'leads', 'mira'),
  });
  const expected = {
    team: titled(LATE),
    assignee: titled(LATE),
    mira: titled(SOON),
    ben: titled(SOON),
    open: titled(SOON),
    leads: titled(SOON),
    // What may not be said in the open channel is said to the team.
    'secret team': untitled(LATE, SOON),
    'secret assignee': untitled(LATE),
    'secret mira': untitled(SOON),
    'secret ben': [],
    'secret open': [],
    'secret leads': untitled(SOON),
  };
  await untilTold(2, secret.code, 'it-triage');
  await untilTold(1, code, 'it-triage');
  expect(await everywhere()).toEqual(expected);
  const line = (await chat.messages('it-triage')).find(({ text }) => text.includes(`leaks” ${LATE}`));
  const card = (await chat.messages('it-triage')).find(({ ts }) => ts === line?.thread_ts);
  expect(card?.text).toContain('the kettle leaks');

  await world.stop();
  await world.restart();
  // The warnings of a later ticket show that earlier ones are not repeated.
  const later = await open('the kettle leaks again');
  await passDue(later.id);
  await untilTold(1, later.code, 'it-triage');
  expect(await everywhere()).toEqual(expected);
});

test('B67 a further workspace that the bridge has access to is warned of as its home is', async () => {
  const { world, warn, passDue, untilTold } = await startWarned();
  const { service, chat } = world;
  const { channels } = await chat.state();
  const { id: workspaceId } = await service.createWorkspace({ body: { name: 'Second', slug: 'second' } });
  const { id: queueId } = await service.createQueue({
    body: { workspaceId, name: 'Second', prefix: 'SEC' },
  });
  const targets = { MEDIUM: { responseMinutes: 30, resolutionMinutes: null } };
  await service.updateQueue({ params: { id: queueId }, body: { settings: { targets } } });
  await service.linkChatChannel({
    body: {
      workspaceId,
      channelId: channels['it-triage'] ?? '',
      channelName: 'it-triage',
      type: 'TRIAGE',
      teamId: DEMO.team.id,
      queueId,
    },
  });
  await warn([], queueId);
  const { id, code } = await service.createTicket({
    body: { title: 'the boiler leaks', queueId, priority: 'MEDIUM' },
  });
  await passDue(id);
  await untilTold(1, code, 'it-triage');
});

test('B67 B35 the title in a line goes when the ticket is not for everyone any more; a warning that comes then is told by its reference', async () => {
  const { world, queueId, warn, open, passDue, linesOf, untilTold, untilRound } = await startWarned();
  const { chat, service } = world;
  const { channels } = await chat.state();
  await warn([{ chatChannelId: channels[CHANNEL] ?? '' }]);
  const first = await open('the salary of our director');
  const second = await open('the pension of our director');
  await passDue(second.id);
  await untilTold(1, first.code, CHANNEL);
  await untilTold(1, second.code, 'it-triage');
  const read = async (channel: string) => JSON.stringify(await chat.messages(channel, 'ben'));
  expect(await linesOf(first.code, CHANNEL)).toEqual([expect.stringContaining('salary')]);
  await service.updateTicket({ params: { id: first.id }, body: { data: { private: true } } });
  await world.untilIdle();
  expect(await linesOf(first.code, CHANNEL)).toEqual([]);
  expect(await linesOf(first.code, 'it-triage')).toEqual([]);
  expect(await linesOf(second.code, CHANNEL)).toEqual([expect.stringContaining('pension')]);

  await service.updateQueue({ params: { id: queueId }, body: { visibility: 'team' } });
  world.clock.pass(SETTINGS_CACHE_MS);
  await untilRound('the lines to go', async () => (await linesOf(second.code, CHANNEL)).length === 0, {
    seen: () => read(CHANNEL),
  });
  const third = await open('the bonus of our director');
  await passDue(third.id);
  await untilTold(1, third.code, 'it-triage');
  expect(await linesOf(third.code, 'it-triage')).toEqual(
    expect.arrayContaining([`${LATE}; it is unassigned.`, `${SOON}; it is unassigned.`]),
  );
  expect(await linesOf(third.code, CHANNEL)).toEqual([]);
});

test('B67 a service without warnings gets the bridge’s own reminders of its targets; when it has them, none is told a second time', async () => {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const { service, clock } = base;
  let isOld = true;
  let listed = 0;
  const tap = await startTap('service', base.urls.root, async ({ request, when }) => {
    if (request !== 'GET /api/ticket-warnings' || when !== 'arrived') return 'go on';
    if (isOld) return 'lack';
    listed += 1;
    return 'go on';
  });
  const { chat, urls } = await base.startAlongside(['sandbox']);
  const bridge = await base.startAlongside(['bridge'], {
    SERVICE_URL: `${tap.url}/api`,
    ...bridgeSettings(urls.sandbox),
  });
  const untilRound = await roundsUntil(base);
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> the door squeaks`);
  const { id, queueId } = await ticketAt(service, ts);
  await service.updateQueue({
    params: { id: queueId ?? '' },
    body: {
      settings: { warnings: { percent: 80, escalations: [], outsideHours: ['MEDIUM'] } },
    },
  });
  await bridge.untilIdle();
  const { firstReplyDueAt, resolutionDueAt } = await service.readTicket({ params: { id } });
  const lines = async () =>
    (await chat.messages('it-triage')).flatMap(({ text }) => text.split('“the door squeaks” ')[1] ?? []);
  const passUntil = (due: string | null) => clock.pass(Date.parse(due ?? '') + 5_000 - clock.now().getTime());
  passUntil(firstReplyDueAt);
  const warned = async (target: string) =>
    (await service.listTicketWarnings({ query: { ticketId: id } })).items.some(
      (warning) => warning.target === target && warning.percent === 100,
    );
  const seen = async () => [await lines(), (await service.listTicketWarnings({ query: {} })).items];
  await untilRound('the reminder', async () => (await lines()).some((line) => line.startsWith(LATE)), {
    seen,
  });
  await until('the warning', () => warned('first-reply'), { seen });
  await bridge.untilBridgeIdle();
  const before = await lines();
  expect(before.filter((line) => line.startsWith(LATE))).toEqual([`${LATE}; it is unassigned.`]);

  isOld = false;
  // The next round asks whether there are warnings, and reads those of the last two minutes.
  clock.pass(SETTINGS_CACHE_MS);
  await untilRound('the list to be read', async () => listed > 1);
  passUntil(resolutionDueAt);
  await untilRound(
    'the next warning',
    async () => (await lines()).some((line) => line.includes('missed its resolution')),
    {
      seen,
    },
  );
  await bridge.untilBridgeIdle();
  expect(await lines()).toEqual([...before, 'has missed its resolution target; it is unassigned.']);
});
