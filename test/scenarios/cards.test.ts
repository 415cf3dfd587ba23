import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { makeDue } from '../harness/make-due.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

interface Card {
  ticketId: string;
  root: string;
}

async function open({ chat, service }: World, who: string, words: string): Promise<Card> {
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, who, `<@${bot}> ${words}`);
  const ticket = await ticketAt(service, ts);
  return { root: ts, ticketId: ticket.id };
}

/** A card has controls; other posts about a ticket do not. */
async function cardIn({ chat }: World, channel: string, holds: string): Promise<SeenMessage> {
  return until(
    `the card with ${holds}`,
    async () =>
      (await chat.messages(channel)).findLast(
        ({ text, bot_id, metadata }) =>
          bot_id !== undefined && text.includes(holds) && metadata?.event_payload['card'] !== undefined,
      ),
    { seen: async () => chat.messages(channel) },
  );
}

/** The controls on a card, by action. */
const controlsIn = ({ blocks }: SeenMessage) =>
  (blocks as { elements?: { action_id?: string }[] }[]).flatMap(({ elements = [] }) =>
    elements.flatMap(({ action_id }) => action_id ?? []),
  );

async function press(
  { chat }: World,
  user: string,
  card: SeenMessage,
  actionId: string,
  value?: string,
): Promise<void> {
  const action = value === undefined ? actionId : { actionId, value };
  await chat.post('interact', { user, channel: card.channel, messageTs: card.ts, action });
}

/** The modal that a user's action opens, once it is filled. */
const opened = (world: World, user: string, callbackId: string, act: () => Promise<unknown>) =>
  world.chat.withHeldClock(async () => {
    await act();
    return until(`the modal ${callbackId}`, async () => {
      const view = await world.chat.modal(user);
      return view?.callback_id === callbackId ? view : undefined;
    });
  });

const TRIAGE = 'it-triage';

test('B25 the requester’s card thanks in plain words, offers the requester’s actions, and says what happens next', async () => {
  const { chat, service } = world;
  const { ticketId, root } = await open(world, 'ada', 'the projector hums');
  const ticket = await service.readTicket({ params: { id: ticketId } });
  const mine = () => cardIn(world, CHANNEL, 'the projector hums');
  const says = async () => JSON.stringify((await mine()).blocks);
  const card = await mine();
  expect(controlsIn(card)).toEqual(['card_add_details', 'card_close', 'card_manage']);
  expect(JSON.stringify(card.blocks)).toMatch(
    new RegExp(
      `Thanks, Ada\\. IT has got it: \\*<[^>]*\\|${ticket.code}>\\*\\. You’ll usually hear back <!date\\^\\d+\\^by \\{date_short_pretty\\} at \\{time\\}\\|by [^>]*>\\.`,
    ),
  );

  await chat.withHeldClock(() => press(world, 'ada', card, 'card_add_details'));
  await chat.post('submit-view', { user: 'ada', values: { reply: { reply: 'It is the one in *Oslo*.' } } });
  await world.untilIdle();
  const last = (await chat.thread(CHANNEL, root)).at(-1);
  expect([last?.username, last?.text]).toEqual(['Ada Reyes', 'It is the one in Oslo.']);

  await press(world, 'ben', await mine(), 'card_close');
  await until('a polite no', async () =>
    (await chat.ephemeral(CHANNEL, 'ben'))?.text.includes('Only the team of'),
  );
  await press(world, 'ada', await mine(), 'card_close');
  await cardIn(world, CHANNEL, 'hums (Closed)');
  expect(controlsIn(await mine())).toEqual(['card_reopen', 'card_manage']);
  expect(await says()).toContain('Reply here if you still need help.');
  await press(world, 'ada', await mine(), 'card_reopen');
  await cardIn(world, CHANNEL, 'hums (Open)');
  await press(world, 'mira', await cardIn(world, TRIAGE, 'hums (Open)'), 'card_assign_me');
  await world.untilIdle();
  expect(await says()).toContain('Mira Lind has got it');
});

