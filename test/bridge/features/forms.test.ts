import { describe, expect, test } from 'vitest';

import { openingPosts } from '../../../src/bridge/features/forms/submit-form.ts';
import { isOver, lastMomentOf } from '../../../src/bridge/blocks/time.ts';
import { askedFields, readForm, type Reading, formErrors } from '../../../src/bridge/features/forms/rules.ts';
import { asksTitle } from '../../../src/contract/index.ts';
import type { Filled } from '../../../src/bridge/slack/interaction.ts';
import { field, form } from './form-samples.ts';

const reading: Reading = {
  people: new Map([
    ['U1', { userId: 'usr_1', name: 'Ada' }],
    ['U2', { userId: 'usr_2', name: 'Ben' }],
  ]),
  timeZone: 'Europe/Madrid',
};

describe('values of a form', () => {
  test.each<[type: string, typed: Filled[string], value: unknown, options?: string[]]>([
    ['TEXT', ' two words ', 'two words'],
    ['TEXT_AREA', 'a\nb', 'a\nb'],
    ['NUMBER', '2.5', 2.5],
    ['NUMBER', 'many', undefined],
    ['DATE', '2026-12-24', '2026-12-24'],
    ['TIME', '09:30', '09:30'],
    ['DATETIME', '1900000000', '2030-03-17T17:46:40.000Z'],
    ['BOOLEAN', 'yes', true],
    ['BOOLEAN', 'no', false],
    ['SELECT', 'opt_Laptop', 'Laptop', ['Laptop', 'Phone']],
    ['SELECT', 'opt_gone', undefined, ['Laptop']],
    ['MULTI_SELECT', ['opt_Phone', 'opt_Laptop'], ['Phone', 'Laptop'], ['Laptop', 'Phone']],
    ['USER_SELECT', 'U1', 'usr_1'],
    ['USER_MULTI_SELECT', ['U2', 'U1'], ['usr_2', 'usr_1']],
    ['TAG_SELECT', ['tag_1'], ['tag_1']],
    ['PRIORITY_SELECT', 'URGENT', 'URGENT'],
    ['STATUS_SELECT', 'sts_1', 'sts_1'],
    ['FILE_PICKER', ['https://files.example/a.png'], ['https://files.example/a.png']],
    ['SOMETHING_NEW', 'in words', 'in words'],
    ['HEADING', 'typed', undefined],
    ['TEXT', null, undefined],
    ['MULTI_SELECT', [], undefined],
  ])('B37 %s: %j is %j', (type, typed, value, options = []) => {
    const request = readForm(form([field('it', type, { options })]), { 'field:it': typed }, reading);
    expect(request.customFields['it']).toEqual(value);
  });

  test.each<[ticketField: string, type: string, typed: Filled[string], fields: object]>([
    ['PRIORITY', 'PRIORITY_SELECT', 'HIGH', { priority: 'HIGH' }],
    ['STATUS', 'STATUS_SELECT', 'sts_1', { statusId: 'sts_1' }],
    ['REQUESTER', 'USER_SELECT', 'U2', { requesterId: 'usr_2' }],
    ['ASSIGNEE', 'USER_SELECT', 'U2', { assigneeId: 'usr_2' }],
    ['APPROVERS', 'USER_MULTI_SELECT', ['U1', 'U2'], { approverIds: ['usr_1', 'usr_2'] }],
    ['FOLLOWERS', 'USER_SELECT', 'U1', { followers: [{ id: 'usr_1' }] }],
    ['DUE_DATE', 'DATE', '2026-07-01', { dueAt: '2026-07-01T21:59:59.000Z' }],
    ['DUE_DATE', 'DATETIME', '1900000000', { dueAt: '2030-03-17T17:46:40.000Z' }],
  ])(
    'B37 a field that stands for %s (%s) sets that field of the ticket',
    (ticketField, type, typed, fields) => {
      const request = readForm(form([field('it', type, { ticketField })]), { 'field:it': typed }, reading);
      expect(request.fields).toEqual(fields);
    },
  );

  test('B37 title and description come from fields of the request type, or from the form’s own', () => {
    const own = { 'ask:title': ' Mine ', 'ask:description': 'words' };
    expect(readForm(undefined, own, reading)).toMatchObject({ title: 'Mine', description: 'words' });
    const mapped = form([
      field('what', 'TEXT', { ticketField: 'TITLE' }),
      field('why', 'TEXT_AREA', { ticketField: 'DESCRIPTION' }),
    ]);
    const filled = { 'field:what': 'Theirs', 'field:why': 'because' };
    expect(readForm(mapped, filled, reading)).toMatchObject({
      title: 'Theirs',
      description: 'because',
      shown: [],
    });
    expect([asksTitle(undefined), asksTitle(mapped)]).toEqual([true, false]);
    expect(asksTitle(form([], { titleTemplate: '{{requestType}}' }))).toBe(false);
  });

  test('B37 a date and time is shown in each reader’s own time zone', () => {
    const asked = form([field('starts', 'DATETIME')]);
    const { shown } = readForm(
      asked,
      { 'field:starts': '1900000000' },
      { people: new Map(), timeZone: null },
    );
    expect(shown.map(({ at }) => at?.toISOString())).toEqual(['2030-03-17T17:46:40.000Z']);
  });

  test('B37 fields for the team only and bare ids are not shown', () => {
    const request = readForm(
      form([
        field('cost', 'TEXT', { private: true }),
        field('device', 'SELECT', { options: ['Laptop'] }),
        field('who', 'USER_SELECT'),
        field('tags', 'TAG_SELECT'),
      ]),
      { 'field:cost': 'CC-7', 'field:device': 'opt_Laptop', 'field:who': 'U2', 'field:tags': ['tag_1'] },
      reading,
    );
    expect(request.customFields).toMatchObject({ cost: 'CC-7', tags: ['tag_1'] });
    expect(request.shown).toEqual([
      { label: 'device', value: 'Laptop' },
      { label: 'who', value: 'Ben' },
    ]);
  });
});

