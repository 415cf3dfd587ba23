import { describe, expect, test } from 'vitest';

import { SOMETHING_ELSE } from '../../src/contract/index.ts';
import { COMMAND_NAMES } from '../../src/bridge/tickets/command-rules.ts';
import { openDesk } from '../desk/open-desk.ts';
import { askCommand as ask } from '../harness/ask-command.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, sharedWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

/** The text of rich text, in whatever pieces. */
function textIn(blocks: unknown): string {
  if (Array.isArray(blocks)) return blocks.map(textIn).join('');
  if (typeof blocks !== 'object' || blocks === null) return '';
  const { text, elements, name } = blocks as Record<string, unknown>;
  return [
    typeof text === 'string' ? text : textIn(text),
    typeof name === 'string' ? `:${name}:` : '',
    textIn(elements),
  ].join('');
}

describe('B32 commands', () => {
  test('help lists the commands, errors say what to type instead (B36), and answers are visible only to the user (B34)', async () => {
    const listed = (text: string) => COMMAND_NAMES.filter((name) => text.includes(`\`${name}\``));
    expect(listed((await ask(world, 'mira', 'help')).text)).toEqual(COMMAND_NAMES);
    // Who works on no tickets reads what they can do.
    const help = await ask(world, 'ada', 'help');
    const own = ['new', 'list', 'search', 'show', 'close', 'reopen', 'notify', 'help'];
    expect(new Set(listed(help.text))).toEqual(new Set(own));
    expect(help.ephemeralFor).toBe('U0ADAREYES');
    expect((await ask(world, 'ada', 'frobnicate')).text).toContain('Unknown command `frobnicate`');
    expect((await ask(world, 'ada', 'status')).text).toContain('Add the new status');
    expect((await ask(world, 'ada', 'show IT-999')).text).toContain('There is no ticket `IT-999`');
    expect((await ask(world, 'ada', 'show potatoes!')).text).toContain('not a ticket reference');
    expect((await ask(world, 'ada', 'search zyxwvut')).text).toContain('Nothing found for “zyxwvut”');
  });

  test('the team makes a ticket private and public, and merges two, from Slack; others are refused (B0)', async () => {
    const { service } = world;
    const create = async (title: string) => {
      const ada = (await service.listUsers({ query: { email: 'ada@acme.example' } })).items[0];
      const queue = (await service.listQueues({ query: {} })).items.find(({ prefix }) => prefix === 'IT');
      return service.createTicket({
        body: { title, requesterId: ada?.id ?? null, queueId: queue?.id ?? null },
      });
    };
    const [one, other] = [await create('The lamp is dark'), await create('The lamp in room 2 is dark')];
    expect((await ask(world, 'mira', `assign ${one.code} me`)).text).toContain('is now assigned to you');
    const now = () => service.readTicket({ params: { id: one.id } });

    expect((await ask(world, 'ada', `private ${one.code}`)).text).toContain(
      'Only the team of IT can do that',
    );
    expect((await ask(world, 'mira', `private ${one.code}`)).text).toContain('is private: only the people');
    expect((await now()).private).toBe(true);
    expect((await ask(world, 'mira', `private ${one.code}`)).text).toContain('is private already');
    expect((await ask(world, 'mira', `public ${one.code}`)).text).toContain('is public: who reads its queue');
    expect((await now()).private).toBe(false);

    const merge = `merge ${one.code} ${other.code}`;
    expect((await ask(world, 'ada', merge)).text).toContain('Only the team of IT can do that');
    expect((await ask(world, 'mira', `merge ${one.code}`)).text).toContain('Add the ticket to continue with');
    expect((await ask(world, 'mira', `merge ${one.code} ${one.code}`)).text).toMatch(
      /was not merged into .*: A ticket cannot be merged into itself\.$/,
    );
    expect((await ask(world, 'mira', merge)).text).toMatch(/was merged into .*\.$/);
    expect((await now()).mergedIntoId).toBe(other.id);
    const [merged] = (await service.readTicketActivity({ params: { id: one.id } })).items.filter(
      ({ kind }) => kind === 'merged',
    );
    expect(merged?.actor.id).toBe(
      (await service.listUsers({ query: { email: 'mira@acme.example' } })).items[0]?.id,
    );
    // She has it, and is not told of what she did (B43).
    const told = async () => (await world.chat.messages('@deskbridge', 'mira')).map(({ text }) => text);
    await world.untilIdle();
    expect((await told()).filter((text) => text.includes(`${one.code}: `))).toEqual([]);
    expect((await ask(world, 'mira', merge)).text).toContain('already');
    expect((await ask(world, 'mira', `reopen ${one.code}`)).text).toContain('is open again');
    expect((await now()).mergedIntoId).toBeNull();
  });

  test.for([
    ['expired_trigger_id', 'The window did not open in time. Try again.'],
    ['exchanged_trigger_id', 'The window did not open in time. Try again.'],
    ['invalid_arguments', 'Slack refused to show the window'],
    ['internal_error', 'Slack refused to show the window'],
  ] as const)('a window that Slack refuses to open with %s says why', async ([error, said]) => {
    await world.chat.post('faults', { method: 'views.open', kind: 'error', error, times: 1 });
    expect((await ask(world, 'ada', 'new')).text).toContain(said);
  });

  test('a window that Slack refuses to fill tells its person, who sees no loading window for ever', async () => {
    const { chat } = world;
    await chat.post('faults', {
      method: 'views.update',
      kind: 'error',
      error: 'invalid_arguments',
      times: 2,
    });
    const answer = await ask(world, 'ada', 'new');
    await chat.post('faults', { clear: true });
    expect(answer.text).toContain('Slack refused to show the window');
  });

  test('new in a linked channel posts a first message under the requester’s name, opens the ticket in its thread, and answers the user', async () => {
    const { chat, service } = world;
    const answer = await ask(world, 'ben', 'new Printer on fire. Second floor <left> & right');
    expect(answer.text).toMatch(/IT-\d+.* is open/);
    const root = (await chat.messages(CHANNEL)).find(
      ({ username }) => username === 'ben' || username === 'Ben Okafor',
    );
    expect(root?.text).toBe('Printer on fire. Second floor &lt;left&gt; &amp; right');
    const { items } = await service.listTickets({ query: { chatMessageTs: root?.ts ?? '' } });
    expect(items[0]).toMatchObject({ title: 'Printer on fire', private: false });
    const permalink = `https://acme.slack.com/archives/C0ITHELP00/p${root?.ts.replace('.', '') ?? ''}`;
    expect((await ask(world, 'ada', `show ${permalink}`)).text).toContain('Printer on fire');
    const reply = await chat.say(CHANNEL, 'ben', 'It is getting warm', root?.ts);
    await world.untilIdle();
    const messages = (await service.listTicketMessages({ query: { ticketId: items[0]?.id ?? '' } })).items;
    expect(messages.map(({ content }) => content)).toEqual(['It is getting warm']);
    expect(messages[0]?.chatMessages[0]?.ts).toBe(reply.ts);
  });

  test('B20 a first message that is longer than a post of Slack goes on in its thread, under the same name, each part once and in order', async () => {
    const { chat, service } = world;
    const words = Array.from({ length: 1_500 }, (_, at) => `word${at}`);
    const answer = await ask(world, 'ben', `new ${words.join(' ')}`);
    const code = /IT-\d+/.exec(answer.text)?.[0] ?? '';
    await world.untilIdle();
    const { chatThreads, description, id } = await service.readTicket({ params: { id: code } });
    expect(description).toBe(words.join(' '));
    const root = chatThreads[0]?.messageTs ?? '';
    const posts = (await chat.messages(CHANNEL)).filter(({ ts }) => ts === root);
    posts.push(
      ...(await chat.thread(CHANNEL, root)).filter(({ username }) => username === posts[0]?.username),
    );
    expect(posts.length).toBeGreaterThan(2);
    expect(posts.flatMap(({ blocks }) => textIn(blocks).split(/\s+/)).filter(Boolean)).toEqual(words);
    expect((await service.listTicketMessages({ query: { ticketId: id } })).items).toEqual([]);
  });

  test('what a command names is stored as people, channels and links, and shown by its name; an unknown id becomes nobody (B36)', async () => {
    const { service } = world;
    const opened = await ask(world, 'ada', 'new ask @ben about #general: https://x.example/a_b please');
    const code = /IT-\d+/.exec(opened.text)?.[0] ?? '';
    const { items: bens } = await service.listUsers({ query: { chatUserId: 'U0BENOKAFO' } });
    expect(await service.readTicket({ params: { id: code } })).toMatchObject({
      title: 'ask @ben about #general: https://x.example/a_b please',
      description: `ask [@ben](user:${bens[0]?.id ?? ''}) about #general: <https://x.example/a_b> please`,
    });
    expect((await ask(world, 'ada', 'search zyxwvut @ben')).text).toContain('“zyxwvut @ben”');
    expect((await ask(world, 'ada', 'list #general')).text).toContain('no list “#general”');
    expect((await ask(world, 'ada', 'close @ben')).text).toContain('`@ben` is not a ticket reference');
    expect((await ask(world, 'ada', 'link #general')).text).toContain('“#general”');
    expect((await ask(world, 'ada', `status ${code} @ben`)).text).toContain('“@ben”');
    expect((await ask(world, 'ada', '#general')).text).toContain('Unknown command `#general`');
    expect((await ask(world, 'ada', `assign ${code} @ben in #general`)).text).toContain('“@ben in #general”');
    const before = (await service.listUsers({ query: {} })).totalCount;
    expect((await ask(world, 'ada', `assign ${code} <@U0NOBODY0>`)).text).toContain('I don’t know the user');
    await ask(world, 'ada', `note ${code} ask <@U0NOBODY0>`);
    expect((await service.listUsers({ query: {} })).totalCount).toBe(before);
    expect((await service.readTicket({ params: { id: code } })).assigneeId).toBeNull();
  });

  test('new where chat refuses the first message opens no ticket, and says so to the user (B36)', async () => {
    // What earlier commands have led to is posted by now.
    await world.untilIdle();
    await world.chat.post('faults', {
      faults: [{ method: 'chat.postMessage', kind: 'error', error: 'restricted_action', times: 1 }],
    });
    const answer = await ask(world, 'ben', 'new The coffee machine is empty');
    expect(answer.text).toBe(
      'No ticket was opened: I cannot post there (restricted_action). Invite me with /invite and try again.',
    );
    const { items } = await world.service.listTickets({ query: { search: 'coffee machine' } });
    expect(items).toEqual([]);
  });

  test('new elsewhere opens a private ticket in a direct conversation', async () => {
    const { service } = world;
    const answer = await ask(world, 'ben', 'new Something only I should see the kaleidoscope', 'general');
    expect(answer.text).toContain('in our direct messages');
    const { items } = await service.listTickets({ query: { search: 'only I should see the kaleidoscope' } });
    expect(items[0]).toMatchObject({ private: true });
    expect(JSON.stringify(await world.chat.messages('general'))).not.toContain(
      'only I should see the kaleidoscope',
    );
    // B35: another user neither finds nor opens it.
    expect((await ask(world, 'ada', 'search only I should see the kaleidoscope')).text).toContain(
      'Nothing found',
    );
    expect((await ask(world, 'ada', `show ${items[0]?.code ?? ''}`)).text).toContain('There is no ticket');
    expect((await ask(world, 'ben', `show ${items[0]?.code ?? ''}`)).text).toContain(
      'Something only I should see the kaleidoscope',
    );
  });

  test('search shows ten with a next page (B34); show and status understand references and names (B33)', async () => {
    const { chat, service } = world;
    const { items: queues } = await service.listQueues({});
    const queueId = queues.find(({ prefix }) => prefix === 'IT')?.id ?? '';
    for (let n = 1; n <= 12; n++)
      await service.createTicket({ body: { title: `Badge reader ${n}`, queueId } });
    const first = await ask(world, 'ada', 'search badge reader');
    expect(first.text).toBe('12 tickets for “badge reader”');
    // There is no model here.
    expect(textIn(first.blocks)).toContain('Searched by words only');
    expect(textIn(first.blocks).match(/Badge reader \d+/g)).toHaveLength(10);
    await chat.post('interact', {
      channel: CHANNEL,
      messageTs: first.ts,
      user: 'ada',
      action: { actionId: 'search_more' },
    });
    await until('the next page', async () => {
      const shown = textIn(
        (await chat.messages(CHANNEL, 'ada')).filter(({ ephemeralFor }) => ephemeralFor).at(-1)?.blocks,
      );
      return shown.match(/Badge reader \d+/g)?.length === 2;
    });

    const code = (await service.listTickets({ query: { search: 'Badge reader 7' } })).items[0]?.code ?? '';
    const number = code.split('-')[1] ?? '';
    expect((await ask(world, 'ada', `show #${number}`)).text).toContain('Badge reader 7');
    expect((await ask(world, 'mira', `status ${code.toLowerCase()} prog`)).text).toContain(
      'is now *In Progress*',
    );
    expect(
      (await ask(world, 'mira', `status https://desk.example/tickets/${code} in progress`)).text,
    ).toContain('is *In Progress* already');
    expect((await ask(world, 'mira', `status ${code} finished`)).text).toMatch(
      /no status “finished”.*\*Open\*.*\*Done\*/,
    );
  });
});

