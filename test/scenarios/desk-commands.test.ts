import { expect, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

/** Waits for the next message visible to that person only, other than a notice of waiting. */
async function answer(
  { chat }: World,
  user: string,
  channel: string,
  act: () => Promise<unknown>,
): Promise<SeenMessage> {
  const before = (await chat.ephemeral(channel, user))?.ts;
  await act();
  return until(
    `an answer for ${user}`,
    async () => {
      const last = await chat.ephemeral(channel, user);
      return last && last.ts !== before ? last : undefined;
    },
    { seen: () => chat.messages(channel, user) },
  );
}

const ask = async (world: World, user: string, text: string, channel = CHANNEL) =>
  (await answer(world, user, channel, () => world.chat.command(channel, user, text))).text;

test('B32 B25 B33 the team works on a ticket by commands, its requester may close and reopen it, others nothing', async () => {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> my laptop does not start`);
  const { id, code } = await ticketAt(service, root.ts);
  const read = () => service.readTicket({ params: { id } });

  // The team.
  expect(await ask(world, 'mira', `assign ${code} me`)).toContain('is now assigned to you');
  expect(await ask(world, 'mira', `assign ${code} @sam`)).toContain('is now assigned to');
  expect(await ask(world, 'mira', `assign ${code} nobody`)).toContain('is unassigned');
  expect(await ask(world, 'mira', `assign ${code} whoever`)).toContain('pick the person from the list');
  expect(await ask(world, 'mira', `priority ${code} hi`)).toContain('has priority *high* now');
  expect(await ask(world, 'mira', `priority ${code} soon`)).toMatch(/no priority “soon”.*\*Urgent\*/);
  expect(await ask(world, 'mira', `snooze ${code} in 2 days`)).toMatch(
    /is snoozed until \*<!date\^\d+\^\{date_short_pretty\} \{time\}\|\w+ \d+ \w+ \d+, 09:00>\*/,
  );
  expect(await ask(world, 'mira', `due ${code} banana`)).toMatch(/don’t understand that time. Type/);
  expect(await ask(world, 'mira', `note ${code} ask <@U0SAMPARKS|sam> & *wait*`)).toContain(
    'Your note is on',
  );
  expect(await ask(world, 'mira', `reply ${code} Have you tried the _other_ charger?`)).toContain(
    'Your reply is on',
  );
  const ticket = await read();
  expect(ticket).toMatchObject({ priority: 'HIGH', assigneeId: null, dueAt: null });
  // Nine in the morning in Mira's time zone, in Stockholm.
  expect(ticket.snoozeUntil).toMatch(/T0[78]:00:00/);
  const posted = await until('the answer in the thread', async () =>
    (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text.includes('other')),
  );
  expect(posted.username).toContain('Mira');
  const { items } = await service.listTicketMessages({ query: { ticketId: id } });
  expect(items.map((message) => [message.private, message.content.includes('user:usr_')])).toEqual([
    [true, true],
    [false, false],
  ]);
  expect(JSON.stringify(await chat.thread(CHANNEL, root.ts))).not.toContain('wait');

  // The requester, and another user.
  expect(await ask(world, 'ben', `close ${code}`)).toContain('Only the team of');
  expect(await ask(world, 'ada', `priority ${code} urgent`)).toContain('Only the team of');
  expect(await ask(world, 'ada', `close ${code}`)).toContain('is closed');
  expect((await read()).status.statusGroup.label).toBe('Closed');
});

test('B32 B33 without a reference a command shows a menu, a mention in the thread is enough, and lists, figures and reasons are shown', async () => {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> my screen is black`);
  const { id, code } = await ticketAt(service, root.ts);
  const read = () => service.readTicket({ params: { id } });

  // The choice runs the typed command.
  expect(await ask(world, 'ada', `close ${code}`)).toContain('is closed');
  const menu = await answer(world, 'ada', CHANNEL, () => chat.command(CHANNEL, 'ada', 'reopen'));
  expect(menu.text).toContain('which ticket?');
  expect(JSON.stringify(menu.blocks)).toContain(code);
  await chat.post('interact', {
    channel: CHANNEL,
    messageTs: menu.ts,
    user: 'ada',
    action: { actionId: 'pick_ticket', value: id },
  });
  await until('the ticket to be open again', async () => (await read()).status.label === 'Open');

  // In the thread, after a mention: a command, a reply that looks like one, and a typing error.
  const done = await answer(world, 'mira', CHANNEL, () =>
    chat.say(CHANNEL, 'mira', `<@${bot}> status prog`, root.ts),
  );
  expect(done.text).toContain('is now *In Progress*');
  await chat.say(CHANNEL, 'mira', `<@${bot}> close call yesterday, wasn’t it`, root.ts);
  const slip = await answer(world, 'mira', CHANNEL, () =>
    chat.say(CHANNEL, 'mira', `<@${bot}> priority soonish`, root.ts),
  );
  expect(slip.text).toContain('Your reply is on the ticket');
  await world.untilIdle();
  const said = (await service.listTicketMessages({ query: { ticketId: id } })).items.map(
    ({ content }) => content,
  );
  expect(said.filter((content) => content.includes('close call'))).toHaveLength(1);
  expect(said.filter((content) => content.includes('soonish'))).toHaveLength(1);
  expect(said.filter((content) => content.includes('prog'))).toEqual([]);
  expect((await read()).status.label).toBe('In Progress');

  // Lists, figures, and reasons.
  expect(await ask(world, 'ada', 'list')).toMatch(/Your open requests: [1-9]/);
  expect(await ask(world, 'mira', 'list assigned')).toMatch(/assigned to you/);
  expect(await ask(world, 'mira', 'list unassigned')).toMatch(/unassigned in .*: [1-9]/);
  expect(await ask(world, 'ada', 'stats')).toMatch(/\*\d+\* open, \*\d+\* of them unassigned/);
  const permalink = `https://acme.slack.com/archives/C0ITHELP00/p${root.ts.replace('.', '')}`;
  const why = await ask(world, 'ada', `why ${permalink}`);
  expect(why).toContain('it mentions me, so a ticket was opened on it (rule B1)');
  expect(why).toContain(code);
});

