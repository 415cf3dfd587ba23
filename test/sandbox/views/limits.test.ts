import { describe, expect, test } from 'vitest';

import { checkBlocks, checkView } from '../../../src/sandbox/blocks/check.ts';

const text = (words: string) => ({ type: 'plain_text', text: words });
const option = (value: string) => ({ text: text(value), value });
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`${index}`));
const input = (element: object, more: object = {}) => ({
  type: 'input',
  label: text('Label'),
  element,
  ...more,
});
const modal = (blocks: object[], more: object = {}) => ({
  type: 'modal',
  title: text('Title'),
  submit: text('Send'),
  blocks,
  ...more,
});
const complaintsOf = (view: unknown, type: 'modal' | 'home' = 'modal') => {
  const checked = checkView(view, type);
  return checked.ok ? [] : checked.messages;
};
/** The beginning of Slack's messages when a schema does not match. */
const NO_MATCH = '[ERROR] failed to match all allowed schemas [json-pointer:/view]';

describe('a view', () => {
  test('may have as much as the documentation allows, and an error names the place of anything more', () => {
    const cases: [string, object, object, string][] = [
      [
        'title',
        { title: text('x'.repeat(24)) },
        { title: text('x'.repeat(25)) },
        'must be less than 25 characters [json-pointer:/view/title/text]',
      ],
      [
        'submit',
        { submit: text('x'.repeat(24)) },
        { submit: text('x'.repeat(25)) },
        'must be less than 25 characters [json-pointer:/view/submit/text]',
      ],
      [
        'close',
        { close: text('x'.repeat(24)) },
        { close: text('x'.repeat(25)) },
        'must be less than 25 characters [json-pointer:/view/close/text]',
      ],
      [
        'private_metadata',
        { private_metadata: 'x'.repeat(3000) },
        { private_metadata: 'x'.repeat(3001) },
        'must be less than 3001 characters [json-pointer:/view/private_metadata]',
      ],
      [
        'callback_id',
        { callback_id: 'x'.repeat(255) },
        { callback_id: 'x'.repeat(256) },
        'must be less than 256 characters [json-pointer:/view/callback_id]',
      ],
      [
        'external_id',
        { external_id: 'x'.repeat(255) },
        { external_id: 'x'.repeat(256) },
        'must be less than 256 characters [json-pointer:/view/external_id]',
      ],
      [
        'blocks',
        { blocks: Array(100).fill({ type: 'divider' }) },
        { blocks: Array(101).fill({ type: 'divider' }) },
        'no more than 100 items allowed [json-pointer:/view/blocks]',
      ],
    ];
    for (const [what, most, tooMuch, complaint] of cases) {
      expect(complaintsOf(modal([], most)), what).toEqual([]);
      expect(complaintsOf(modal([], tooMuch)), what).toEqual([NO_MATCH, `[ERROR] ${complaint}`]);
    }
  });

  test('needs a title and blocks, and rejects fields that Slack does not know', () => {
    expect(complaintsOf({ type: 'modal', blocks: [] })).toEqual([
      NO_MATCH,
      '[ERROR] missing required field: title [json-pointer:/view]',
    ]);
    expect(complaintsOf({ type: 'modal', title: text('Title') })).toEqual([
      NO_MATCH,
      '[ERROR] missing required field: blocks [json-pointer:/view]',
    ]);
    expect(complaintsOf(modal([], { submit_disabled: true }))).toEqual([
      NO_MATCH,
      '[ERROR] invalid additional property: submit_disabled [json-pointer:/view]',
    ]);
    expect(complaintsOf(modal([]), 'home')[1]).toContain('json-pointer:/view/type');
  });

  test('needs a submit button for input blocks; a Home has none and rejects files', () => {
    const field = input({ type: 'plain_text_input' });
    expect(complaintsOf(modal([field], { submit: undefined }))).toEqual([
      '[ERROR] must define `submit` to use an `input` block in modals [json-pointer:/view/blocks/0/input]',
    ]);
    expect(complaintsOf({ type: 'home', blocks: [field] }, 'home')).toEqual([]);
    const files = input({ type: 'file_input' });
    expect(complaintsOf(modal([files]))).toEqual([]);
    expect(complaintsOf({ type: 'home', blocks: [files] }, 'home')).toEqual([
      '[ERROR] unsupported type: file_input [json-pointer:/view/blocks/0/element/type]',
    ]);
  });

  test('rejects blocks that only messages can have, and unknown ones', () => {
    expect(complaintsOf(modal([{ type: 'markdown', text: 'x' }]))).toEqual([
      '[ERROR] unsupported type: markdown [json-pointer:/view/blocks/0/type]',
    ]);
    expect(complaintsOf(modal([{ type: 'data_visualization' }]))).toEqual([
      NO_MATCH,
      '[ERROR] unsupported type: data_visualization [json-pointer:/view/blocks/0/type]',
    ]);
  });

  test('has unique block ids, and unique action ids within a block', () => {
    const button = { type: 'button', action_id: 'go', text: text('Go') };
    const twice = modal([
      { type: 'actions', block_id: 'a', elements: [button, button] },
      { type: 'actions', block_id: 'a', elements: [button] },
    ]);
    expect(complaintsOf(twice)).toEqual([
      '[ERROR] `action_id` already exists [json-pointer:/view/blocks/0]',
      '[ERROR] `block_id` already exists [json-pointer:/view/blocks/1]',
    ]);
  });

  test('can focus only one element', () => {
    const field = input({ type: 'plain_text_input', focus_on_load: true });
    expect(complaintsOf(modal([field]))).toEqual([]);
    expect(complaintsOf(modal([field, field]))).toHaveLength(1);
  });

  test('above 250 kB is view_too_large', () => {
    const words = (count: number) =>
      Array.from({ length: count }, () => ({
        type: 'section',
        text: text('x'.repeat(2_500)),
      }));
    expect(checkView(modal(words(90)), 'modal').ok).toBe(true);
    expect(checkView(modal(words(100)), 'modal')).toEqual({
      ok: false,
      error: 'view_too_large',
      messages: [],
    });
  });
});