test('B62 search highlights matches as plain text, marks snoozed tickets, and never shares an internal note', async () => {
  const { chat, service } = world;
  const { items: queues } = await service.listQueues({});
  const queueId = queues.find(({ prefix }) => prefix === 'IT')?.id ?? '';
  const { id } = await service.createTicket({
    body: {
      title: '<!channel> *Gondola* stuck & `loud`',
      description: 'The <@U0ADAREYES> says _the cable_ hums',
      queueId,
      snoozeUntil: '2100-01-01T09:00:00.000Z',
    },
  });
  await service.createTicketMessage({
    body: { ticketId: id, content: 'sabotage by <!here>, says the police', private: true },
  });
  const found = await ask(world, 'mira', 'search gondola cable');
  expect(found.blocks[1]).toMatchObject({
    type: 'rich_text',
    elements: [
      {
        elements: expect.arrayContaining([
          { type: 'text', text: '<!channel> *' },
          { type: 'text', text: 'Gondola', style: { bold: true } },
          { type: 'emoji', name: 'zzz' },
          expect.objectContaining({ type: 'date', timestamp: 4_102_477_200 }),
        ]) as unknown,
      },
      {
        type: 'rich_text_quote',
        elements: expect.arrayContaining([{ type: 'text', text: 'cable', style: { bold: true } }]) as unknown,
      },
    ],
  });
  const types = [...JSON.stringify(found.blocks).matchAll(/"type":"(\w+)"/g)].map(([, type]) => type);
  expect(types.filter((type) => ['broadcast', 'user', 'usergroup'].includes(type ?? ''))).toEqual([]);
  // The team finds it by an internal note; a colleague finds nothing, and no channel shows it.
  const noted = await ask(world, 'mira', 'search sabotage police');
  expect(textIn(noted.blocks)).toContain('Private note: sabotage by <!here>, says the police');
  expect((await ask(world, 'ben', 'search sabotage police')).text).toContain('Nothing found');
  await chat.post('interact', {
    channel: CHANNEL,
    messageTs: noted.ts,
    user: 'mira',
    action: { actionId: 'share_results' },
  });
  const shared = await until('what is shown to the channel', async () =>
    (await chat.messages(CHANNEL, 'ben')).find(({ text }) => text.includes('shows 1 ticket')),
  );
  expect(textIn(shared.blocks)).toContain('Gondola');
  expect(textIn(shared.blocks)).not.toContain('sabotage');
});

