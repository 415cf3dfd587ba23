import { describe, expect, test } from 'vitest';

import {
  type FormView,
  formModal,
  matchingOptions,
  matchingKinds,
} from '../../../src/bridge/features/forms/blocks.ts';
import { customFieldType, isTooLong, SOMETHING_ELSE } from '../../../src/contract/index.ts';
import { checkView } from '../../../src/sandbox/blocks/check.ts';
import { field, form } from './form-samples.ts';

const menus = {
  statuses: [{ id: 'sts_1', label: 'Open' }],
  tags: [{ id: 'tag_1', label: 'vip' }],
};
interface Shown {
  block_id?: string;
  optional?: boolean;
  hint?: { text: string };
  element: Record<string, unknown> & { option_groups?: { label: { text: string } }[] };
}

const view = (more: Partial<FormView>): FormView => ({
  forms: [],
  chosen: undefined,
  filled: {},
  menus,
  ...more,
});
const drawn = (more: Partial<FormView>) => {
  const modal = formModal(view(more), '{}');
  // The sandbox rejects what chat would reject.
  expect(checkView(JSON.parse(JSON.stringify(modal)), 'modal')).toMatchObject({ ok: true });
  return modal.blocks as unknown as Shown[];
};
const inputOf = (type: string, more: Parameters<typeof field>[2] = {}, filled = {}) => {
  const one = form([field('it', type, more)]);
  return drawn({ forms: [one], chosen: one, filled }).find(({ block_id }) => block_id === 'field:it');
};

describe('inputs of a form', () => {
  const inputs: Record<(typeof customFieldType.options)[number], string> = {
    TEXT: 'plain_text_input',
    TEXT_AREA: 'plain_text_input',
    NUMBER: 'number_input',
    DATE: 'datepicker',
    TIME: 'timepicker',
    DATETIME: 'datetimepicker',
    BOOLEAN: 'radio_buttons',
    SELECT: 'static_select',
    MULTI_SELECT: 'multi_static_select',
    USER_SELECT: 'users_select',
    USER_MULTI_SELECT: 'multi_users_select',
    TAG_SELECT: 'multi_static_select',
    PRIORITY_SELECT: 'static_select',
    STATUS_SELECT: 'static_select',
    FILE_PICKER: 'file_input',
    HEADING: '',
    DIVIDER: '',
    TEXT_BLOCK: '',
  };
  test.each(customFieldType.options.map((type) => [type, inputs[type]] as const))(
    'B37 a %s field is asked with %s',
    (type, element) => {
      const block = inputOf(type, { options: ['One', 'Two'], required: true });
      expect(block?.element.type ?? '').toBe(element);
      if (block) expect(block.optional).toBe(false);
    },
  );

  test('B37 the description of a field is the hint below its input', () => {
    expect(inputOf('TEXT', { description: ' Which floor? ' })?.hint?.text).toBe('Which floor?');
    expect(inputOf('TEXT', { description: ' ' })).not.toHaveProperty('hint');
  });

  test.each<[string, string, unknown, object]>([
    ['an e-mail address', 'TEXT', { format: 'email' }, { type: 'email_text_input' }],
    ['a web address', 'TEXT', { format: 'url' }, { type: 'url_text_input' }],
    ['a text with a length limit', 'TEXT', { min: 3, max: 9_999 }, { min_length: 3, max_length: 3_000 }],
    ['a number within bounds', 'NUMBER', { min: 1, max: 5 }, { min_value: '1', max_value: '5' }],
    ['a whole number', 'NUMBER', { decimals: false }, { is_decimal_allowed: false }],
    ['a placeholder', 'DATE', { placeholder: 'When?' }, { placeholder: { text: 'When?' } }],
    ['an invalid config is ignored', 'TEXT', 'anything', { type: 'plain_text_input' }],
  ])('B37 the config of a field sets its input: %s', (_, type, config, element) => {
    expect(inputOf(type, { config })?.element).toMatchObject(element);
  });

  test.each<[string, object, string, unknown]>([
    ['TEXT', {}, 'initial_value', 'x'],
    ['NUMBER', {}, 'initial_value', '7'],
    ['DATE', {}, 'initial_date', '2026-01-01'],
    ['TIME', {}, 'initial_time', '09:30'],
    ['DATETIME', {}, 'initial_date_time', 1_900_000_000],
    ['BOOLEAN', {}, 'initial_option', { value: 'no' }],
    ['SELECT', { options: ['One'] }, 'initial_option', { value: 'opt_One' }],
    ['MULTI_SELECT', { options: ['One', 'Two'] }, 'initial_options', [{ value: 'opt_Two' }]],
    ['USER_SELECT', {}, 'initial_user', 'U1'],
    ['USER_MULTI_SELECT', {}, 'initial_users', ['U1']],
    ['PRIORITY_SELECT', {}, 'initial_option', { value: 'LOW' }],
  ])('B37 a form that is opened again shows the previous values: %s', (type, more, key, held) => {
    const values: Record<string, unknown> = {
      NUMBER: '7',
      DATE: '2026-01-01',
      TIME: '09:30',
      DATETIME: '1900000000',
      BOOLEAN: 'no',
      SELECT: 'opt_One',
      MULTI_SELECT: ['opt_Two'],
      USER_SELECT: 'U1',
      USER_MULTI_SELECT: ['U1'],
      PRIORITY_SELECT: 'LOW',
    };
    const input = inputOf(type, more, { 'field:it': values[type] ?? 'x' });
    const shown = input?.element[key];
    expect(typeof held === 'object' ? JSON.stringify(shown) : shown).toEqual(
      typeof held === 'object'
        ? expect.stringContaining(JSON.stringify(held).replaceAll(/[[\]{}]/g, ''))
        : held,
    );
  });
});