test('B7 B55 B56 a channel is observed, then linked, then unlinked; a user without permission is told who has it', async () => {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const count = async () => (await service.listTickets({ query: { limit: 1 } })).totalCount;
  const before = await count();

  expect(await ask(world, 'ada', 'link IT', 'general')).toContain(
    'Only admins of this Slack workspace or of the help desk, and the team',
  );
  expect(await ask(world, 'mira', 'link Nowhere', 'general')).toMatch(/no one queue “Nowhere”.*`IT`/);
  expect(await ask(world, 'mira', 'link IT --observe', 'general')).toContain('I observe this channel');
  const watched = await chat.say('general', 'ben', `<@${bot}> the door is stuck`);
  await world.untilIdle();
  expect(await count()).toBe(before);
  expect((await chat.messages('general')).filter(({ bot_id }) => bot_id)).toEqual([]);
  const seen = await answer(world, 'mira', 'general', () => chat.command('general', 'mira', 'observed'));
  expect(JSON.stringify(seen.blocks)).toContain('the door is stuck');
  const link = (ts: string) => `https://acme.slack.com/archives/C0GENERAL0/p${ts.replace('.', '')}`;
  expect(await ask(world, 'mira', `why ${link(watched.ts)}`, 'general')).toContain('only observed');

  expect(await ask(world, 'mira', 'link IT', 'general')).toContain('is linked to');
  const root = await chat.say('general', 'ben', `<@${bot}> the window too`);
  expect(await ticketAt(service, root.ts)).toMatchObject({ private: false, queue: { prefix: 'IT' } });
  await world.untilIdle();
  const [card] = (await chat.thread('general', root.ts)).filter(({ bot_id }) => bot_id);
  expect(await ask(world, 'mira', `why ${link(card?.ts ?? '')}`, 'general')).toContain('I posted it myself');

  // A setting of the queue, changed by its team.
  expect(await ask(world, 'ben', 'settings reopen-on-thanks on', 'general')).toContain(
    'Only admins of this Slack workspace',
  );
  // The same person may do so as an admin of the help desk, where they could do it, too.
  const [ben] = (await service.listUsers({ query: { email: 'ben@acme.example' } })).items;
  const params = { id: ben?.id ?? '' };
  await service.updateUser({ params, body: { role: 'admin' } });
  expect(await ask(world, 'ben', 'settings reopen-on-thanks off', 'general')).toContain('is *off* now');
  expect(await ask(world, 'ben', 'unlink', 'general')).toContain('is unlinked');
  expect(await ask(world, 'ben', 'link IT', 'general')).toContain('is linked to');
  await service.updateUser({ params, body: { role: 'requester' } });
  expect(await ask(world, 'ben', 'unlink', 'general')).toContain('Only admins of this Slack workspace');
  expect(await ask(world, 'mira', 'settings reopen-on-thanks on', 'general')).toContain(
    '`reopen-on-thanks` is *on* now',
  );
  expect(await ask(world, 'mira', 'settings bots on', 'general')).toContain(
    'only admins of this Slack workspace',
  );

  expect(await ask(world, 'mira', 'unlink', 'general')).toContain('is unlinked');
  expect(await ask(world, 'mira', 'unlink', 'general')).toContain('is not linked');
});