test('B62 a form shows tickets that may already answer it while the title is typed: the user’s own, and others’ only from public channels', async () => {
  const { chat, service } = world;
  const idOf = async (email: string) => (await service.listUsers({ query: { email } })).items[0]?.id;
  const [ada, ben, mira] = await Promise.all(
    ['ada@acme.example', 'ben@acme.example', 'mira@acme.example'].map(idOf),
  );
  const { items: statuses } = await service.listStatuses({ query: {} });
  const statusId = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  const make = async (more: object, channelId?: string) => {
    const { id, code } = await service.createTicket({ body: { title: 'Theodolite wobbles', ...more } });
    if (channelId !== undefined)
      await service.putChatThread({
        params: { id },
        body: {
          channelId,
          messageTs: `1700000000.${code.replace(/\D/g, '').padStart(6, '0')}`,
          type: 'REQUEST',
        },
      });
    return { id, code };
  };
  const own = await make({ requesterId: ada, private: true });
  const solved = await make({ requesterId: ben, assigneeId: mira }, 'C0ITHELP00');
  await service.updateTicket({ params: { id: solved.id }, body: { data: { statusId } } });
  // Each of these is hidden from her for another reason.
  const hidden = [
    await make({ requesterId: ben, private: true }, 'C0ITHELP00'),
    await make({ requesterId: ben }, 'C0ITTRIAGE'),
    await make({ requesterId: ben }, 'C0UNKNOWN0'),
    await make({ requesterId: ben }),
  ];
  const form = async (what: string, is: (text: string) => boolean) =>
    until(
      what,
      async () => {
        const view = await chat.modal('ada');
        return view && is(JSON.stringify(view.blocks)) ? view : undefined;
      },
      { seen: () => chat.modal('ada') },
    );
  const put = async (blockId: string, actionId: string, value: string) => {
    const viewId = (await chat.modal('ada'))?.id;
    await chat.post('interact', { user: 'ada', viewId, action: { actionId, blockId, value } });
  };
  await chat.command(CHANNEL, 'ada', 'new');
  await form('the form', (text) => text.includes('ask:type'));
  await put('ask:type', 'form_type', SOMETHING_ELSE.id);
  await form('its title', (text) => text.includes('ask:title'));
  // A title typed after the form was submitted is not searched for.
  for (const title of ['Theo', 'Theodolite', 'Theodolite wobbles'])
    await put('ask:title', 'form_value', title);
  const shown = await form('the answers', (text) => text.includes('These may already answer it'));
  const text = textIn(shown.blocks);
  const found = [
    ...text.matchAll(/([A-Z]+-\d+) {2}Theodolite wobbles {2}· {2}(solved by Mira Lind|Open)/g),
  ].map(([, code, how]) => [code, how]);
  expect(found).toEqual([
    [solved.code, 'solved by Mira Lind'],
    [own.code, expect.stringContaining('Open')],
  ]);
  for (const { code } of hidden) expect(text).not.toContain(code);
  const title = shown.blocks.find(({ block_id }) => block_id === 'ask:title');
  expect(title?.element).toMatchObject({ initial_value: 'Theodolite wobbles' });
  await put('ask:title', 'form_value', 'Quite another matter');
  await form('none any more', (all) => !all.includes('These may already answer it'));
});

