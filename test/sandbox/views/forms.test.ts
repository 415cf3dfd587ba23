import type { InputBlock, ModalView } from '@slack/web-api';
import { expect, test } from 'vitest';

import { ADA, BEN, HELP, Mailbox } from '../open-sandbox.ts';
import { FORM, stage } from './open-modal.ts';

const text = (words: string) => ({ type: 'plain_text' as const, text: words });
const option = (value: string) => ({ text: text(value.toUpperCase()), value });
const OPTIONS = ['a', 'b', 'c'].map(option);

/** One of every element that can be filled in, by block id. */
const ELEMENTS: Record<string, InputBlock['element']> = {
  words: { type: 'plain_text_input', action_id: 'it' },
  mail: { type: 'email_text_input', action_id: 'it' },
  link: { type: 'url_text_input', action_id: 'it' },
  number: { type: 'number_input', action_id: 'it', is_decimal_allowed: false },
  rich: { type: 'rich_text_input', action_id: 'it' },
  day: { type: 'datepicker', action_id: 'it' },
  hour: { type: 'timepicker', action_id: 'it', timezone: 'Europe/Madrid' },
  moment: { type: 'datetimepicker', action_id: 'it' },
  one: { type: 'static_select', action_id: 'it', options: OPTIONS },
  many: { type: 'multi_static_select', action_id: 'it', options: OPTIONS },
  ticks: { type: 'checkboxes', action_id: 'it', options: OPTIONS },
  radio: { type: 'radio_buttons', action_id: 'it', options: OPTIONS },
  person: { type: 'users_select', action_id: 'it' },
  people: { type: 'multi_users_select', action_id: 'it' },
  place: { type: 'conversations_select', action_id: 'it' },
  places: { type: 'multi_conversations_select', action_id: 'it' },
  channel: { type: 'channels_select', action_id: 'it' },
  channels: { type: 'multi_channels_select', action_id: 'it' },
  outside: { type: 'external_select', action_id: 'it' },
  outsides: { type: 'multi_external_select', action_id: 'it' },
  files: { type: 'file_input', action_id: 'it' },
};

function form(elements: typeof ELEMENTS, more: Partial<InputBlock> = {}): ModalView {
  return {
    ...FORM,
    blocks: Object.entries(elements).map(([block_id, element]) => ({
      type: 'input' as const,
      block_id,
      label: text(block_id),
      element,
      ...more,
    })),
  };
}

/** A stage whose app stores `state.values` of submissions. */
async function keeping() {
  const values = new Mailbox<Record<string, Record<string, unknown>>>();
  const staged = await stage((app) => {
    app.view('form', async ({ ack, view }) => {
      values.put(view.state.values);
      await ack();
    });
  });
  const submit = async (puts: Record<string, unknown>) => {
    const by = Object.fromEntries(Object.entries(puts).map(([blockId, put]) => [blockId, { it: put }]));
    return staged.sandbox.control.submitView({ user: 'ada', values: by as never });
  };
  return { ...staged, values, submit };
}

test('every element has its own shape of state before any input', async () => {
  const { open, submit, values } = await keeping();
  await open(form(ELEMENTS, { optional: true }));
  expect(await submit({})).toMatchObject({ result: 'closed' });
  const [state] = await values.first(1);
  expect(Object.fromEntries(Object.entries(state ?? {}).map(([blockId, { it }]) => [blockId, it]))).toEqual({
    words: { type: 'plain_text_input', value: null },
    mail: { type: 'email_text_input', value: null },
    link: { type: 'url_text_input', value: null },
    number: { type: 'number_input', value: null },
    rich: { type: 'rich_text_input' },
    day: { type: 'datepicker', selected_date: null },
    hour: { type: 'timepicker', selected_time: null, timezone: 'Europe/Madrid' },
    moment: { type: 'datetimepicker', selected_date_time: null },
    one: { type: 'static_select', selected_option: null },
    many: { type: 'multi_static_select', selected_options: [] },
    ticks: { type: 'checkboxes', selected_options: [] },
    radio: { type: 'radio_buttons', selected_option: null },
    person: { type: 'users_select', selected_user: null },
    people: { type: 'multi_users_select', selected_users: [] },
    place: { type: 'conversations_select', selected_conversation: null },
    places: { type: 'multi_conversations_select', selected_conversations: [] },
    channel: { type: 'channels_select', selected_channel: null },
    channels: { type: 'multi_channels_select', selected_channels: [] },
    outside: { type: 'external_select', selected_option: null },
    outsides: { type: 'multi_external_select', selected_options: [] },
    files: { type: 'file_input', files: [] },
  });
});

