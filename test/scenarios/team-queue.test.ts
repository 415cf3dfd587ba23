import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const TRIAGE = 'it-triage';
const PAY_TRIAGE = 'pay-triage';
const SECRET = 'the salary of our director';

/** A world with the queue Payroll, whose team is Ben at the desk, and in chat Mira by a private triage channel. */
async function startPayroll(environment: Record<string, string> = {}) {
  const world = await startWorld(environment);
  const { chat, service, clock } = world;
  const userOf = async (name: string) =>
    (await service.listUsers({ query: { email: `${name}@acme.example` } })).items[0]?.id ?? '';
  const payroll = await service.createQueue({ body: { name: 'Payroll', prefix: 'PAY' } });
  await service.updateUser({
    params: { id: await userOf('ben') },
    body: { role: 'agent', queueIds: [payroll.id] },
  });
  const ask = async (user: string, text: string, channel = CHANNEL) => {
    const before = (await chat.ephemeral(channel, user))?.ts;
    await chat.command(channel, user, text);
    return until(`an answer to /ticket ${text}`, async () => {
      const last = await chat.ephemeral(channel, user);
      return last && last.ts !== before ? JSON.stringify(last) : undefined;
    });
  };
  await chat.post('create-channel', { user: 'mira', name: PAY_TRIAGE, private: true });
  await chat.post('invite', { channel: PAY_TRIAGE, user: 'mira', member: 'deskbridge' });
  expect(await ask('mira', 'link PAY triage', PAY_TRIAGE)).toContain('triage channel of *Payroll*');
  const show = async (visibility: 'workspace' | 'agents' | 'team') => {
    await service.updateQueue({ params: { id: payroll.id }, body: { visibility } });
    clock.pass(SETTINGS_CACHE_MS);
  };
  /** Ada asks in a public channel of IT. */
  const open = async (words: string) => {
    const { bot } = await chat.state();
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
    const { id, code, queueId } = await ticketAt(service, ts);
    await world.untilIdle();
    return { id, code, ts, it: queueId ?? '' };
  };
  const move = async (id: string, queueId: string) => {
    const { code } = await service.updateTicket({ params: { id }, body: { data: { queueId } } });
    await world.untilIdle();
    return code;
  };
  /** All that a channel shows, with its threads, and what only a user sees there. */
  const read = async (channel: string, user?: string) => JSON.stringify(await chat.messages(channel, user));
  return { world, payroll, userOf, ask, show, open, move, read };
}

test('B0 B35 a ticket of a queue of a team is found, shown and changed in Slack by those only who may read it, also by links from before', async () => {
  const { world, payroll, userOf, ask, show } = await startPayroll();
  const { service } = world;
  const titled = expect.stringContaining(SECRET) as unknown;
  const ticket = await service.createTicket({
    body: { title: SECRET, queueId: payroll.id, requesterId: await userOf('ada') },
  });
  world.clock.pass(SETTINGS_CACHE_MS);
  for (const name of ['ada', 'ben', 'sam', 'mira'])
    expect([name, await ask(name, 'show PAY-1')]).toEqual([name, titled]);
  const [address = ''] = /http[^"|>\\]*\/shared\/[^"|>\\]*/.exec(await ask('sam', 'show PAY-1')) ?? [];
  expect((await fetch(address)).status).toBe(200);

  await show('team');
  for (const [name, reads] of [
    ['ada', true],
    ['ben', true],
    ['mira', true],
    ['sam', false],
  ] as const) {
    const shown = await ask(name, 'show PAY-1');
    expect([name, shown.includes(SECRET)]).toEqual([name, reads]);
    expect(shown).toContain(reads ? 'only its team and those who take part' : 'There is no ticket');
  }
  expect(await ask('sam', 'search salary director')).toContain('Nothing found');
  // Its marked words are pieces of the title.
  expect(await ask('ben', 'search salary director')).toContain('PAY-1');
  expect(await ask('sam', 'close PAY-1')).toContain('There is no ticket');
  expect((await fetch(address)).status).toBe(404);
  expect((await service.readTicket({ params: { id: ticket.id } })).status.label).toBe('Open');

  await show('agents');
  expect(await ask('sam', 'show PAY-1')).toEqual(titled);
  expect((await fetch(address)).status).toBe(404);
});