test('elements have their own limits, in any block', () => {
  const field = (element: object) => modal([input(element)]);
  const at = '[json-pointer:/view/blocks/0/element';
  const cases: [object, string][] = [
    [{ type: 'plain_text_input', max_length: 3001 }, `must be less than 3001 ${at}/max_length]`],
    [{ type: 'plain_text_input', placeholder: text('x'.repeat(151)) }, `${at}/placeholder/text]`],
    [{ type: 'number_input' }, `missing required field: is_decimal_allowed ${at}]`],
    [{ type: 'datepicker', initial_date: '31.1.2026' }, `${at}/initial_date]`],
    [{ type: 'timepicker', initial_time: '24:00' }, `${at}/initial_time]`],
    [{ type: 'static_select', options: [] }, `must provide at least 1 items ${at}/options]`],
    [{ type: 'static_select', options: options(101) }, `no more than 100 items allowed ${at}/options]`],
    [{ type: 'static_select' }, `missing required field: options ${at}]`],
    [
      { type: 'static_select', options: options(1), initial_option: option('other') },
      `must match one of the \`options\` ${at}/initial_option]`,
    ],
    [
      { type: 'static_select', options: [option('x'.repeat(76))] },
      `must be less than 76 characters ${at}/options/0/text/text]`,
    ],
    [{ type: 'checkboxes', options: options(11) }, `no more than 10 items allowed ${at}/options]`],
    [{ type: 'radio_buttons', options: options(11) }, `no more than 10 items allowed ${at}/options]`],
    [{ type: 'file_input', max_files: 11 }, `must be less than 11 ${at}/max_files]`],
    [{ type: 'button', text: text('Go') }, `unsupported type: button ${at}/type]`],
  ];
  for (const [element, complaint] of cases)
    expect(complaintsOf(field(element)).at(-1), JSON.stringify(element).slice(0, 80)).toContain(complaint);

  const menu = { type: 'overflow', options: options(6) };
  const section = { type: 'section', text: text('More'), accessory: menu };
  expect(complaintsOf(modal([section])).at(-1)).toBe(
    '[ERROR] no more than 5 items allowed [json-pointer:/view/blocks/0/accessory/options]',
  );
  expect(checkBlocks([section])).toEqual({
    ok: false,
    error: 'invalid_blocks',
    messages: ['[ERROR] no more than 5 items allowed [json-pointer:/blocks/0/accessory/options]'],
  });
});