test('B25 the requester’s card promises a first reply, says when that takes longer, and says neither once there is one', async () => {
  const own = await startWorld();
  const { chat, service, clock } = own;
  const { ticketId, root } = await open(own, 'ada', 'the lamp flickers');
  const says = async () => JSON.stringify((await cardIn(own, CHANNEL, 'the lamp flickers')).blocks);
  const { expectedReplyAt } = await service.readTicket({ params: { id: ticketId } });
  const roundMs = 5 * 60_000;
  const shown = Math.ceil(Date.parse(expectedReplyAt ?? '') / roundMs) * roundMs;
  expect(await says()).toContain(
    `You’ll usually hear back <!date^${shown / 1000}^by {date_short_pretty} at {time}|by `,
  );
  // The end of the promise is planned after the card is there, by the time of the database.
  await own.untilIdle();
  clock.pass(shown - clock.now().getTime());
  const database = new pg.Client({ connectionString: own.environment['DATABASE_URL'] });
  await database.connect();
  onTestFinished(() => database.end());
  expect(await makeDue(database, `kind = 'promise'`)).toBe(1);
  await until(
    'the card to say so',
    async () => (await says()).includes('This is taking longer than usual.'),
    {},
  );
  expect(await says()).not.toContain('hear back');
  await chat.say(CHANNEL, 'mira', 'we are on it', root);
  await until('the card to say so no more', async () => !(await says()).includes('longer than usual'));
  expect(await says()).not.toContain('hear back');
});

test('B25 B26 B32 the team works on a ticket by its card and by Manage, its requester closes it by Ticket actions of a message, and others get a polite refusal', async () => {
  const { chat, service } = world;
  const { ticketId, root } = await open(world, 'ada', 'my laptop is slow');
  const ticket = () => service.readTicket({ params: { id: ticketId } });
  const card = await cardIn(world, TRIAGE, 'my laptop is slow');

  await press(world, 'mira', card, 'card_assign_me');
  await world.untilIdle();
  const assigned = await ticket();
  const { items } = await service.listUsers({ query: { set: assigned.assigneeId } });
  expect(items.map(({ firstName }) => firstName)).toEqual(['Mira']);
  expect(JSON.stringify((await cardIn(world, CHANNEL, 'slow')).blocks)).toContain('Mira Lind');

  const statuses = (await service.listStatuses({ query: {} })).items;
  const waiting = statuses.find(({ label }) => label === 'Waiting')?.id ?? '';
  await press(world, 'ben', await cardIn(world, CHANNEL, 'slow'), 'card_manage');
  await until('a polite no', async () =>
    JSON.stringify(await world.chat.modal('ben')).includes('Only the team of'),
  );
  // The assignee gets no button to take it.
  const team = await cardIn(world, TRIAGE, 'slow');
  expect(controlsIn(team)).toEqual(['card_status', 'card_reply', 'card_manage']);
  await press(world, 'sam', team, 'card_status', waiting);
  await cardIn(world, CHANNEL, '(Waiting)');

  const shown = await cardIn(world, CHANNEL, '(Waiting)');
  const tags: string[] = [];
  for (const [name, color] of [
    ['of Sam', '#aa0000'],
    ['of Ben', '#00aa00'],
    ['of Mira', '#0000aa'],
  ] as const)
    tags.push((await service.createTag({ body: { name, color } })).id);
  const [ofSam = '', ofBen = '', ofMira = ''] = tags;
  await service.updateTicket({ params: { id: ticketId }, body: { data: { tags: [{ id: ofSam }] } } });
  await opened(world, 'sam', 'manage_ticket', () => press(world, 'sam', shown, 'card_manage'));
  // Meanwhile another user adds one, which stays.
  await service.updateTicket({ params: { id: ticketId }, body: { data: { addTags: [{ id: ofMira }] } } });
  // What is wrong is said at its field, and the window stays.
  const wrong = await chat.post<{ result: string; errors?: object }>('submit-view', {
    user: 'sam',
    values: { title: { title: '  ' }, snoozeUntil: { snoozeUntil: '1700000000' } },
  });
  expect(wrong).toMatchObject({
    result: 'errors',
    errors: { title: 'Write a few words here.', snoozeUntil: 'Choose a time in the future.' },
  });
  const submitted = await chat.post<{ result: string }>('submit-view', {
    user: 'sam',
    values: {
      snoozeUntil: { snoozeUntil: null },
      title: { title: 'Slow laptop' },
      priority: { priority: 'URGENT' },
      dueAt: { dueAt: '1900000000' },
      tags: { tags: [ofBen] },
      clear: { clear: ['assigneeId'] },
    },
  });
  expect(submitted.result).toBe('closed');
  await world.untilIdle();
  expect(await ticket()).toMatchObject({
    title: 'Slow laptop',
    priority: 'URGENT',
    dueAt: '2030-03-17T17:46:40.000Z',
    assigneeId: null,
    statusId: waiting,
    description: 'my laptop is slow',
  });
  expect((await ticket()).tags.map(({ name }) => name).toSorted()).toEqual(['of Ben', 'of Mira']);
  const managed = await cardIn(world, CHANNEL, 'Slow laptop (Waiting)');
  expect(JSON.stringify(managed.blocks)).toContain('<!date^1900000000^');

  const actions = { user: 'ada', callbackId: 'ticket_actions', channel: CHANNEL, messageTs: root };
  await opened(world, 'ada', 'manage_own_ticket', () => chat.post('shortcut', actions));
  await chat.post('submit-view', { user: 'ada', values: {} });
  await cardIn(world, CHANNEL, '(Closed)');
});