test('B0 B26 B41 a ticket that moves into the queue of a team is not shown elsewhere any more: cards are emptied, and links have no preview', async () => {
  const { world, payroll, ask, show, open, move, read } = await startPayroll();
  const { chat } = world;
  const card = async (channel: string, id: string) =>
    (await chat.messages(channel, 'mira')).findLast(({ metadata }) => metadata?.event_payload['card'] === id);
  await chat.post('noise', { unfurlDomains: ['127.0.0.1'] });
  await show('team');
  const { id, code, ts, it } = await open(SECRET);
  expect((await card(TRIAGE, id))?.text).toContain(SECRET);

  const moved = await move(id, payroll.id);
  expect((await card(TRIAGE, id))?.text).toBe(
    `${moved} is not shown here any more: not everyone may read it.`,
  );
  expect(await read(TRIAGE, 'sam')).not.toContain(SECRET);
  // Its team has it where it works, and its requester's thread stays.
  expect((await card(PAY_TRIAGE, id))?.text).toContain(SECRET);
  // That thread is in a channel whose members are not of the team: no card promises otherwise.
  const { channels } = await chat.state();
  const readers = `its team, and everyone who reads <#${channels[CHANNEL]}>`;
  expect(JSON.stringify((await card(PAY_TRIAGE, id))?.blocks)).toContain(readers);
  const thread = JSON.stringify(await chat.thread(CHANNEL, ts));
  expect(thread).toContain(SECRET);
  expect(thread).toContain(readers);
  expect(thread).not.toContain('only its team');

  for (const reference of [code, moved]) {
    const said = await chat.say('general', 'ben', `see <${world.urls.root}/tickets/${reference}>`);
    const preview = await until('the preview', async () => {
      const found = (await chat.messages('general')).find((one) => one.ts === said.ts);
      const { attachments = [] } = (found ?? {}) as { attachments?: unknown[] };
      return attachments.length > 0 ? JSON.stringify(attachments) : undefined;
    });
    expect(preview).toContain('not everyone may read');
    expect(preview).not.toContain(SECRET);
  }
  // A button of the emptied card's place, from before, does nothing for others.
  const { id: before } = await open(`${SECRET} again`);
  expect(await read(TRIAGE, 'sam')).toContain(`${SECRET} again`);
  await move(before, payroll.id);
  expect(await read(TRIAGE, 'sam')).not.toContain(SECRET);

  // Back in a queue for everyone, it is shown again.
  const back = await move(id, it);
  expect((await card(TRIAGE, id))?.text).toContain(`${back} ${SECRET}`);
  expect(await ask('sam', `show ${back}`)).toContain(SECRET);
});

test('B0 B26 B34 what others could see of a queue of a team by its numbers, its similar tickets or its lists is not there, also for who is no user', async () => {
  const { world, payroll, ask, show, open, move, read, userOf } = await startPayroll();
  const { chat, service } = world;
  await chat.post('create-channel', { user: 'ada', name: 'pay-help', members: ['ben', 'sam', 'mira'] });
  await chat.post('invite', { channel: 'pay-help', user: 'ada', member: 'deskbridge' });
  expect(await ask('mira', 'link PAY', 'pay-help')).toContain('linked to *Payroll*');
  await show('team');
  const { id } = await open(SECRET);
  await move(id, payroll.id);
  const { ts } = await open(`${SECRET} is too low`);
  const similar = await read(TRIAGE, 'sam');
  expect(similar).toContain(`${SECRET} is too low`);
  expect(similar).not.toContain('Similar tickets');
  expect(JSON.stringify(await chat.thread(CHANNEL, ts))).not.toContain('PAY-1');

  const figures = (user: string) => ask(user, 'stats', 'pay-help');
  for (const name of ['ben', 'mira']) expect(await figures(name)).toContain('*1* open');
  for (const name of ['sam', 'ada']) {
    expect(await figures(name)).not.toMatch(/\*\d/);
    expect(await ask(name, 'list open', 'pay-help')).toContain(
      name === 'ada' ? SECRET : 'No ticket that you can see',
    );
  }

  // Zoe is known in Slack only.
  const [{ id: workspaceId } = { id: '' }] = (await service.listWorkspaces({})).items;
  await service.updateWorkspace({
    params: { id: workspaceId },
    body: { settings: { disableChatUserSync: true } },
  });
  world.clock.pass(SETTINGS_CACHE_MS);
  await chat.post('add-person', { name: 'zoe', firstName: 'Zoe', email: 'zoe@acme.example' });
  await chat.post('join', { channel: 'pay-help', user: 'zoe' });
  expect(await ask('zoe', 'list open', 'pay-help')).toContain('No ticket that you can see');
  expect(await ask('zoe', 'search salary director')).not.toContain('PAY-1');
  expect(await ask('zoe', 'show PAY-1')).toContain('There is no ticket');
  expect(await userOf('zoe')).toBe('');
});

