import pg from 'pg';
import { expect, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { PIXEL, servePicture } from '../harness/picture.ts';
import { until } from '../harness/until.ts';
import { type ProcessWorld, runCli, startProcess, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';

/** What was there before the tables were lost. */
interface Before {
  /** A ticket whose thread has edits, a deletion, a long reply, an edited one and one with a picture. */
  chair: { id: string; root: string; edited: string; steps: string; drawing: string; drawn: string };
  /** A private ticket in its own channel, and one in direct messages: their top-level messages belong to them. */
  own: { id: string; channel: string; early: string; inChannel: string; badge: string; bag: string };
  /** Two tickets by form: one in a thread that the bot started, one on a message whose text was changed in the form. */
  forms: { letter: string; letterRoot: string; slip: string; slipRoot: string };
}

test('B50 after the bridge’s tables are lost, rebuild restores the links: nothing is doubled, and the conversations continue', async () => {
  const world = await startProcess({ RECONCILE_EVERY_SECONDS: '2', CHAT_READS_PER_MINUTE: '6000' });
  const before: Before = {
    chair: await threadWithEdits(world),
    own: await ticketsOutsideOfThreads(world),
    forms: await ticketsByForm(world),
  };
  const seen = await seenOf(world, before);
  expect(seen.cards).toHaveLength(2);
  expect(seen.thread.length).toBeGreaterThan(5);
  const links = await linksOf(world.environment);

  await loseTables(world);
  await rebuild(world, links);
  expect(await seenOf(world, before)).toEqual(seen);
  expect(await linksOf(world.environment)).toEqual(links);

  await formsContinue(world, before.forms);
  await conversationsOutsideOfThreadsContinue(world, before.own);
  await cardsAreUpdatedInPlace(world, before.chair.id, seen.cards);
  await everyChangeFindsItsCounterpart(world, before.chair);
});

async function threadWithEdits(world: World): Promise<Before['chair']> {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> my chair squeaks`);
  const { id } = await ticketAt(service, root);
  const edited = await chat.say(CHANNEL, 'ada', 'it squeaks a lott', root);
  const removed = await chat.say(CHANNEL, 'ada', 'oops', root);
  const long = Array.from({ length: 30 }, (_, n) => `Step ${n}: ${'oil it well '.repeat(25)}`).join('\n\n');
  const drawn = `this one? ![A chair](${await servePicture(world, PIXEL)})`;
  const [steps, question, drawing] = [
    await service.createTicketMessage({ body: { ticketId: id, content: long } }),
    await service.createTicketMessage({ body: { ticketId: id, content: 'which chair?' } }),
    await service.createTicketMessage({ body: { ticketId: id, content: drawn } }),
  ];
  await world.untilIdle();
  await chat.edit(CHANNEL, 'ada', edited.ts, 'it squeaks a lot');
  await chat.remove(CHANNEL, 'ada', removed.ts);
  await service.updateTicketMessage({ params: { id: question.id }, body: { content: 'which chair is it?' } });
  await world.untilIdle();
  await chat.react(CHANNEL, 'ada', edited.ts, 'heart');
  const ada = (await service.listUsers({ query: { email: 'ada@acme.example' } })).items[0]?.id ?? '';
  await service.addReaction({ params: { id: question.id }, body: { emoji: 'tada', authorId: ada } });
  return { id, root, edited: edited.ts, steps: steps.id, drawing: drawing.id, drawn };
}

/** B8 B11 */
async function ticketsOutsideOfThreads(world: World): Promise<Before['own']> {
  const { chat, service } = world;
  const first = await chat.say(CHANNEL, 'ben', 'somebody reads my mail');
  const early = await chat.say(CHANNEL, 'ada', 'oh dear', first.ts);
  await chat.react(CHANNEL, 'ada', first.ts, 'shushing_face');
  const { id, code } = await ticketAt(service, first.ts);
  await world.untilIdle();
  const channel = `${code.toLowerCase()}-private`;
  const inChannel = await chat.say(channel, 'ben', 'since Mondey');
  const badge = await chat.say('@deskbridge', 'ada', 'my badge is lost');
  const bag = await chat.say('@deskbridge', 'ada', 'it was in my bag');
  await world.untilIdle();
  return { id, channel, early: early.ts, inChannel: inChannel.ts, badge: badge.ts, bag: bag.ts };
}

/** B37 */
async function ticketsByForm(world: World): Promise<Before['forms']> {
  const { chat, service } = world;
  const { items: forms } = await service.listForms({ query: {} });
  const certificate = forms.find(({ name }) => name === 'Employment letter');
  const fill = async (
    user: string,
    begin: () => Promise<unknown>,
    values: Record<string, Record<string, string>>,
  ) => {
    const asks = (block: string) =>
      until(`the form to ask ${block}`, async () => {
        const view = await chat.modal(user);
        return view?.blocks.some(({ block_id }) => block_id === block) ? view : undefined;
      });
    const kind = { blockId: 'ask:type', actionId: 'form_type', value: certificate?.id };
    const { id: viewId } = await chat.withHeldClock(async () => {
      await begin();
      return asks('ask:type');
    });
    await chat.post('interact', { user, viewId, action: kind });
    await asks('ask:title');
    await chat.post('submit-view', { user, values });
    await world.untilIdle();
  };
  await fill('ben', () => chat.command('people-help', 'ben', 'new'), {
    'ask:title': { form_value: 'One for my bank' },
  });
  const slip = await chat.say('people-help', 'ada', 'what is line 7?');
  const onMessage = { callbackId: 'fill_form', channel: 'people-help', messageTs: slip.ts };
  await fill('ada', () => chat.post('shortcut', { user: 'ada', ...onMessage }), {
    'ask:description': { form_value: 'Line 7 says 12 €' },
  });
  const root = (await chat.messages('people-help')).find(({ text }) => text === 'One for my bank')?.ts ?? '';
  const letter = await ticketAt(service, root);
  expect(letter.chatThreads.map(({ messageTs }) => messageTs)).toEqual([root]);
  const aboutSlip = await ticketAt(service, slip.ts);
  return { letter: letter.id, letterRoot: root, slip: aboutSlip.id, slipRoot: slip.ts };
}

/** What people see of the ticket about the chair, and how often the bot wrote in the conversations outside of threads. */
async function seenOf(world: World, { chair, own }: Before) {
  const { chat, service } = world;
  const thread = (await chat.thread(CHANNEL, chair.root)).map(({ ts, user, username, text, reactions }) => [
    ts,
    user ?? username,
    text,
    reactions,
  ]);
  return {
    thread,
    ticket: await contentsOf(service, chair.id),
    cards: await cardsOf(chat, chair.id),
    botMessages: await botMessages(chat, own.channel),
  };
}

/** B24 Every copy of a ticket's card with its text. */
async function cardsOf(chat: World['chat'], id: string): Promise<{ ts: string; text: string }[]> {
  const all = [...(await chat.messages(CHANNEL)), ...(await chat.messages('it-triage'))];
  return all
    .filter(({ metadata }) => metadata?.event_payload['card'] === id)
    .map(({ ts, text }) => ({ ts, text }));
}

async function contentsOf(service: World['service'], ticketId: string): Promise<string[]> {
  return (await service.listTicketMessages({ query: { ticketId } })).items.map(({ content }) => content);
}

async function botMessages(chat: World['chat'], channel: string) {
  const isBots = ({ bot_id }: SeenMessage) => Boolean(bot_id);
  return {
    inChannel: (await chat.messages(channel, 'ben')).filter(isBots).length,
    direct: (await chat.messages('@deskbridge', 'ada')).filter(isBots).length,
  };
}

async function loseTables(world: ProcessWorld): Promise<void> {
  await world.stop();
  const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] ?? '' });
  await database.connect();
  await database.query('drop schema bridge cascade');
  await database.end();
}

/** Rebuilds, expects the links of before, and starts everything again. */
async function rebuild(world: ProcessWorld, links: Awaited<ReturnType<typeof linksOf>>): Promise<void> {
  const { environment } = world;
  // Only chat and service run, so that no bridge works on the empty tables.
  const others = [await startProcess(environment, ['sandbox']), await startProcess(environment, ['service'])];
  const { code, out, err } = await runCli(['rebuild'], environment);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/\d+ threads, \d+ messages and \d+ cards restored/);
  expect(await linksOf(environment)).toEqual(links);
  for (const other of others) await other.stop();
  await world.restart();
  const compared = await runCli(['reconcile'], environment);
  expect([compared.code, compared.err]).toEqual([0, '']);
  await world.untilIdle();
}

/** B37 Replies to a form's first message belong to its ticket, and the text of a form is not overwritten. */
async function formsContinue(world: World, forms: Before['forms']): Promise<void> {
  const { chat, service } = world;
  await chat.say('people-help', 'ben', 'the one from May', forms.letterRoot);
  await chat.edit('people-help', 'ada', forms.slipRoot, 'what is line 8?');
  await world.untilIdle();
  expect(await contentsOf(service, forms.letter)).toEqual(['the one from May']);
  expect(await contentsOf(service, forms.slip)).toEqual(['what is line 8?']);
  const { description } = await service.readTicket({ params: { id: forms.slip } });
  expect(description).toBe('Line 7 says 12 €');
}

/** B8 B11 Edits of messages outside of threads reach their ticket, and no message is added again. */
async function conversationsOutsideOfThreadsContinue(world: World, own: Before['own']): Promise<void> {
  const { chat, service } = world;
  const before = await botMessages(chat, own.channel);
  await chat.edit(own.channel, 'ben', own.inChannel, 'since Monday');
  await chat.edit(CHANNEL, 'ada', own.early, 'oh dear me');
  await chat.edit('@deskbridge', 'ada', own.bag, 'it was in my red bag');
  await chat.say(own.channel, 'ben', 'and today');
  await service.createTicketMessage({ body: { ticketId: own.id, content: 'we look at it' } });
  await world.untilIdle();
  expect(await contentsOf(service, own.id)).toEqual([
    'oh dear me',
    'since Monday',
    'and today',
    'we look at it',
  ]);
  const lost = (await service.listTickets({ query: { chatMessageTs: own.badge } })).items[0];
  expect(await contentsOf(service, lost?.id ?? '')).toEqual(['it was in my red bag']);
  expect(await botMessages(chat, own.channel)).toEqual({ ...before, inChannel: before.inChannel + 1 });
}

/** B24 B31 */
async function cardsAreUpdatedInPlace(
  world: World,
  id: string,
  before: readonly { ts: string }[],
): Promise<void> {
  await world.service.updateTicket({ params: { id }, body: { data: { title: 'A red chair squeaks' } } });
  await world.untilIdle();
  const after = await cardsOf(world.chat, id);
  expect(after.map(({ ts }) => ts)).toEqual(before.map(({ ts }) => ts));
  expect(after.every(({ text }) => text.includes('A red chair squeaks'))).toBe(true);
}

/** Replies, edits and, with its file, a message that is changed and deleted (B18). */
async function everyChangeFindsItsCounterpart(world: World, chair: Before['chair']): Promise<void> {
  const { chat, service } = world;
  await chat.say(CHANNEL, 'ada', 'the red one', chair.root);
  await chat.edit(CHANNEL, 'ada', chair.edited, 'it squeaks a bit');
  await service.updateTicketMessage({ params: { id: chair.steps }, body: { content: 'never mind' } });
  await world.untilIdle();
  expect(await contentsOf(service, chair.id)).toEqual([
    'it squeaks a bit',
    '',
    'never mind',
    'which chair is it?',
    chair.drawn,
    'the red one',
  ]);
  const texts = (await chat.thread(CHANNEL, chair.root)).map(({ text }) => text);
  expect(texts.filter((text) => text.startsWith('Step'))).toEqual([]);
  expect(texts.filter((text) => text === 'never mind')).toHaveLength(1);

  const filesThere = async () => (await chat.thread(CHANNEL, chair.root)).flatMap(({ files = [] }) => files);
  expect(await filesThere()).toHaveLength(1);
  const drawnAnew = { content: `${chair.drawn}, or not` };
  await service.updateTicketMessage({ params: { id: chair.drawing }, body: drawnAnew });
  await world.untilIdle();
  expect((await filesThere()).map(({ title }) => title)).toEqual(['A chair']);
  await service.deleteTicketMessage({ params: { id: chair.drawing } });
  await world.untilIdle();
  expect(await filesThere()).toEqual([]);
}

/**
 * The bridge's links between threads, tickets and messages, row by row, with names instead of its own ids.
 */
const LINKS: Record<string, string> = {
  // Not restored: whether the title of a ticket with a relocated thread still follows its first message.
  conversation: `select channel_id, thread_ts, ticket_id, role, direct, private_channel, recipient_user_id, description_ts,
      case when not private_channel then title end as title
    from conversation where ticket_id is not null`,
  former_thread: `select c.ticket_id, f.channel_id, f.thread_ts from former_thread f join conversation c on c.id = f.conversation_id`,
  message_link: `select c.ticket_id, c.role, l.ticket_message_id, l.kind, l.part, l.channel_id, l.ts, l.origin, l.deleted
    from message_link l join conversation c on c.id = l.conversation_id`,
  upload: `select l.ticket_message_id, l.part, u.file_id, u.url from upload u join message_link l on l.id = u.link_id`,
  card: `select c.ticket_id, c.role, k.channel_id, k.ts from card k join conversation c on c.id = k.conversation_id`,
  bot_reaction: `select c.ticket_id, b.ticket_message_id, b.emoji, b.wanted
    from bot_reaction b join conversation c on c.id = b.conversation_id where b.shown`,
  chat_reaction: `select channel_id, ts, chat_user_id, name, user_id from chat_reaction where present and user_id is not null`,
};

async function linksOf(environment: Record<string, string>): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await client.connect();
  try {
    await client.query('set search_path = bridge');
    const found: Record<string, string[]> = {};
    for (const [table, query] of Object.entries(LINKS)) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from (${query}) t order by 1`,
      );
      found[table] = rows.map(({ row }) => row);
    }
    return found;
  } finally {
    await client.end();
  }
}
