import { expect, test } from 'vitest';

import { addWorkingTime } from '../../src/platform/working-time.ts';
import { DEMO } from '../../src/start/demo.ts';
import { STILL_WORKING } from '../../src/bridge/inbox/answer-in-time.ts';
import { startForeignWorld } from '../harness/foreign-world.ts';
import { roundsUntil } from '../harness/reminder-rounds.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const HOUR_MS = 3_600_000;
const SAM = DEMO.people.sam.id;
const MIRA = DEMO.people.mira.id;

const userOf = async ({ service }: World, name: string) =>
  (await service.listUsers({ query: { email: `${name}@acme.example` } })).items[0]?.id ?? '';

/** What only this person was told in a channel. */
const toldTo = async ({ chat }: World, name: string, channel = CHANNEL) =>
  (await chat.messages(channel, name)).flatMap(({ ephemeralFor, text, thread_ts }) =>
    ephemeralFor === undefined || text === STILL_WORKING ? [] : [{ text, thread_ts }],
  );

test('B68 who mentions somebody who is away, or assigns to them, alone is told until when, in their own time zone', async () => {
  const world = await startWorld();
  const { chat, service, clock } = world;
  const { bot } = await chat.state();
  const [sam, mira] = [await userOf(world, 'sam'), await userOf(world, 'mira')];
  const setAway = (id: string, from: Date, until: Date) =>
    service.createAbsence({
      params: { id },
      body: { from: from.toISOString(), until: until.toISOString() },
    });
  const now = clock.now();
  const later = (hours: number) => new Date(now.getTime() + hours * HOUR_MS);
  // Midnight where Sam is, 06:00 or 05:00 where Ada is.
  const midnight = addWorkingTime(
    { timeZone: DEMO.people.sam.timeZone, days: [{ day: 1, from: '00:00', to: '00:01' }], holidays: [] },
    later(48),
    0,
  );
  await setAway(mira, later(-24), midnight ?? now);
  await setAway(sam, later(24), later(48));
  const shown = '<!date\\^\\d+\\^{date_short_pretty}';
  const says = (pattern: string) =>
    expect.stringMatching(new RegExp(`^Mira Lind is away until ${pattern}>\\.$`)) as unknown;
  const asAdaReads = says(`${shown} {time}\\|Mon .*, 0[56]:00`);
  const asSamReads = says(`${shown}\\|Sun \\d+ \\w+ \\d+`);

  // In the request itself, in a reply, and of somebody who is still here.
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> <@${MIRA}> fixed the lift once, it is stuck`);
  const { id, code } = await ticketAt(service, ts);
  await world.untilIdle();
  const inThread = (text: unknown) => ({ text, thread_ts: ts });
  expect(await toldTo(world, 'ada')).toEqual([inThread(asAdaReads)]);
  await chat.say(CHANNEL, 'ada', `<@${MIRA}> can you look?`, ts);
  await chat.say(CHANNEL, 'ada', `<@${SAM}> or you?`, ts);
  await chat.say(CHANNEL, 'sam', `not me, <@${MIRA}> can, says <@${SAM}>`, ts);
  await world.untilIdle();
  expect(await toldTo(world, 'ada')).toEqual([inThread(asAdaReads), inThread(asAdaReads)]);
  expect(await toldTo(world, 'sam')).toEqual([inThread(asSamReads)]);
  expect(JSON.stringify(await chat.thread(CHANNEL, ts))).not.toContain('is away');

  const answered = async (name: string, text: string) => {
    await chat.command(CHANNEL, name, text);
    await world.untilIdle();
    return (await toldTo(world, name)).at(-1)?.text;
  };
  expect(await answered('sam', `assign ${code} <@${MIRA}|mira>`)).toMatch(
    /is now assigned to [^\n]*\.\nMira Lind is away until <!date\^\d+\^{date_short_pretty}\|/,
  );
  expect((await service.readTicket({ params: { id } })).assigneeId).toBe(mira);
  const note = `note ${code} <@${MIRA}|mira> looks at it next week`;
  expect(await answered('sam', note)).toMatch(/^Your note is on .*\nMira Lind is away until /);
  expect(await answered('mira', note)).toMatch(/^Your note is on [^\n]*$/);
});

test('B68 when all who take turns are away, the team is told once of each new ticket that it is nobody’s', async () => {
  const world = await startWorld();
  const { chat, service, clock } = world;
  const { bot } = await chat.state();
  const [sam, mira] = [await userOf(world, 'sam'), await userOf(world, 'mira')];
  const queue = (await service.listQueues({ query: {} })).items.find(({ prefix }) => prefix === 'IT');
  const setTurns = async (people: string[]) => {
    await service.updateQueue({ params: { id: queue?.id ?? '' }, body: { autoAssignees: people.join(',') } });
    clock.pass(SETTINGS_CACHE_MS);
  };
  const goAway = (id: string, hours: number, from = new Date(clock.now().getTime() - HOUR_MS)) => {
    const until = new Date(clock.now().getTime() + hours * HOUR_MS);
    const body = { from: from.toISOString(), until: until.toISOString() };
    return service.createAbsence({ params: { id }, body });
  };
  const open = async (words: string) => {
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
    const ticket = await ticketAt(service, ts);
    await world.untilIdle();
    return service.readTicket({ params: { id: ticket.id } });
  };
  const untilRound = await roundsUntil(world);
  const lines = async () =>
    (await chat.messages('it-triage')).flatMap(({ text }) =>
      text.includes('arrived while everyone') ? [text.replace(/^.*\|/, '')] : [],
    );
  const line = (code: string, title: string) =>
    `${code}>* “${title}” arrived while everyone its queue assigns tickets to is away; it is unassigned.`;
  await setTurns([sam, mira]);
  await goAway(sam, 10);
  const present = await open('the lift is slow');
  expect(present.assigneeId).toBe(mira);
  await goAway(mira, 5);
  const first = await open('the lift is stuck');
  expect(first.assigneeId).toBeNull();
  await untilRound('the line', async () => (await lines()).length > 0);
  // Changes do not repeat it, nor does a start.
  await service.updateTicket({ params: { id: first.id }, body: { data: { priority: 'HIGH' } } });
  await world.untilIdle();
  await world.stop();
  await world.restart();
  const second = await open('the lift is stuck again');
  await untilRound('the second line', async () => (await lines()).length > 1);
  expect(await lines()).toEqual([
    line(first.code, 'the lift is stuck'),
    line(second.code, 'the lift is stuck again'),
  ]);

  // Mira is back: nothing is said of what she gets, also once she gives it up.
  clock.pass(6 * HOUR_MS);
  const third = await open('the lift moves');
  expect(third.assigneeId).toBe(mira);
  await service.updateTicket({ params: { id: third.id }, body: { data: { assigneeId: null } } });
  await world.untilIdle();
  // From now on she is away again: of what came before that, nothing is said either.
  await goAway(mira, 1, clock.now());
  await open('the lift is locked');
  await untilRound('the last line', async () => (await lines()).length > 2);
  expect((await lines()).map((one) => one.split('”')[0])).toEqual([
    expect.stringContaining('the lift is stuck'),
    expect.stringContaining('the lift is stuck again'),
    expect.stringContaining('the lift is locked'),
  ]);
});

test('B68 of a service that does not know who is away, nothing is said', async () => {
  const { base, bridge, chat } = await startForeignWorld({ pairs: 'kept' });
  const { service } = base;
  const sam = await userOf(base, 'sam');
  const at = (hours: number) => new Date(base.clock.now().getTime() + hours * HOUR_MS).toISOString();
  await service.createAbsence({ params: { id: sam }, body: { from: at(-1), until: at(9) } });
  const { bot } = await chat.state();
  await chat.say(CHANNEL, 'ada', `<@${bot}> <@${SAM}> fixed the lift once, it is stuck`);
  const ticket = await until('the ticket', async () => {
    const { items } = await service.listTickets({ query: { search: 'fixed the lift once' } });
    return items[0];
  });
  await bridge.untilBridgeIdle();
  await chat.command(CHANNEL, 'mira', `assign ${ticket.code} <@${SAM}|sam>`);
  await bridge.untilBridgeIdle();
  const answers = (await toldTo({ ...base, chat }, 'mira')).map(({ text }) => text);
  expect(answers).toEqual([expect.stringMatching(/is now assigned to [^\n]*\.$/)]);
  expect(await toldTo({ ...base, chat }, 'ada')).toEqual([]);
});