test('B0 B26 B34 B41 B43 when a queue becomes its team’s, what others could see goes: cards, what was shared with a channel, previews of links, similar tickets and notifications', async () => {
  const { world, payroll, ask, show, open, move, read, userOf } = await startPayroll({
    CHAT_SETTINGS_SECONDS: '1',
  });
  const { chat, service } = world;
  await chat.post('noise', { unfurlDomains: ['127.0.0.1'] });
  const { id, ts } = await open(SECRET);
  const code = await move(id, payroll.id);
  await open(`${SECRET} is too low`);
  /** What others read in channels, and Sam in his direct messages. */
  const everywhere = async () => {
    const [triage = '', general = ''] = await Promise.all(
      [TRIAGE, 'general'].map((channel) => read(channel)),
    );
    return { triage, general, direct: await read('@deskbridge', 'sam') };
  };
  // Sam shows it to everybody as a card, in a list and as a link, and follows it for a while.
  const press = async (text: string, actionId: string) => {
    await ask('sam', text, 'general');
    const { ts } = (await chat.ephemeral('general', 'sam')) ?? { ts: '' };
    await chat.post('interact', { channel: 'general', messageTs: ts, user: 'sam', action: { actionId } });
  };
  await press(`show ${code}`, 'share_ticket');
  await press('search salary director', 'share_results');
  await chat.say('general', 'sam', `see <${world.urls.root}/tickets/${code}>`);
  const follow = (followers: { id: string }[]) =>
    service.updateTicket({ params: { id }, body: { data: { followers } } });
  await follow([{ id: await userOf('sam') }]);
  await service.createTicketMessage({
    body: { ticketId: id, content: 'it is 100', authorId: await userOf('ben') },
  });
  await until(
    'everything to show it',
    async () => {
      const { triage, general, direct } = await everywhere();
      const isShared = general.includes('Asked by') && general.includes('shows 2 tickets');
      return (
        triage.includes('Similar tickets') &&
        isShared &&
        general.includes('attachments') &&
        direct.includes('it is 100')
      );
    },
    { seen: everywhere },
  );
  await follow([]);
  await world.untilIdle();
  expect(await read('@deskbridge', 'sam')).toContain('it is 100');

  await show('team');
  const others = async () => {
    const { triage, general, direct } = await everywhere();
    // Another ticket, for everyone, has these words, too.
    return [triage.replaceAll(`${SECRET} is too low`, ''), general, direct];
  };
  await until(
    'others to see nothing of it',
    async () => !(await others()).some((text) => /director|it is 100/.test(text)),
    { seen: others },
  );
  const { general, direct } = await everywhere();
  expect(general.split('What was shown here is not for everyone any more.').length).toBeGreaterThan(2);
  expect(general).toContain('A ticket that not everyone may read');
  expect(direct).toContain('is not shown here any more');
  // Its requester’s thread stays, and its team has its card.
  expect(JSON.stringify(await chat.thread(CHANNEL, ts))).toContain(SECRET);
  expect(await read(PAY_TRIAGE)).toContain(SECRET);

  await show('workspace');
  await until('the card to be back', async () => (await read(TRIAGE)).includes(`${code} ${SECRET}`));
});

test('B0 B55 /ticket why says why somebody can or cannot read a ticket, and to who cannot not whether there is one', async () => {
  const { payroll, ask, show, open, move } = await startPayroll();
  await show('team');
  const { id, ts } = await open(SECRET);
  const code = await move(id, payroll.id);
  const link = `https://acme.slack.com/archives/C0ITHELP00/p${ts.replace('.', '')}`;
  for (const [name, because] of [
    ['ada', 'you take part in it'],
    ['ben', 'you are in the team of its queue'],
    ['mira', 'you are in the team of its queue'],
  ] as const)
    expect(await ask(name, `why ${code}`)).toMatch(new RegExp(`You can read .*${code}.*${because}`));
  const refused = async (reference: string) => {
    const answer = await ask('sam', `why ${reference}`);
    expect(answer).toContain('Only its team reads the tickets of *Payroll*');
    return (JSON.parse(answer) as { text: string }).text.replaceAll(reference, 'it');
  };
  expect(await refused('PAY-777')).toBe(await refused(code));
  expect(await ask('sam', `show ${code}`)).toContain(`/ticket why ${code}`);
  // Who sees a message knows that it has a ticket.
  const about = await ask('sam', `why ${link}`);
  expect(about).toContain('Only its team reads the tickets of *Payroll*');
  expect(about).not.toContain(code);
  await show('agents');
  expect(await ask('sam', `why ${code}`)).toContain('you are an agent');
});