test('B26 the team’s card, what is said in its thread (B14, B15), and two ways from there to answer the requester', async () => {
  const { chat, service } = world;
  const { ticketId, root } = await open(world, 'ada', 'the printer smokes');
  const card = await cardIn(world, TRIAGE, 'the printer smokes');
  const said = async () =>
    (await service.listTicketMessages({ query: { ticketId } })).items.map(
      ({ content, private: isPrivate }) => [content, isPrivate],
    );
  const inThread = async () => (await chat.thread(CHANNEL, root)).map(({ text }) => text);

  const note = await chat.say(TRIAGE, 'mira', 'it is the old one again', card.ts);
  await until('who reads along', async () =>
    (await chat.ephemeral(TRIAGE, 'mira'))?.text.includes('Only the team reads this thread'),
  );
  await chat.say(TRIAGE, 'mira', 'let us replace it', card.ts);
  await service.createTicketMessage({ body: { ticketId, content: 'budget is there', private: true } });
  await service.createTicketMessage({ body: { ticketId, content: 'we are on it' } });
  await world.untilIdle();
  expect(await said()).toEqual([
    ['it is the old one again', true],
    ['let us replace it', true],
    ['budget is there', true],
    ['we are on it', false],
  ]);
  const triage = await chat.thread(TRIAGE, card.ts);
  expect(triage.map(({ text }) => text)).toEqual([
    'it is the old one again',
    'let us replace it',
    'budget is there',
    'we are on it',
  ]);
  expect(triage.map(({ blocks }) => JSON.stringify(blocks).includes('Internal note'))).toEqual([
    false,
    false,
    true,
    false,
  ]);
  const hints = (await chat.messages(TRIAGE, 'mira')).filter(({ text }) => text.includes('Only the team'));
  expect(hints).toHaveLength(1);

  const send = { user: 'sam', callbackId: 'send_to_requester', channel: TRIAGE, messageTs: note.ts };
  await chat.post('shortcut', send);
  await chat.post('shortcut', send);
  await world.untilIdle();
  await opened(world, 'mira', 'reply_to_requester', () => press(world, 'mira', card, 'card_reply'));
  await chat.post('submit-view', {
    user: 'mira',
    values: { reply: { reply: 'A new one comes *tomorrow*.' } },
  });
  await world.untilIdle();
  const answers = (await chat.thread(CHANNEL, root)).slice(1).map(({ text, username }) => [username, text]);
  expect(answers).toEqual([
    [expect.anything(), 'we are on it'],
    ['Sam Parks', 'it is the old one again'],
    ['Mira Lind', 'A new one comes tomorrow.'],
  ]);
  expect((await inThread()).join(' ')).not.toContain('budget');

  // Every copy of the card is updated, wherever the change was made (B24).
  await press(world, 'mira', await cardIn(world, TRIAGE, 'the printer smokes'), 'card_assign_me');
  await world.untilIdle();
  for (const channel of [CHANNEL, TRIAGE])
    expect(JSON.stringify((await cardIn(world, channel, 'the printer smokes')).blocks)).toContain(
      'Mira Lind',
    );
  const { chatThreads } = await service.readTicket({ params: { id: ticketId } });
  expect(chatThreads.find(({ type }) => type === 'TRIAGE')).toMatchObject({
    messageTs: card.ts,
    mirrorTs: card.ts,
  });
});