describe('limits of a form', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `Choice ${index}`);

  test('B37 a select with more than a hundred choices searches while the user types', () => {
    expect(inputOf('SELECT', { options: many(100) })?.element.type).toBe('static_select');
    expect(inputOf('SELECT', { options: many(101) })?.element.type).toBe('external_select');
    expect(inputOf('MULTI_SELECT', { options: many(101) })?.element.type).toBe('multi_external_select');
    const records = many(150).map((label) => ({ id: label, label }));
    expect(matchingOptions(records, 'choice 14').options).toHaveLength(12);
    expect(matchingOptions(records, '').options).toHaveLength(100);
  });

  test('B37 request types are grouped by collection; a menu with more than a hundred searches while the user types', () => {
    const it = { id: 'rqt_9', name: 'IT services' };
    const forms = [form([], { id: 'a', name: 'Laptop', parent: it }), form([], { id: 'b', name: 'Party' })];
    const [menu] = drawn({ forms });
    expect(menu?.element.option_groups?.map(({ label }) => label.text)).toEqual([
      'Other requests',
      'IT services',
      'None of these',
    ]);
    const crowd = many(101).map((name) => form([], { id: name, name }));
    expect(drawn({ forms: crowd })[0]?.element.type).toBe('external_select');
    expect(drawn({ forms: crowd.slice(0, 99) })[0]?.element.type).toBe('static_select');
    expect(matchingKinds(crowd, '')).toMatchObject({ options: { length: 100 } });
  });

  test('B37 a form with many fields stays within a hundred blocks: fields that only show something are dropped first', () => {
    const questions = many(90).map((key) => field(key, 'TEXT'));
    const headings = many(20).map((key) => field(`about ${key}`, 'HEADING'));
    const long = form([...headings, ...questions]);
    const blocks = drawn({ forms: [long], chosen: long });
    expect(blocks).toHaveLength(93);
    expect(isTooLong(long)).toBe(false);
    expect(isTooLong(form(many(98).map((key) => field(key, 'TEXT'))))).toBe(true);
  });

  test('B37 every menu of request types ends with Something else, for requests that fit none', () => {
    const menu = (names: string[]) => {
      const [kinds] = drawn({ forms: names.map((name) => form([], { id: name, name })) });
      const element = kinds?.element as unknown as { options: { text: { text: string } }[] };
      return element.options.map(({ text }) => text.text);
    };
    expect(menu(['Laptop', 'Party'])).toEqual(['Laptop', 'Party', 'Something else']);
    expect(menu(['Laptop'])).toEqual(['Laptop', 'Something else']);
    expect(matchingKinds([], 'toner')).toMatchObject({ options: [{ value: 'something-else' }] });
    const chosen = drawn({ forms: [form([], { id: 'a', name: 'Laptop' })], chosen: SOMETHING_ELSE });
    expect(chosen.map(({ block_id }) => block_id)).toEqual(['ask:type', 'ask:title', 'ask:description']);
    expect(JSON.stringify(chosen[0]?.element)).toContain(
      '"initial_option":{"text":{"type":"plain_text","text":"Something else"',
    );
  });

  test('B37 without request types a form asks for a title and a description', () => {
    expect(drawn({}).map(({ block_id }) => block_id)).toEqual(['ask:title', 'ask:description']);
  });
});