describe('which questions are asked', () => {
  const device = field('device', 'SELECT', { options: ['Laptop', 'Phone'] });
  const size = field('size', 'TEXT', { parentId: device.id, dependsOnValue: 'Laptop' });
  const reason = field('reason', 'TEXT', { parentId: size.id });
  const chain = form([device, size, reason]);
  const asked = (filled: Filled) => askedFields(chain, filled).map(({ customField: { key } }) => key);

  test.each<[string, Filled, string[]]>([
    ['nothing is chosen', {}, ['device']],
    ['another value is chosen', { 'field:device': 'opt_Phone' }, ['device']],
    ['the value is chosen, by its id', { 'field:device': 'opt_Laptop' }, ['device', 'size']],
    ['the value is chosen, by its label', { 'field:device': 'Laptop' }, ['device', 'size']],
    [
      'its dependent field is filled in too',
      { 'field:device': 'opt_Laptop', 'field:size': '14' },
      ['device', 'size', 'reason'],
    ],
    ['the first answer was changed later', { 'field:device': 'opt_Phone', 'field:size': '14' }, ['device']],
  ])('B37 a dependent field is asked only with its condition: %s', (_, filled, keys) => {
    expect(asked(filled)).toEqual(keys);
    const answered = readForm(chain, { ...filled, 'field:reason': 'old' }, reading).customFields;
    expect(Object.keys(answered).every((key) => keys.includes(key))).toBe(true);
  });

  test('B37 a field can depend on a yes or no, and fields in a cycle are asked', () => {
    const open = field('open', 'BOOLEAN');
    const then = field('then', 'TEXT', { parentId: open.id, dependsOnValue: 'true' });
    expect(askedFields(form([open, then]), { 'field:open': 'no' })).toHaveLength(1);
    expect(askedFields(form([open, then]), { 'field:open': 'yes' })).toHaveLength(2);
    const a = field('a', 'TEXT', { parentId: 'rtf_b' });
    const b = field('b', 'TEXT', { parentId: 'rtf_a' });
    const below = field('below', 'TEXT', { parentId: 'rtf_a' });
    const alone = askedFields(form([a, b, below]), {});
    expect(alone.map(({ customField: { key } }) => key)).toEqual(['a', 'b']);
    expect(askedFields(form([a, b, below]), { 'field:a': 'x' })).toHaveLength(3);
  });
});