test('each element’s value arrives in its shape', async () => {
  const { open, submit, values } = await keeping();
  const { outside: _one, outsides: _many, files: _files, ...filled } = ELEMENTS;
  await open(form(filled));
  const submitted = await submit({
    words: 'hello',
    mail: 'ada@acme.example',
    link: 'https://acme.example',
    number: 7,
    rich: 'a *bold* word',
    day: '2026-01-31',
    hour: '09:30',
    moment: 1_767_603_600,
    one: 'b',
    many: ['a', 'c'],
    ticks: ['a'],
    radio: 'c',
    person: BEN,
    people: [ADA, BEN],
    place: HELP,
    places: [HELP],
    channel: HELP,
    channels: [HELP],
  });
  expect(submitted).toMatchObject({ result: 'closed' });
  const [state] = await values.first(1);
  expect(Object.fromEntries(Object.entries(state ?? {}).map(([blockId, { it }]) => [blockId, it]))).toEqual({
    words: { type: 'plain_text_input', value: 'hello' },
    mail: { type: 'email_text_input', value: 'ada@acme.example' },
    link: { type: 'url_text_input', value: 'https://acme.example' },
    number: { type: 'number_input', value: '7' },
    rich: {
      type: 'rich_text_input',
      rich_text_value: {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'a ' },
              { type: 'text', text: 'bold', style: { bold: true } },
              { type: 'text', text: ' word' },
            ],
          },
        ],
      },
    },
    day: { type: 'datepicker', selected_date: '2026-01-31' },
    hour: { type: 'timepicker', selected_time: '09:30', timezone: 'Europe/Madrid' },
    moment: { type: 'datetimepicker', selected_date_time: 1_767_603_600 },
    one: { type: 'static_select', selected_option: option('b') },
    many: { type: 'multi_static_select', selected_options: [option('a'), option('c')] },
    ticks: { type: 'checkboxes', selected_options: [option('a')] },
    radio: { type: 'radio_buttons', selected_option: option('c') },
    person: { type: 'users_select', selected_user: BEN },
    people: { type: 'multi_users_select', selected_users: [ADA, BEN] },
    place: { type: 'conversations_select', selected_conversation: HELP },
    places: { type: 'multi_conversations_select', selected_conversations: [HELP] },
    channel: { type: 'channels_select', selected_channel: HELP },
    channels: { type: 'multi_channels_select', selected_channels: [HELP] },
  });
});

test('elements start with the app’s initial values', async () => {
  const { open, submit, values } = await keeping();
  await open(
    form({
      words: { type: 'plain_text_input', action_id: 'it', initial_value: 'given' },
      one: { type: 'static_select', action_id: 'it', options: OPTIONS, initial_option: option('b') },
      many: { type: 'checkboxes', action_id: 'it', options: OPTIONS, initial_options: [option('c')] },
      people: { type: 'multi_users_select', action_id: 'it', initial_users: [BEN] },
      place: {
        type: 'multi_conversations_select',
        action_id: 'it',
        default_to_current_conversation: true,
      },
      moment: { type: 'datetimepicker', action_id: 'it', initial_date_time: 1_767_603_600 },
    }),
  );
  await submit({});
  expect(await values.first(1)).toMatchObject([
    {
      words: { it: { value: 'given' } },
      one: { it: { selected_option: { value: 'b' } } },
      many: { it: { selected_options: [{ value: 'c' }] } },
      people: { it: { selected_users: [BEN] } },
      place: { it: { selected_conversations: [HELP] } },
      moment: { it: { selected_date_time: 1_767_603_600 } },
    },
  ]);
});

