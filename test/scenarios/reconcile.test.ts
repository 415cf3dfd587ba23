import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { METHODS } from '../../src/bridge/slack/methods.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { PIXEL } from '../harness/picture.ts';
import { makeDue } from '../harness/make-due.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const EVERY = { RECONCILE_EVERY_SECONDS: '2', CHAT_READS_PER_MINUTE: '6000' };
const world = sharedWorld(EVERY);

async function open(world: World, text: string): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> ${text}`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id };
}

/** The texts of a ticket's messages, in order; deleted ones are empty. */
async function said(world: World, ticketId: string): Promise<string[]> {
  const { items } = await world.service.listTicketMessages({ query: { ticketId } });
  return items.map(({ content }) => content);
}

/** Changes chat while its events are dropped; then restores the connection. */
async function explainUnknown(world: World, work: () => Promise<void>): Promise<void> {
  const { chat } = world;
  await chat.post('faults', { events: [{ kind: 'drop', times: null }] });
  await work();
  await chat.post('faults', { clear: true });
  await chat.post('disconnect', { reason: 'cut' });
}

// Its waits are a minute each, for a busy machine.
describe('B50 missed changes are found', () => {
  test('B50 replies, edits, deletions and reactions without events reach the ticket, in order and once', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world, 'the printer burns');
    const edited = await chat.say(CHANNEL, 'ada', 'it is on floor tree', root);
    const removed = await chat.say(CHANNEL, 'ada', 'wrong thread', root);
    await chat.react(CHANNEL, 'ben', edited.ts, 'eyeglasses');
    await world.untilIdle();
    const emoji = async () =>
      (await service.listTicketMessages({ query: { ticketId: id } })).items[0]?.reactions.map(
        (one) => one.emoji,
      );
    expect(await emoji()).toEqual(['eyeglasses']);
    await explainUnknown(world, async () => {
      await chat.say(CHANNEL, 'ada', 'now it smokes', root);
      await chat.edit(CHANNEL, 'ada', edited.ts, 'it is on floor three');
      await chat.remove(CHANNEL, 'ada', removed.ts);
      await chat.say(CHANNEL, 'ben', 'I see it too', root);
      await chat.edit(CHANNEL, 'ada', root, 'the printer on floor three burns');
      await chat.react(CHANNEL, 'ben', edited.ts, 'eyeglasses', false);
      await chat.react(CHANNEL, 'ben', edited.ts, 'fire');
    });
    await until(
      'everything to be on the ticket',
      async () =>
        (await said(world, id)).join('|') === 'it is on floor three||now it smokes|I see it too' &&
        (await world.service.readTicket({ params: { id } })).description?.includes('on floor three burns'),
      { seen: () => said(world, id) },
    );
    await world.untilIdle();
    expect(await said(world, id)).toEqual(['it is on floor three', '', 'now it smokes', 'I see it too']);
    await until('the reactions', async () => (await emoji())?.join() === 'fire', { seen: emoji });
  });

  test('B50 a file that was deleted without an event is deleted from the ticket, too', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world, 'the plan is wrong');
    const { message } = await chat.post<{ message: { files: { id: string }[] } }>('upload', {
      channel: CHANNEL,
      user: 'ada',
      text: 'this plan',
      thread_ts: root,
      files: [{ name: 'plan.png', content: PIXEL.toString('base64') }],
    });
    const names = async () =>
      (await service.listTicketMessages({ query: { ticketId: id } })).items[0]?.files?.map(
        ({ name }) => name,
      );
    await until('the file on the ticket', async () => (await names())?.join() === 'plan.png', {
      seen: names,
    });
    await world.untilIdle();
    await explainUnknown(world, async () => {
      await chat.post('delete-file', { user: 'ada', file: message.files[0]?.id });
    });
    await until('the file to go', async () => (await names())?.length === 0, { seen: names });
    await world.untilIdle();
  });

  test('B50 reactions without events are found also while the thread has other work', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world, 'the lift is stuck');
    const message = await chat.say(CHANNEL, 'ada', 'on floor two', root);
    await world.untilIdle();
    const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
    await database.connect();
    onTestFinished(() => database.end());
    const { rows: work } = await database.query<{ id: string }>(
      `insert into bridge.work (lane, kind, body, added_at, not_before)
        select 'conversation:' || id, 'mirror', json_build_object('ticket', ticket_id), now(), now() + interval '1 day'
        from bridge.conversation where thread_ts = $1 returning id`,
      [root],
    );
    await explainUnknown(world, async () => chat.react(CHANNEL, 'ben', message.ts, 'fire'));
    await until('the thread to be put off for its other work', async () => {
      const { rows } = await database.query(
        `select from bridge.work where kind = 'reconcile' and error like '%other work in the thread'`,
      );
      return rows.length > 0;
    });
    expect(await makeDue(database, 'id = $1', [work[0]?.id])).toBe(1);
    const emoji = async () =>
      (await service.listTicketMessages({ query: { ticketId: id } })).items[0]?.reactions.map(
        (one) => one.emoji,
      );
    await until('the reaction', async () => (await emoji())?.join() === 'fire', { seen: emoji });
  });

  test('B12 of two edits within one second the newer one is on the ticket, whichever event comes first, and also if its event never comes', async () => {
    const world = await startWorld(EVERY);
    const { chat } = world;
    const { root, id } = await open(world, 'a second is long');
    await chat.post('clock', { speed: 0 });
    const reordered = await chat.say(CHANNEL, 'ada', 'one', root);
    const lost = await chat.say(CHANNEL, 'ada', 'uno', root);
    await world.untilIdle();
    await chat.post('faults', { events: [{ kind: 'reorder', event: 'message', times: 2, window: 2 }] });
    await chat.edit(CHANNEL, 'ada', reordered.ts, 'two');
    await chat.edit(CHANNEL, 'ada', reordered.ts, 'three');
    // The held event, with another message in between, is delivered now.
    await chat.post('faults', { clear: true });
    await chat.edit(CHANNEL, 'ada', lost.ts, 'due');
    await until('the edits', async () => (await said(world, id)).join() === 'three,due', {
      seen: () => said(world, id),
    });
    await explainUnknown(world, async () => chat.edit(CHANNEL, 'ada', lost.ts, 'tre'));
    await until('the edit without an event', async () => (await said(world, id)).join() === 'three,tre', {
      seen: () => said(world, id),
    });
    await world.untilIdle();
    expect(await said(world, id)).toEqual(['three', 'tre']);
  });

  test('B50 with none of the optional methods, a lost mention in a linked channel is found, and both sides are told; each is said once and the doctor names it', async () => {
    const { chat, service } = world;
    const { bot } = await chat.state();
    await open(world, 'not everything is offered');
    const from = world.log.length;
    const optional = Object.keys(METHODS).filter((method) => METHODS[method]?.required === false);
    await chat.post('faults', {
      faults: optional.map((method) => ({ method, kind: 'http_error', status: 404, times: null })),
    });
    const warnings = () =>
      world.log
        .slice(from)
        .filter(({ event, method }) => event === 'chat.method_missing' && method === 'users.conversations');
    await until('the warning', async () => warnings().length > 0);
    await chat.post('faults', { events: [{ kind: 'drop', times: null }] });
    const { ts } = await chat.say(CHANNEL, 'ben', `<@${bot}> nobody has heard this`);
    const ticket = await ticketAt(service, ts);
    expect(ticket.title).toBe('nobody has heard this');
    await service.createTicketMessage({ body: { ticketId: ticket.id, content: 'but it was answered' } });
    await until('the answer', async () =>
      (await chat.thread(CHANNEL, ts)).some(({ text }) => text === 'but it was answered'),
    );
    await world.untilBridgeIdle();
    const { out } = await runCommand(['doctor'], world.environment);
    expect(out).toMatch(
      /chat\.methods +Slack does not offer users\.conversations \(HTTP 404\): lost messages are only looked for in linked channels/,
    );
    expect(out).toContain('No dead letters.');
    expect(warnings()).toHaveLength(1);
    await chat.post('faults', { clear: true });
    await world.logLine(
      ({ event, method }) => event === 'chat.method_offered' && method === 'users.conversations',
    );
    await world.untilIdle();
  });

  test('B50 a mention, a mention in an old thread and a 🎫 without events open their tickets', async () => {
    const { chat, service } = world;
    const { bot } = await chat.state();
    await open(world, 'so that the channel is known');
    const old = await chat.say(CHANNEL, 'ben', 'does anybody know how to book a room?');
    const reacted = await chat.say(CHANNEL, 'ben', 'my badge does not open the gate');
    await world.untilIdle();
    const mentions: string[] = [];
    await explainUnknown(world, async () => {
      mentions.push((await chat.say(CHANNEL, 'ada', `<@${bot}> the coffee machine leaks`)).ts);
      await chat.say(CHANNEL, 'ada', `<@${bot}> please help him`, old.ts);
      await chat.react(CHANNEL, 'ada', reacted.ts, 'ticket');
    });
    for (const ts of [...mentions, old.ts, reacted.ts]) await ticketAt(service, ts);
    await world.untilIdle();
    expect((await service.listTickets({ query: { chatMessageTs: old.ts } })).items).toHaveLength(1);
  });

  test('B50 ticket messages without webhook events are posted in order, and the card is updated', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world, 'the lift is stuck');
    const { items } = await service.listWebhooks({});
    const hook = items.find(({ url }) => url.includes('/webhooks/service'));
    await service.updateWebhook({ params: { id: hook?.id ?? '' }, body: { active: false } });
    for (const text of ['one', 'two', 'three'])
      await service.createTicketMessage({ body: { ticketId: id, content: text } });
    await service.updateTicket({ params: { id }, body: { data: { title: 'The lift is stuck on 3' } } });
    const posted = async () =>
      (await chat.thread(CHANNEL, root)).filter(({ text }) => ['one', 'two', 'three'].includes(text));
    await until('the posts', async () => (await posted()).length === 3);
    expect((await posted()).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    await until(
      'the webhook to be put right',
      async () => (await service.readWebhook({ params: { id: hook?.id ?? '' } })).active,
    );
    await until('the card', async () =>
      JSON.stringify(await chat.thread(CHANNEL, root)).includes('stuck on 3'),
    );
  });
});

test('an event without a signature is rejected if the webhook was registered with a secret', async () => {
  const { items } = await world.service.listWebhooks({});
  const hook = items.find(({ url }) => url.includes('/webhooks/service'));
  const post = async (headers: Record<string, string>) => {
    const answer = await fetch(hook?.url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ type: 'Ticket', id: 'tkt_planted' }),
    });
    return [answer.status, ((await answer.json()) as { message?: string }).message];
  };
  expect(await post({})).toEqual([401, expect.stringContaining('webhook-signature is missing')]);
  expect(await post({ 'webhook-id': 'evt_1', 'x-signature': 'of its own' })).toEqual([
    401,
    expect.stringContaining('webhook-signature is missing'),
  ]);
});