describe('validation of a form', () => {
  const now = new Date('2026-11-20T11:00:00Z');
  const right = { filled: {}, shown: null, required: [], due: [] };
  test.each<[string, Parameters<typeof formErrors>[0], string[]]>([
    ['nothing', right, []],
    [
      'another request type was chosen than the form shows',
      { ...right, filled: { 'ask:type': 'rqt_2' }, shown: 'rqt_1' },
      ['ask:type'],
    ],
    [
      'the request type that the form shows',
      { ...right, filled: { 'ask:type': 'rqt_1' }, shown: 'rqt_1' },
      [],
    ],
    ['only blanks', { ...right, filled: { a: '  ' }, required: ['a'] }, ['a']],
    ['blanks in an optional field', { ...right, filled: { a: '  ' } }, []],
    ['a past day', { ...right, filled: { d: '2026-11-18' }, due: ['d'] }, ['d']],
    [
      'yesterday, which is today in another time zone',
      { ...right, filled: { d: '2026-11-19' }, due: ['d'] },
      [],
    ],
    ['a past time', { ...right, filled: { d: '1700000000' }, due: ['d'] }, ['d']],
    ['a future time', { ...right, filled: { d: '1900000000' }, due: ['d'] }, []],
  ])('B37 %s', (_, submitted, blocks) => {
    expect(Object.keys(formErrors(submitted, now))).toEqual(blocks);
  });
});

test.each([
  ['Europe/Madrid', '2026-12-24', '2026-12-24T22:59:59.000Z'],
  ['Europe/Madrid', '2026-07-01', '2026-07-01T21:59:59.000Z'],
  ['America/New_York', '2026-11-01', '2026-11-02T04:59:59.000Z'],
  ['Asia/Kolkata', '2026-01-01', '2026-01-01T18:29:59.000Z'],
  ['Nowhere/At_All', '2026-01-01', '2026-01-01T23:59:59.000Z'],
  [null, '2026-01-01', '2026-01-01T23:59:59.000Z'],
])('B37 a due day ends at its end in %s: %s', (zone, day, end) => {
  expect(lastMomentOf(day, zone).toISOString()).toBe(end);
  expect(isOver(day, new Date(end))).toBe(false);
});

describe('B20 the first posts of a form', () => {
  const person = { name: 'Ada' };
  const texts = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(texts).join('');
    if (typeof value !== 'object' || value === null) return '';
    const { text, elements } = value as Record<string, unknown>;
    return (typeof text === 'string' ? text : texts(text)) + texts(elements);
  };
  const long = (words: number) => Array.from({ length: words }, (_, at) => `word${at}`).join(' ');
  const answers = (count: number, length: number) =>
    Array.from({ length: count }, (_, at) => ({
      label: `Question ${at}`,
      value: `${at}${'x'.repeat(length)}`,
    }));

  test.each<[what: string, description: string, count: number, length: number, posts: number]>([
    ['nothing', '', 0, 0, 1],
    ['a description', 'It is broken', 0, 0, 1],
    ['answers alone', '', 3, 10, 1],
    ['a description and answers', 'It is broken', 3, 10, 1],
    ['a long description', long(1_500), 0, 0, 4],
    ['a long description and answers', long(1_500), 3, 10, 4],
    ['long answers', 'It is broken', 6, 2_900, 6],
    ['many answers', 'It is broken', 40, 200, 3],
    ['both long', long(1_500), 6, 2_900, 9],
  ])('%s: every word is there once and in order', (_, description, count, length, posts) => {
    const shown = answers(count, length);
    const { blocks, more = [] } = openingPosts(person, { title: 'Help', shown }, description, undefined);
    const all = [blocks, ...more.map((one) => one.blocks)].map(texts).join(' ');
    const expected = ['Help', description, ...shown.map(({ label, value }) => `${label}: ${value}`)].join(
      ' ',
    );
    const squeezed = (text: string) => text.replaceAll(/\s+/g, '');
    expect(squeezed(all)).toBe(squeezed(expected));
    expect(1 + more.length).toBe(posts);
    for (const one of [blocks, ...more.map((each) => each.blocks)])
      expect(texts(one).length).toBeLessThan(12_000);
  });
});