test('the client enforces the limits of fields, and sends nothing before they hold', async () => {
  const { open, submit, values } = await keeping();
  await open(
    form({
      short: { type: 'plain_text_input', action_id: 'it', min_length: 3 },
      long: { type: 'plain_text_input', action_id: 'it', max_length: 3 },
      mail: { type: 'email_text_input', action_id: 'it' },
      link: { type: 'url_text_input', action_id: 'it' },
      whole: { type: 'number_input', action_id: 'it', is_decimal_allowed: false },
      small: { type: 'number_input', action_id: 'it', is_decimal_allowed: true, min_value: '1.5' },
      large: { type: 'number_input', action_id: 'it', is_decimal_allowed: true, max_value: '10' },
      none: { type: 'number_input', action_id: 'it', is_decimal_allowed: true },
      many: { type: 'multi_users_select', action_id: 'it', max_selected_items: 1 },
      day: { type: 'datepicker', action_id: 'it' },
    }),
  );
  const wrong = {
    short: 'ab',
    long: 'abcd',
    mail: 'nobody',
    link: 'no link',
    whole: '1.5',
    small: '1',
    large: '11',
    none: 'seven',
    many: [ADA, BEN],
  };
  const refused = await submit(wrong);
  if (refused.result !== 'errors') expect.fail('the client found nothing');
  expect(refused.by).toBe('client');
  expect(Object.keys(refused.errors)).toEqual([...Object.keys(wrong), 'day']);
  const right = {
    short: 'abc',
    long: 'abc',
    mail: 'ada@acme.example',
    link: 'https://acme.example',
    whole: '1',
    small: '1.5',
    large: '10',
    none: '-7.25',
    many: [ADA],
    day: '2026-01-31',
  };
  expect(await submit(right)).toMatchObject({ result: 'closed' });
  expect(values.items).toHaveLength(1);
});

test('a value that an element does not offer is rejected, and so are all other values of that form', async () => {
  const { open, sandbox, submit } = await keeping();
  await open(form(ELEMENTS, { optional: true }));
  const refused: [string, unknown, string][] = [
    ['one', 'z', 'it offers: a, b, c'],
    ['many', 'a', 'takes a list'],
    ['person', 'U0NOBODY', 'no person with the id'],
    ['channel', 'C0NOWHERE', 'no conversation with the id'],
    ['day', '31.1.2026', 'a date YYYY-MM-DD'],
    ['hour', '25:00', 'a time HH:mm'],
    ['moment', 'tomorrow', 'Unix seconds'],
    ['outside', 'x', '`suggest` first'],
    ['nowhere', 'x', 'it has: it'],
  ];
  for (const [blockId, put, why] of refused)
    await expect(submit({ words: 'put in with it', [blockId]: put })).rejects.toThrow(why);
  const [view] = sandbox.control.views('ada').stack;
  expect(view?.state.values['words']?.['it']).toEqual({ type: 'plain_text_input', value: null });
});

