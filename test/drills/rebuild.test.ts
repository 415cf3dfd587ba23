import pg from 'pg';
import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { PIXEL, servePicture } from '../harness/picture.ts';
import { until } from '../harness/until.ts';
import { runCli, startProcess } from '../harness/world.ts';

const CHANNEL = 'it-help';

test('B50 after the bridge’s tables are lost, rebuild restores the links: nothing is doubled, and the conversations continue', async () => {
  const world = await startProcess({ RECONCILE_EVERY_SECONDS: '2', CHAT_READS_PER_MINUTE: '6000' });
  const { chat, service, environment } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> my chair squeaks`);
  const { id } = await ticketAt(service, root);
  const edited = await chat.say(CHANNEL, 'ada', 'it squeaks a lott', root);
  const removed = await chat.say(CHANNEL, 'ada', 'oops', root);
  const long = Array.from({ length: 30 }, (_, n) => `Step ${n}: ${'oil it well '.repeat(25)}`).join('\n\n');
  const steps = await service.createTicketMessage({ body: { ticketId: id, content: long } });
  const answer = await service.createTicketMessage({ body: { ticketId: id, content: 'which chair?' } });
  const drawn = `this one? ![A chair](${await servePicture(world, PIXEL)})`;
  const drawing = await service.createTicketMessage({ body: { ticketId: id, content: drawn } });
  await world.untilIdle();
  await chat.edit(CHANNEL, 'ada', edited.ts, 'it squeaks a lot');
  await chat.remove(CHANNEL, 'ada', removed.ts);
  await service.updateTicketMessage({ params: { id: answer.id }, body: { content: 'which chair is it?' } });
  // A private ticket in its own channel (B11), and one in a direct conversation (B8): top-level messages of
  // either belong to it.
  const first = await chat.say(CHANNEL, 'ben', 'somebody reads my mail');
  const early = await chat.say(CHANNEL, 'ada', 'oh dear', first.ts);
  await chat.react(CHANNEL, 'ada', first.ts, 'shushing_face');
  const aside = await ticketAt(service, first.ts);
  await world.untilIdle();
  const room = `${aside.code.toLowerCase()}-private`;
  const inRoom = await chat.say(room, 'ben', 'since Mondey');
  const badge = await chat.say('@deskbridge', 'ada', 'my badge is lost');
  const bag = await chat.say('@deskbridge', 'ada', 'it was in my bag');
  await world.untilIdle();
  await chat.react(CHANNEL, 'ada', edited.ts, 'heart');
  const ada = (await service.listUsers({ query: { email: 'ada@acme.example' } })).items[0]?.id ?? '';
  await service.addReaction({ params: { id: answer.id }, body: { emoji: 'tada', authorId: ada } });
  // B37 Two tickets by form: one in a thread that the bot started, one on a message whose text was changed
  // in the form.
  const certificate = (await service.listForms({ query: {} })).items.find(
    ({ name }) => name === 'Employment letter',
  );
  const fill = async (user: string, values: Record<string, Record<string, string>>) => {
    const asks = (block: string) =>
      until(`the form to ask ${block}`, async () => {
        const view = await chat.modal(user);
        return view?.blocks.some(({ block_id }) => block_id === block) ? view : undefined;
      });
    const kind = { blockId: 'ask:type', actionId: 'form_type', value: certificate?.id };
    await chat.post('interact', { user, viewId: (await asks('ask:type')).id, action: kind });
    await asks('ask:title');
    await chat.post('submit-view', { user, values });
    await world.untilIdle();
  };
  await chat.command('people-help', 'ben', 'new');
  await fill('ben', { 'ask:title': { form_value: 'One for my bank' } });
  const slip = await chat.say('people-help', 'ada', 'what is line 7?');
  const onMessage = { callbackId: 'fill_form', channel: 'people-help', messageTs: slip.ts };
  await chat.post('shortcut', { user: 'ada', ...onMessage });
  await fill('ada', { 'ask:description': { form_value: 'Line 7 says 12 €' } });
  const begun = (await chat.messages('people-help')).find(({ text }) => text === 'One for my bank');
  const byForm = await ticketAt(service, begun?.ts ?? '');
  expect(byForm.chatThreads.map(({ messageTs }) => messageTs)).toEqual([begun?.ts]);
  const aboutSlip = await ticketAt(service, slip.ts);
  const before = { thread: await shown(), ticket: await said(), cards: await cards() };
  const linked = await linksOf(environment);
  expect(before.cards).toHaveLength(2);
  const botIn = async (channel: string) =>
    (await chat.messages(channel, channel === room ? 'ben' : 'ada')).filter(({ bot_id }) => bot_id);
  const botBefore = [(await botIn(room)).length, (await botIn('@deskbridge')).length];
  expect(before.thread.length).toBeGreaterThan(5);

  await world.stop();
  const database = new pg.Client({ connectionString: environment.DATABASE_URL ?? '' });
  await database.connect();
  await database.query('drop schema bridge cascade');
  await database.end();
  // Only chat and service run, so that no bridge works on the empty tables.
  const others = [await startProcess(environment, ['sandbox']), await startProcess(environment, ['service'])];
  const { code, out, err } = await runCli(['rebuild'], environment);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/\d+ threads, \d+ messages and \d+ cards restored/);
  expect(await linksOf(environment)).toEqual(linked);
  for (const other of others) await other.stop();
  await world.restart();
  const compared = await runCli(['reconcile'], environment);
  expect([compared.code, compared.err]).toEqual([0, '']);
  await world.untilIdle();
  expect({ thread: await shown(), ticket: await said(), cards: await cards() }).toEqual(before);
  expect(await linksOf(environment)).toEqual(linked);

  const contentsOf = async (ticketId: string) =>
    (await service.listTicketMessages({ query: { ticketId } })).items.map(({ content }) => content);
  // B37 Replies to a form's first message belong to its ticket, and the text of a form is not overwritten.
  await chat.say('people-help', 'ben', 'the one from May', begun?.ts);
  await chat.edit('people-help', 'ada', slip.ts, 'what is line 8?');
  await world.untilIdle();
  expect(await contentsOf(byForm.id)).toEqual(['the one from May']);
  expect(await contentsOf(aboutSlip.id)).toEqual(['what is line 8?']);
  expect((await service.readTicket({ params: { id: aboutSlip.id } })).description).toBe('Line 7 says 12 €');

  // B8 B11 edits of messages outside of threads reach their ticket, and no message is added again.
  await chat.edit(room, 'ben', inRoom.ts, 'since Monday');
  await chat.edit(CHANNEL, 'ada', early.ts, 'oh dear me');
  await chat.edit('@deskbridge', 'ada', bag.ts, 'it was in my red bag');
  await chat.say(room, 'ben', 'and today');
  await service.createTicketMessage({ body: { ticketId: aside.id, content: 'we look at it' } });
  await world.untilIdle();
  expect(await contentsOf(aside.id)).toEqual(['oh dear me', 'since Monday', 'and today', 'we look at it']);
  const lost = (await service.listTickets({ query: { chatMessageTs: badge.ts } })).items[0];
  expect(await contentsOf(lost?.id ?? '')).toEqual(['it was in my red bag']);
  expect([(await botIn(room)).length, (await botIn('@deskbridge')).length]).toEqual([
    (botBefore[0] ?? 0) + 1,
    botBefore[1],
  ]);

  // Both copies of the card are updated in place (B24, B31).
  await service.updateTicket({ params: { id }, body: { data: { title: 'A red chair squeaks' } } });
  await world.untilIdle();
  const followed = await cards();
  expect(followed.map(({ ts }) => ts)).toEqual(before.cards.map(({ ts }) => ts));
  expect(followed.every(({ text }) => text.includes('A red chair squeaks'))).toBe(true);

  // Every kind of change still finds its counterpart.
  await chat.say(CHANNEL, 'ada', 'the red one', root);
  await chat.edit(CHANNEL, 'ada', edited.ts, 'it squeaks a bit');
  await service.updateTicketMessage({ params: { id: steps.id }, body: { content: 'never mind' } });
  await world.untilIdle();
  expect(await said()).toEqual([
    'it squeaks a bit',
    '',
    'never mind',
    'which chair is it?',
    drawn,
    'the red one',
  ]);
  const texts = (await chat.thread(CHANNEL, root)).map(({ text }) => text);
  expect(texts.filter((text) => text.startsWith('Step'))).toEqual([]);
  expect(texts.filter((text) => text === 'never mind')).toHaveLength(1);
  // B18 the file is still part of its ticket message: it changes and is deleted with it.
  const filesThere = async () => (await chat.thread(CHANNEL, root)).flatMap(({ files = [] }) => files);
  expect(await filesThere()).toHaveLength(1);
  const drawnAnew = { content: `${drawn}, or not` };
  await service.updateTicketMessage({ params: { id: drawing.id }, body: drawnAnew });
  await world.untilIdle();
  expect((await filesThere()).map(({ title }) => title)).toEqual(['A chair']);
  await service.deleteTicketMessage({ params: { id: drawing.id } });
  await world.untilIdle();
  expect(await filesThere()).toEqual([]);

  /** B24 every copy of the ticket's card with its text. */
  async function cards(): Promise<{ ts: string; text: string }[]> {
    const all = [...(await chat.messages(CHANNEL)), ...(await chat.messages('it-triage'))];
    return all
      .filter(({ metadata }) => metadata?.event_payload['card'] === id)
      .map(({ ts, text }) => ({ ts, text }));
  }

  async function shown(): Promise<unknown[]> {
    return (await chat.thread(CHANNEL, root)).map(({ ts, user, username, text, reactions }) => [
      ts,
      user ?? username,
      text,
      reactions,
    ]);
  }

  async function said(): Promise<string[]> {
    return (await service.listTicketMessages({ query: { ticketId: id } })).items.map(
      ({ content }) => content,
    );
  }
});

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
