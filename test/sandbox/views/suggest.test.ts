import type { BlockSuggestion, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import { expect, test } from 'vitest';

import { ADA, HeldClock, HELP, Mailbox, openSandbox, SEED, webClient } from '../open-sandbox.ts';
import { FORM, stage } from './open-modal.ts';
import { rawSocket } from '../raw-socket.ts';

const text = (words: string) => ({ type: 'plain_text' as const, text: words });
const option = (value: string) => ({ text: text(value.toUpperCase()), value });
const TICKETS = ['it-1', 'it-2'].map(option);
const menu = { type: 'external_select' as const, action_id: 'ticket', min_query_length: 2 };
const CARD = [
  { type: 'section', block_id: 'card', text: text('Which'), accessory: { ...menu, min_query_length: 0 } },
];
const PICKER = {
  ...FORM,
  blocks: [{ type: 'input' as const, block_id: 'which', label: text('Which'), element: menu }],
};

type Ack = SlackOptionsMiddlewareArgs<'block_suggestion'>['ack'];

/** A stage whose app answers suggestions with `answer`. */
async function suggesting(answer: (ack: Ack) => Promise<void>) {
  const bodies = new Mailbox<BlockSuggestion>();
  const staged = await stage((app) => {
    app.options('ticket', async ({ ack, body }) => {
      bodies.put(body);
      await answer(ack);
    });
    app.view('form', async ({ ack }) => ack());
  });
  return { ...staged, bodies };
}

test('text typed into an external select of a view is sent with the view, and the returned options can be chosen', async () => {
  const { open, sandbox, bodies } = await suggesting((ack) => ack({ options: TICKETS }));
  const viewId = await open(PICKER);
  const offered = await sandbox.control.suggest({ user: 'ada', viewId, actionId: 'ticket', value: 'it' });
  expect(offered).toEqual({ options: TICKETS });
  const [body] = await bodies.first(1);
  expect(body).toMatchObject({
    type: 'block_suggestion',
    user: { id: ADA },
    team: { id: SEED.team.id },
    api_app_id: SEED.app.id,
    container: { type: 'view', view_id: viewId },
    block_id: 'which',
    action_id: 'ticket',
    value: 'it',
    view: { id: viewId, callback_id: 'form' },
  });
  const submitted = await sandbox.control.submitView({ user: 'ada', values: { which: { ticket: 'it-2' } } });
  expect(submitted).toMatchObject({ result: 'closed' });
});

test('options may come in groups, and in a message the request has the message', async () => {
  const groups = [{ label: text('Open'), options: TICKETS }];
  const { client, sandbox, bodies } = await suggesting((ack) => ack({ option_groups: groups }));
  const { ts: messageTs = '' } = await client.chat.postMessage({ channel: HELP, text: 'card', blocks: CARD });
  const on = { channel: 'it-help', user: 'ada', messageTs };
  expect(await sandbox.control.suggest({ ...on, actionId: 'ticket' })).toEqual({ option_groups: groups });
  const [body] = await bodies.first(1);
  expect(body).toMatchObject({
    container: { type: 'message', message_ts: messageTs, channel_id: HELP, is_ephemeral: false },
    channel: { id: HELP, name: 'it-help' },
    message: { ts: messageTs, text: 'card' },
    value: '',
  });
  expect(body).not.toHaveProperty('view');
});

test('text shorter than min_query_length is not sent', async () => {
  const { open, sandbox, bodies } = await suggesting((ack) => ack({ options: TICKETS }));
  const viewId = await open(PICKER);
  const type = (value: string) => sandbox.control.suggest({ user: 'ada', viewId, actionId: 'ticket', value });
  expect(await type('i')).toEqual({ sent: false, options: [] });
  await type('it');
  expect(bodies.items.map(({ value }) => value)).toEqual(['it']);
});

test('a response that is not a list of options, or has more than a hundred, offers nothing', async () => {
  const many = Array.from({ length: 101 }, (_, index) => option(`it-${index}`));
  const answers: unknown[] = [{ options: many }, { options: [{ value: 'no text' }] }, {}];
  const { open, sandbox } = await suggesting((ack) => ack(answers.shift() as { options: typeof TICKETS }));
  const viewId = await open(PICKER);
  const outcomes = [];
  for (const _ of Array.from(answers))
    outcomes.push(await sandbox.control.suggest({ user: 'ada', viewId, actionId: 'ticket', value: 'it' }));
  expect(outcomes).toEqual([
    {
      error: 'invalid_response',
      messages: ['[ERROR] no more than 100 items allowed [json-pointer:/options]'],
    },
    { error: 'invalid_response', messages: [expect.stringContaining('/options/0')] },
    { error: 'invalid_response', messages: ['[ERROR] missing required field: options [json-pointer:]'] },
  ]);
});

test('options that come after 3 s are not offered: operation_timeout', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const socket = await rawSocket(sandbox);
  const { ts: messageTs = '' } = await webClient(sandbox).chat.postMessage({
    channel: HELP,
    text: 'card',
    blocks: CARD,
  });
  await socket.envelopes.first(1);
  const [posted] = socket.envelopes.items;
  if (posted) socket.ack(posted);
  const typing = sandbox.control.suggest({ channel: 'it-help', user: 'ada', messageTs, actionId: 'ticket' });
  await socket.envelopes.first(2);
  clock.advance(3_000);
  sandbox.control.tick();
  expect(await typing).toEqual({ error: 'operation_timeout', messages: [] });
});

test('only an external select sends a request', async () => {
  const { open, sandbox } = await suggesting((ack) => ack({ options: TICKETS }));
  const viewId = await open(FORM);
  await expect(
    sandbox.control.suggest({ user: 'ada', viewId, actionId: 'text', value: 'it' }),
  ).rejects.toThrow('"text" is no external select');
});
