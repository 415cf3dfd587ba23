import pg from 'pg';
import { describe, expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const PARTNER = 'T0PARTNER';

// Nothing is compared in this time: changes only arrive by their events.
const world = sharedWorld({ RECONCILE_EVERY_SECONDS: '3600', CHAT_WAITING_SECONDS: '1' });

/** Shares the channel with another organisation, as host or guest, and adds their user Vera. */
async function shareChannel(hostedByThem: boolean): Promise<void> {
  const { chat } = world;
  await chat.post('share', { channel: CHANNEL, with: PARTNER, hostedByThem });
  const { users } = await chat.read<{ users: { name: string }[] }>('state');
  if (users.some(({ name }) => name === 'vera')) return;
  await chat.post('add-person', { name: 'vera', firstName: 'Vera', lastName: 'Sand', teamId: PARTNER });
  await chat.post('join', { channel: CHANNEL, user: 'vera' });
}

async function openTicket(user: string, text: string): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, user, `<@${bot}> ${text}`);
  const { id } = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id };
}

const messagesOf = async (ticketId: string) =>
  (await world.service.listTicketMessages({ query: { ticketId } })).items.map(
    ({ content, reactions, deleted }) => ({
      content,
      deleted,
      emoji: reactions.map(({ emoji }) => emoji),
    }),
  );

describe.each([
  ['our workspace', false],
  ['the other organisation', true],
])('B63 in a channel that %s hosts', (_host, hostedByThem) => {
  test('an outside person’s reply, edit, reaction and deletion reach the ticket by their events', async () => {
    const { chat } = world;
    await shareChannel(hostedByThem);
    const { root, id } = await openTicket('ada', 'the shared screen is black');
    const { ts } = await chat.say(CHANNEL, 'vera', 'hre too', root);
    await until('the reply', async () => (await messagesOf(id)).length > 0);
    await chat.edit(CHANNEL, 'vera', ts, 'here too');
    await chat.react(CHANNEL, 'vera', ts, 'rocket');
    await until(
      'the edit and the reaction',
      async () =>
        (await messagesOf(id)).some(({ content, emoji }) => content === 'here too' && emoji.length > 0),
      { seen: () => messagesOf(id) },
    );
    await chat.remove(CHANNEL, 'vera', ts);
    await until('the deletion', async () => (await messagesOf(id))[0]?.deleted === true);
  });

  test('Create ticket on a ticket’s own first message names that ticket, only to the user who chose it', async () => {
    const { chat, service } = world;
    await shareChannel(hostedByThem);
    const { root, id } = await openTicket('ada', 'the projector is gone');
    const { totalCount } = await service.listTickets({ query: {} });
    const before = (await chat.messages('@deskbridge', 'ada')).length;
    await chat.post('shortcut', {
      user: 'mira',
      channel: CHANNEL,
      messageTs: root,
      callbackId: 'create_ticket',
    });
    const { code } = await service.readTicket({ params: { id } });
    await until('the answer', async () => {
      const { text = '' } = (await chat.ephemeral(CHANNEL, 'mira')) ?? {};
      return text.includes('This thread already has a ticket') && text.includes(code);
    });
    await world.untilIdle();
    expect((await service.listTickets({ query: {} })).totalCount).toBe(totalCount);
    expect((await chat.messages('@deskbridge', 'ada')).length).toBe(before);
  });

  test('a modal that an outside requester submits is processed with its values', async () => {
    const { chat } = world;
    await shareChannel(hostedByThem);
    const { root, id } = await openTicket('vera', 'our dashboard is empty');
    const card = await until('the card', async () =>
      (await chat.thread(CHANNEL, root)).find(({ metadata }) => metadata?.event_payload['card']),
    );
    await chat.post('interact', {
      user: 'vera',
      channel: CHANNEL,
      messageTs: card.ts,
      action: 'card_add_details',
    });
    await until('the window', () => chat.modal('vera'));
    const { result } = await chat.post<{ result: string }>('submit-view', {
      user: 'vera',
      values: { reply: { reply: 'Since Monday.' } },
    });
    expect(result).toBe('closed');
    await until('the details', async () =>
      (await messagesOf(id)).some(({ content }) => content === 'Since Monday.'),
    );
  });
});

test('B18 a file in a shared channel, whose event has only its id, is copied to the ticket', async () => {
  const { chat, service } = world;
  await shareChannel(false);
  const { root, id } = await openTicket('ada', 'the shared door is shut');
  await chat.post('upload', {
    channel: CHANNEL,
    user: 'vera',
    text: 'look',
    thread_ts: root,
    files: [{ name: 'door.txt', content: Buffer.from('closed').toString('base64') }],
  });
  await until('the copy', async () => {
    const { items } = await service.listTicketFiles({ params: { id } });
    return items.some(({ name, size, messageId }) => name === 'door.txt' && size === 6 && messageId !== null);
  });
});

test('B54 the outside author of a message that never crosses is notified once, however often it is checked', async () => {
  const { chat } = world;
  await shareChannel(true);
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'vera', 'a talk before any ticket');
  world.skipComparison('a message in a thread that cannot be read never crosses');
  // Its thread cannot be read, as after a channel was disconnected.
  await chat.post('faults', {
    faults: [{ method: 'conversations.replies', kind: 'error', error: 'channel_not_found', times: null }],
  });
  await chat.say(CHANNEL, 'vera', `<@${bot}> please take this on`, root);
  const told = async () =>
    (await chat.messages('@deskbridge', 'vera')).filter(({ text }) => text.includes('could not be added'));
  await until('the notice to Vera', async () => (await told()).length > 0);
  world.clock.pass(30_000);
  await chat.post('clock', { advance: '30s' });
  await sweeps(6);
  expect(await told()).toHaveLength(1);
  await chat.post('faults', { clear: true });
});

/** Waits until waiting messages were checked this many more times: each check plans the next one. */
async function sweeps(more: number): Promise<void> {
  const client = new pg.Client({ connectionString: world.environment.DATABASE_URL });
  await client.connect();
  try {
    const last = async () => {
      const { rows } = await client.query<{ id: string | null }>(
        `select max(id) as id from bridge.work where kind = 'sweep'`,
      );
      return BigInt(rows[0]?.id ?? 0);
    };
    let seen = await last();
    for (let count = 0; count < more; count += 1)
      seen = await until('the next look', async () => {
        const now = await last();
        return now > seen ? now : undefined;
      });
  } finally {
    await client.end();
  }
}