test('a file field accepts files that this person uploaded, of the requested types', async () => {
  const { open, sandbox, submit, values } = await keeping();
  const upload = async (user: string, name: string) => {
    const content = Buffer.from('%PDF-1.4').toString('base64');
    const { message } = await sandbox.control.upload({
      channel: 'it-help',
      user,
      files: [{ name, content }],
    });
    return message.files?.[0]?.['id'] ?? '';
  };
  const [mine, notes, theirs] = [
    await upload('ada', 'scan.pdf'),
    await upload('ada', 'notes.txt'),
    await upload('ben', 'scan.pdf'),
  ];
  await open(form({ files: { type: 'file_input', action_id: 'it', filetypes: ['pdf'], max_files: 1 } }));
  await expect(submit({ files: [theirs] })).rejects.toThrow('no file with the id');
  await expect(submit({ files: [notes] })).rejects.toThrow('files of the kinds: pdf');
  expect(await submit({ files: [mine, mine] })).toMatchObject({ result: 'errors', by: 'client' });
  expect(await submit({ files: [mine] })).toMatchObject({ result: 'closed' });
  expect(await values.first(1)).toMatchObject([
    {
      files: {
        it: { type: 'file_input', files: [{ id: mine, name: 'scan.pdf', filetype: 'pdf', user: ADA }] },
      },
    },
  ]);
});

test('a button press in a message has the state of all its elements, with that person’s earlier choices', async () => {
  const states = new Mailbox<Record<string, unknown>>();
  const { client, sandbox } = await stage((app) => {
    app.action(/.*/, async ({ ack, body }) => {
      states.put((body as unknown as { state: { values: Record<string, unknown> } }).state.values);
      await ack();
    });
  });
  const { ts: messageTs = '' } = await client.chat.postMessage({
    channel: HELP,
    text: 'card',
    blocks: [
      ...form({ why: { type: 'plain_text_input', action_id: 'it' } }).blocks,
      {
        type: 'actions',
        block_id: 'card',
        elements: [
          { type: 'button', action_id: 'go', text: text('Go') },
          { type: 'static_select', action_id: 'status', options: OPTIONS, initial_option: option('a') },
          { type: 'users_select', action_id: 'assignee' },
        ],
      },
    ],
  });
  const on = { channel: 'it-help', messageTs };
  const choose = (user: string, actionId: string, value?: string) =>
    sandbox.control.interact({
      ...on,
      user,
      action: { actionId, ...(value === undefined ? {} : { value }) },
    });
  expect(await choose('ada', 'it', 'because')).toEqual({ sent: false });
  await choose('ada', 'status', 'c');
  await choose('ada', 'assignee', BEN);
  await choose('ben', 'go');
  const all = await states.first(3);
  expect(all).toEqual([
    {
      why: { it: { type: 'plain_text_input', value: 'because' } },
      card: {
        status: { type: 'static_select', selected_option: option('c') },
        assignee: { type: 'users_select', selected_user: null },
      },
    },
    {
      why: { it: { type: 'plain_text_input', value: 'because' } },
      card: {
        status: { type: 'static_select', selected_option: option('c') },
        assignee: { type: 'users_select', selected_user: BEN },
      },
    },
    {
      why: { it: { type: 'plain_text_input', value: null } },
      card: {
        status: { type: 'static_select', selected_option: option('a') },
        assignee: { type: 'users_select', selected_user: null },
      },
    },
  ]);
});

test('a menu without a state names the chosen option', async () => {
  const actions = new Mailbox<unknown>();
  const { client, sandbox } = await stage((app) => {
    app.action(/.*/, async ({ ack, body }) => {
      actions.put((body as unknown as { actions: unknown[] }).actions[0]);
      await ack();
    });
  });
  const { ts: messageTs = '' } = await client.chat.postMessage({
    channel: HELP,
    text: 'card',
    blocks: [
      {
        type: 'section',
        block_id: 'more',
        text: text('More'),
        accessory: { type: 'overflow', action_id: 'menu', options: OPTIONS },
      },
    ],
  });
  const choose = (value: string) =>
    sandbox.control.interact({
      channel: 'it-help',
      user: 'ada',
      messageTs,
      action: { actionId: 'menu', value },
    });
  await choose('b');
  expect(await actions.first(1)).toMatchObject([{ type: 'overflow', selected_option: option('b') }]);
  await expect(choose('z')).rejects.toThrow('it offers: a, b, c');
});
