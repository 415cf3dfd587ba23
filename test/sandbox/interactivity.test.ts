import { expect, test } from 'vitest';

import { ADA, boltApp, HeldClock, HELP, Mailbox, openSandbox, webClient } from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';

const typed = { channel: 'it-help', user: 'ada', command: '/ticket', text: 'help' };
const card = [
  {
    type: 'actions',
    block_id: 'card',
    elements: [
      {
        type: 'button',
        action_id: 'assign',
        text: { type: 'plain_text', text: 'Assign to me' },
        value: 'tkt_1',
      },
      {
        type: 'static_select',
        action_id: 'status',
        placeholder: { type: 'plain_text', text: 'Status' },
        options: [
          { text: { type: 'plain_text', text: 'Open' }, value: 'open' },
          { text: { type: 'plain_text', text: 'Done' }, value: 'done' },
        ],
      },
    ],
  },
];

test('a command not acknowledged in 3 s shows operation_timeout to the user, and is not sent again', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const socket = await rawSocket(sandbox);
  const running = sandbox.control.command(typed);
  await socket.envelopes.first(1);
  clock.advance(3_000);
  sandbox.control.tick();
  expect(await running).toEqual({ error: 'operation_timeout' });
  const seen = await sandbox.control.messages('it-help', 'ada');
  expect(seen[0]).toMatchObject({
    text: '/ticket failed with the error "operation_timeout"',
    ephemeralFor: ADA,
  });
  expect(socket.envelopes.items).toHaveLength(1);
});

test('a command without a connected app shows dispatch_failed', async () => {
  const sandbox = await openSandbox();
  expect(await sandbox.control.command(typed)).toEqual({ error: 'dispatch_failed' });
});

test('a response_url accepts five responses in thirty minutes and no more', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const socket = await rawSocket(sandbox);
  const urlOf = async (count: number) => {
    const running = sandbox.control.command(typed);
    const envelope = (await socket.envelopes.first(count))[count - 1];
    if (envelope) socket.ack(envelope);
    await running;
    return envelope?.payload['response_url'] as string;
  };
  const answer = async (url: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'here' }),
    });
    return [response.status, await response.text()] as const;
  };
  const url = await urlOf(1);
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => answer(url)));
  expect(answers.filter(([status]) => status === 200)).toHaveLength(5);
  expect(answers.find(([status]) => status !== 200)?.[1]).toContain('used_url');
  expect(await sandbox.control.messages('it-help', 'ada')).toHaveLength(5);

  const second = await urlOf(2);
  clock.advance(30 * 60_000);
  const [status, body] = await answer(second);
  expect([status, body]).toEqual([404, expect.stringContaining('expired_url')]);
});

test('a response is ephemeral unless it says in_channel; it can replace and delete the original message', async () => {
  const sandbox = await openSandbox();
  const pressed = new Mailbox<(message: Record<string, unknown>) => Promise<unknown>>();
  await boltApp(sandbox, (app) => {
    app.action('assign', async ({ ack, respond }) => {
      await ack();
      pressed.put((message) => respond(message));
    });
  });
  const { ts = '' } = await webClient(sandbox).chat.postMessage({
    channel: HELP,
    text: 'card',
    blocks: card,
  });
  await sandbox.control.interact({
    channel: 'it-help',
    user: 'ada',
    messageTs: ts,
    action: { actionId: 'assign' },
  });
  const [respond] = await pressed.first(1);
  await respond?.({ text: 'for you' });
  await respond?.({ text: 'for all', response_type: 'in_channel' });
  await respond?.({ text: 'card 2', replace_original: true });
  const seen = await sandbox.control.messages('it-help', 'ada');
  expect(seen.map(({ text, ephemeralFor }) => [text, ephemeralFor])).toEqual([
    ['card 2', undefined],
    ['for you', ADA],
    ['for all', undefined],
  ]);
  await respond?.({ delete_original: true });
  expect((await sandbox.control.messages('it-help')).map(({ text }) => text)).toEqual(['for all']);
});

test('a button press has the user, channel, message and element; a choice has its option and the state', async () => {
  const sandbox = await openSandbox();
  const bodies = new Mailbox<unknown>();
  await boltApp(sandbox, (app) => {
    app.action(/.*/, async ({ ack, body }) => {
      bodies.put(body);
      await ack();
    });
  });
  const client = webClient(sandbox);
  const { ts: thread_ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'root' });
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'card', blocks: card, thread_ts });
  const on = { channel: 'it-help', user: 'ada', messageTs: ts };
  await sandbox.control.interact({ ...on, action: { actionId: 'assign' } });
  await sandbox.control.interact({ ...on, action: { actionId: 'status', value: 'done' } });
  const [press, choice] = await bodies.first(2);
  expect(press).toMatchObject({
    type: 'block_actions',
    user: { id: ADA, username: 'ada' },
    channel: { id: HELP, name: 'it-help' },
    container: { type: 'message', message_ts: ts, channel_id: HELP, thread_ts, is_ephemeral: false },
    message: { ts, thread_ts, text: 'card', blocks: [{ block_id: 'card' }] },
    trigger_id: expect.any(String) as string,
    response_url: expect.stringContaining('/response/') as string,
    actions: [{ action_id: 'assign', block_id: 'card', type: 'button', value: 'tkt_1' }],
    state: { values: { card: { status: { type: 'static_select', selected_option: null } } } },
  });
  expect(choice).toMatchObject({
    actions: [{ action_id: 'status', type: 'static_select', selected_option: { value: 'done' } }],
    state: { values: { card: { status: { selected_option: { value: 'done' } } } } },
  });
  await expect(sandbox.control.interact({ ...on, action: { actionId: 'nothing' } })).rejects.toThrow(
    'it has: assign, status',
  );
});

test('shortcuts arrive with their message, or alone', async () => {
  const sandbox = await openSandbox();
  const got = new Mailbox<unknown>();
  await boltApp(sandbox, (app) => {
    app.shortcut(/.*/, async ({ ack, body }) => {
      got.put(body);
      await ack();
    });
  });
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'help' });
  await sandbox.control.shortcut({
    user: 'ada',
    callbackId: 'create_ticket',
    channel: 'it-help',
    messageTs: message.ts,
  });
  await sandbox.control.shortcut({ user: 'ada', callbackId: 'new_ticket' });
  const [onMessage, anywhere] = await got.first(2);
  expect(onMessage).toMatchObject({
    type: 'message_action',
    callback_id: 'create_ticket',
    message_ts: message.ts,
    message: { text: 'help', user: 'U0BENNN' },
    user: { id: ADA },
  });
  expect(anywhere).toMatchObject({ type: 'shortcut', callback_id: 'new_ticket', user: { id: ADA } });
});