test('B62 the team’s card names similar tickets, solved ones first with their solver, and neither private nor merged ones', async () => {
  const { chat, service } = world;
  const { items: users } = await service.listUsers({ query: { email: 'mira@acme.example' } });
  const { items: statuses } = await service.listStatuses({ query: {} });
  const statusId = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  const make = async (title: string, more: object = {}) =>
    (await service.createTicket({ body: { title, ...more } })).id;
  const unsolved = await make('Barometer falls');
  const { queueId } = await service.readTicket({ params: { id: unsolved } });
  const solved = await make('The barometer <!channel> falls', { queueId, assigneeId: users[0]?.id });
  await service.updateTicket({ params: { id: solved }, body: { data: { statusId } } });
  await make('Barometer falls for the boss only', { private: true });
  // Closed, but nobody solved it.
  const merged = await make('The barometer falls twice', { queueId, assigneeId: users[0]?.id });
  await service.mergeTicket({ params: { id: merged }, body: { intoId: solved } });
  await until('all four to be searchable', async () => {
    const { items } = await service.semanticSearch({ query: { query: 'The barometer falls' } });
    const found = items.filter(({ title }) => title?.includes('arometer'));
    return found.length === 4 && found.some(({ id, status }) => id === solved && status.id === statusId);
  });
  const { root } = await open(world, 'ada', 'The barometer falls');
  const card = await cardIn(world, TRIAGE, 'The barometer falls (Open)');
  interface Words {
    text?: string;
    elements?: Words[];
  }
  const wordsOf = ({ text = '', elements = [] }: Words): string => text + elements.map(wordsOf).join('');
  const [heading, list] = (card.blocks.at(-1) as Words).elements ?? [];
  const lines = [wordsOf(heading ?? {}), ...(list?.elements ?? []).map(wordsOf)];
  expect(lines).toEqual([
    'Similar tickets',
    expect.stringMatching(/The barometer <!channel> falls {2}· {2}solved by Mira Lind$/),
    expect.stringMatching(/Barometer falls {2}· {2}Open$/),
  ]);
  // Only for the team: nothing of it is in the requester's thread.
  expect(JSON.stringify(await chat.thread(CHANNEL, root))).not.toContain('Similar');

  // One that is merged while the card names it is named no longer.
  await service.mergeTicket({ params: { id: unsolved }, body: { intoId: solved } });
  await until('the card without it', async () => {
    const { blocks } = await cardIn(world, TRIAGE, 'The barometer falls (Open)');
    return !JSON.stringify(blocks).includes('  Barometer falls  ');
  });
});

test('B30 where the queue wants lines, each change is a line with its author; B57 the user who is replying is shown on every card, and to a second user who starts', async () => {
  const world = await startWorld({ CHAT_WAITING_SECONDS: '3', CHAT_SETTINGS_SECONDS: '0' });
  const { chat, service } = world;
  const desk = (await service.listQueues({ query: {} })).items.find(({ prefix }) => prefix === 'IT');
  await service.updateQueue({
    params: { id: desk?.id ?? '' },
    body: { settings: { enableGranularChatNotifications: true } },
  });
  const { ticketId, root } = await open(world, 'ada', 'the door is stuck');
  const card = await cardIn(world, TRIAGE, 'the door is stuck');
  await press(world, 'mira', card, 'card_assign_me');
  await world.untilIdle();
  expect((await service.readTicket({ params: { id: ticketId } })).disableAIResponse).toBe(true);
  const statuses = (await service.listStatuses({ query: {} })).items;
  const waiting = statuses.find(({ label }) => label === 'Waiting')?.id ?? '';
  await press(world, 'sam', await cardIn(world, TRIAGE, 'the door is stuck'), 'card_status', waiting);
  await world.untilIdle();
  await service.updateTicket({
    params: { id: ticketId },
    body: { data: { priority: 'HIGH', title: 'The *door* is stuck' } },
  });
  await world.untilIdle();
  const lines = (await chat.thread(CHANNEL, root))
    .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
    .map(({ text }) => text);
  expect(lines).toEqual([
    '*Mira Lind* assigned this to themselves',
    '*Sam Parks* set the status to *Waiting*',
    expect.stringMatching(/“The \*door\* is stuck”\n.*\*High\*$/),
  ]);

  const waitingCard = await cardIn(world, TRIAGE, 'stuck (Waiting)');
  await opened(world, 'mira', 'reply_to_requester', () => press(world, 'mira', waitingCard, 'card_reply'));
  const places = [CHANNEL, TRIAGE];
  const saysIn = async (channel: string) => JSON.stringify((await cardIn(world, channel, 'stuck')).blocks);
  for (const place of places)
    await until(`the answerer in ${place}`, async () =>
      (await saysIn(place)).includes('Mira Lind is replying'),
    );
  const claimed = await cardIn(world, TRIAGE, 'stuck (Waiting)');
  await opened(world, 'sam', 'reply_to_requester', () => press(world, 'sam', claimed, 'card_reply'));
  await until('a word to who comes second', async () =>
    JSON.stringify(await world.chat.modal('sam')).includes('*Mira Lind* is replying right now'),
  );
  // After she has sent it, nobody is replying.
  await chat.post('submit-view', { user: 'mira', values: { reply: { reply: 'Pull, it opens.' } } });
  for (const place of places)
    await until(`nobody replying in ${place}`, async () => !(await saysIn(place)).includes('is replying'));

  // A user who does not send counts as answering for two minutes.
  await press(world, 'mira', await cardIn(world, TRIAGE, 'stuck (Waiting)'), 'card_reply');
  for (const place of places)
    await until(`the answerer in ${place}`, async () =>
      (await saysIn(place)).includes('Mira Lind is replying'),
    );
  // Both cards are posted at the end of her claim, which the test brings forward.
  await world.untilIdle();
  const database = new pg.Client({ connectionString: world.environment.DATABASE_URL ?? '' });
  await database.connect();
  await database.query(`update service.ticket set claim_until = now() - interval '1 second' where id = $1`, [
    ticketId,
  ]);
  await database.query(`update bridge.card set claimed_until = now() where claimed_until is not null`);
  await database.end();
  for (const place of places)
    await until(`nobody replying in ${place}`, async () => !(await saysIn(place)).includes('is replying'));
});