test('B0 B25 a member of a triage channel is of the team in Slack: the service takes their assignment, and refuses that of a stranger with the way to add them', async () => {
  const { world, payroll, userOf, ask, show, open, move } = await startPayroll();
  const { service } = world;
  await show('team');
  const { id } = await open(SECRET);
  const code = await move(id, payroll.id);
  const assignee = async () => (await service.readTicket({ params: { id } })).assigneeId;
  // At the desk Mira is an admin, but of no team.
  const direct = service.updateTicket({
    params: { id },
    body: { data: { assigneeId: await userOf('mira') } },
  });
  await expect(direct).rejects.toThrow('422');
  expect(await ask('mira', `assign ${code} me`)).toContain('is now assigned to you');
  expect(await assignee()).toBe(await userOf('mira'));
  expect(await ask('mira', `assign ${code} <@U0SAMPARKS>`)).toContain('Add the queue to their queues first');
  expect(await assignee()).toBe(await userOf('mira'));
  expect(await ask('mira', 'search salary director')).toContain(code);
  expect(await ask('mira', `assign ${code} @ben`)).toContain('is now assigned to');
  expect(await assignee()).toBe(await userOf('ben'));
});

test('B7 B11 linking a channel to a queue of a team says that the channel reads its threads, and offers private channels for all requests', async () => {
  const { world, payroll, ask, show } = await startPayroll();
  const { chat, service } = world;
  const PAY = 'pay-help';
  await chat.post('create-channel', { user: 'mira', name: PAY, members: ['ada', 'ben', 'sam'] });
  await chat.post('invite', { channel: PAY, user: 'mira', member: 'deskbridge' });
  await show('team');
  const linked = await ask('mira', 'link PAY', PAY);
  expect(linked).toContain('Only its team reads the tickets of *Payroll*');
  expect(linked).toContain('everyone who reads this channel reads the threads in it');
  const { ts } = (await chat.ephemeral(PAY, 'mira')) ?? { ts: '' };
  await chat.post('interact', {
    channel: PAY,
    messageTs: ts,
    user: 'mira',
    action: { actionId: 'own_channels' },
  });
  await until('the answer', async () =>
    (await chat.ephemeral(PAY, 'mira'))?.text.includes('goes on in a private channel'),
  );
  const { bot } = await chat.state();
  const asked = await chat.say(PAY, 'ada', `<@${bot}> about my pay`);
  const ticket = await until('the ticket', async () =>
    (await service.listTickets({ query: { queueId: payroll.id } })).items.find(
      ({ title }) => title === 'about my pay',
    ),
  );
  expect(ticket.private).toBe(true);
  await world.untilIdle();
  expect(await chat.thread(PAY, asked.ts)).toEqual([]);
  const { channels } = await chat.state();
  const own = Object.keys(channels).find((name) => name.includes(ticket.code.toLowerCase())) ?? '';
  expect(JSON.stringify(await chat.messages(own, 'ada'))).toContain('about my pay');

  // Words that are not in the channel yet never stand there.
  expect(await ask('ada', 'new a raise, please', PAY)).toContain('in our direct messages');
  const typed = (await service.listTickets({ query: { queueId: payroll.id } })).items.find(
    ({ title }) => title === 'a raise, please',
  );
  expect(typed?.private).toBe(true);
  expect(JSON.stringify(await chat.messages(PAY))).not.toContain('a raise');
  expect(await ask('mira', 'settings', PAY)).toContain('own-channels');
  // A public triage channel lets anybody in.
  await chat.post('create-channel', { user: 'mira', name: 'pay-desk' });
  await chat.post('invite', { channel: 'pay-desk', user: 'mira', member: 'deskbridge' });
  expect(await ask('mira', 'link PAY triage', 'pay-desk')).toContain('make it private');
});
