import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';

test('B43 the team gets one reminder in its thread for each due time, also over a restart, and none for finished tickets; a snoozed ticket leaves the open list and comes back', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const { bot } = await chat.state();
  const open = async (words: string) => {
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
    return ticketAt(service, ts);
  };
  const late = await open('the printer smokes');
  const done = await open('the printer is out of paper');
  const statuses = (await service.listStatuses({ query: {} })).items;
  const soon = () => new Date(world.clock.now().getTime() + 4_000).toISOString();
  const update = (id: string, data: Parameters<typeof service.updateTicket>[0]['body']['data']) =>
    service.updateTicket({ params: { id }, body: { data } });
  await update(late.id, { dueAt: soon() });
  await update(done.id, { dueAt: soon() });
  await update(done.id, { statusId: statuses.find(({ label }) => label === 'Done')?.id ?? null });
  await world.untilIdle();
  const lines = async () =>
    (await chat.messages('it-triage')).filter(({ text }) => text.includes('is due now'));
  const [line] = await until(
    'a reminder',
    async () => {
      const found = await lines();
      return found.length > 0 ? found : undefined;
    },
    { withinMs: 60_000 },
  );
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
  await until('the second reminder', async () => (await lines()).length > 1, { withinMs: 60_000 });
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
  await until('the card to say so no more', async () => !(await blocks()).includes(':zzz:'), {
    withinMs: 60_000,
  });
  expect(await listed('open')).toContain(`"${late.code}"`);
}, 240_000);