/** What would ping or link somebody, were it not only words: in titles, texts and people's names. */
const LOUD = ['@here printer is dead', '@channel and #general are down', '@it-team <!here> <!channel>'];

test('B19 B24 words that look like a ping are words on every card, notice, list and reply, and on the Home', async () => {
  const { chat, service } = world;
  const { channels } = await chat.state();
  await chat.post('user-group', { user: 'mira', handle: 'it-team', name: 'IT', users: ['mira'] });
  await chat.post('add-person', { name: 'loud', firstName: '@here', lastName: '@channel' });
  await chat.post('join', { channel: CHANNEL, user: 'loud' });
  const { items: users } = await service.listUsers({ query: { limit: 200 } });
  const idOf = (name: string) => users.find(({ email }) => email === `${name}@acme.example`)?.id ?? '';
  const [first = ''] = LOUD;
  for (const words of LOUD) {
    const { ticketId } = await open(world, 'loud', 'quiet words');
    await service.updateTicket({
      params: { id: ticketId },
      body: {
        data: {
          title: words,
          description: words,
          assigneeId: idOf('sam'),
          approvers: [{ id: idOf('ben') }],
        },
      },
    });
    for (const isPrivate of [false, true])
      await service.createTicketMessage({
        body: {
          ticketId,
          content: words,
          private: isPrivate,
          authorId: idOf('mira'),
        },
      });
  }
  for (const command of ['list', 'search printer is dead', `search ${first}`, 'show #1', `new ${first}`])
    await chat.command(CHANNEL, 'loud', command);
  await chat.post('open-home', { user: 'loud' });
  await chat.post('open-home', { user: 'sam' });
  await world.untilIdle();

  const places = [CHANNEL, TRIAGE, '@deskbridge'];
  const shown: unknown[] = [];
  for (const person of ['loud', 'sam', 'ben', 'mira'])
    for (const place of places) {
      if (place === TRIAGE && person === 'loud') continue;
      const seen = await chat.messages(place, person);
      shown.push(...seen.filter(({ bot_id: bot }) => bot !== undefined));
    }
  for (const person of ['loud', 'sam']) shown.push(await chat.read(`views/${person}`));
  const all = JSON.stringify(shown);
  for (const words of LOUD) expect(all).toContain(JSON.stringify(words).slice(1, -1));
  expect(all).toContain('@here @channel');
  expect(pingsIn(shown, channels['general'] ?? '')).toEqual([]);
});

/** The mentions of all, of groups and of a channel, in messages and views as Slack keeps them. */
function pingsIn(shown: unknown, channelId: string): unknown[] {
  if (typeof shown !== 'object' || shown === null) return [];
  if (Array.isArray(shown)) return shown.flatMap((one) => pingsIn(one, channelId));
  const { type, text, ...others } = shown as { type?: unknown; text?: unknown; channel_id?: unknown };
  if (type === 'broadcast' || type === 'usergroup') return [shown];
  if (type === 'channel' && others.channel_id === channelId) return [shown];
  // Their characters are only characters; every other text is mrkdwn.
  if (type === 'plain_text' || type === 'text' || type === 'link') return [];
  const tokens = typeof text === 'string' ? (text.match(/<[!#][^<>]*>/g) ?? []) : [];
  const inside = Object.values(others).flatMap((one) => pingsIn(one, channelId));
  // Dates in each reader's own time zone look alike.
  return [...tokens.filter((token) => !token.startsWith('<!date')), ...pingsIn(text, channelId), ...inside];
}