test('B62 a word of any kind that is typed into /ticket search or at the desk finds its ticket', async () => {
  const { service, apiKey, urls } = world;
  const content = [
    'Upgraded v5.2.1-rc.3, see https://api.w.example:9443/v2/users?id=77 and C:\\Temp\\plan.v3.xlsx.',
    'Ask first.last+tag@mail.w.example about line~~struck~~end, `inline_code_77` and <Ctrl999>.',
    '**標籤：**打印機壞了, プリンターで印刷できない. Stück INC0019283, printer/scanner; [handbook](https://docs.v.example/m).',
  ].join('\n\n');
  const { id, code } = await service.createTicket({
    body: { title: 'All kinds of words', description: content },
  });
  const words = [
    '5.2.1',
    'v5.2.1-rc.3',
    'https://api.w.example:9443/v2/users?id=77',
    'w.example:9443',
    'v2/users',
    'C:\\Temp\\plan.v3.xlsx',
    '.xlsx',
    'first.last+tag@mail.w.example',
    'tag@mail.w',
    'struck',
    'linestruckend',
    'inline_code_77',
    '<Ctrl999>',
    'ctrl999',
    '打印機',
    '印刷できない',
    'Stu\u0308ck',
    'STÜCK',
    '0019283',
    'printer/scanner',
    'scanner',
    'docs.v.example/m',
    'handbook',
  ];
  const desk = await openDesk(urls.api);
  await desk.ask('POST', '/desk/session', { key: apiKey });
  for (const each of words) {
    const query = encodeURIComponent(each);
    for (const path of [`tickets/semantic-search?query=${query}`, `tickets?search=${query}`]) {
      const { status, body } = await desk.ask('GET', `/desk/api/${path}`);
      const { items } = body as { items: { id: string }[] };
      expect([path, status, items.some((ticket) => ticket.id === id)]).toEqual([path, 200, true]);
    }
  }
  // Those that chat sends in another form than they are typed, and one more.
  const typed = [
    '5.2.1',
    'https://api.w.example:9443/v2/users?id=77',
    'first.last+tag@mail.w.example',
    '<Ctrl999>',
    'C:\\Temp\\plan.v3.xlsx',
    '印刷できない',
    'Stu\u0308ck',
  ];
  for (const each of typed) {
    const answer = await ask(world, 'mira', `search ${each}`);
    expect([each, textIn(answer.blocks)]).toEqual([each, expect.stringContaining(code)]);
  }
});

test('B34, B36 tickets of every workspace of the service are searched, counted and shown, also by their references', async () => {
  const { service, clock } = world;
  const { id: workspaceId } = await service.createWorkspace({ body: { name: 'Other', slug: 'other' } });
  const { id: queueId } = await service.createQueue({ body: { name: 'Other', prefix: 'OTH', workspaceId } });
  for (let n = 1; n <= 3; n++)
    await service.createTicket({ body: { title: `Periscope of the other workspace ${n}`, queueId } });
  await service.createTicket({ body: { title: 'Periscope at home' } });
  clock.pass(SETTINGS_CACHE_MS);
  expect((await service.listTickets({ query: { search: 'periscope' } })).totalCount).toBe(1);
  const home = await ask(world, 'ada', 'search periscope');
  expect(home.text).toBe('4 tickets for “periscope”');
  expect((await ask(world, 'ada', 'show OTH-2')).text).toContain('Periscope of the other workspace 2');
});
