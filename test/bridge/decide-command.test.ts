import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { matchName, parseCommand, parseRef } from '../../src/bridge/decide/command.ts';
import { titleOf, TITLE_CHARACTERS } from '../../src/bridge/decide/title.ts';

describe('B32 what somebody typed', () => {
  test.each([
    ['', { do: 'help' }],
    ['  HELP ', { do: 'help' }],
    ['new The printer burns', { do: 'new', title: 'The printer burns' }],
    ['search vpn  login', { do: 'search', words: 'vpn  login' }],
    ['show IT-42', { do: 'show', ref: 'IT-42' }],
    ['status IT-42 in progress', { do: 'status', ref: 'IT-42', status: 'in progress' }],
  ])('%j is understood', (text, expected) => {
    expect(parseCommand(text)).toEqual(expected);
  });

  test.each(['new', 'search', 'show', 'status', 'status IT-1'])(
    'B36 %j is answered with what is missing and how it is typed',
    (text) => {
      expect(parseCommand(text)).toMatchObject({
        do: 'incomplete',
        missing: expect.any(String) as string,
        usage: expect.any(String) as string,
      });
    },
  );

  test('B36 an unknown word is named', () => {
    expect(parseCommand('frobnicate now')).toEqual({ do: 'unknown', word: 'frobnicate' });
  });

  test('no text at all makes the parser throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseCommand(text)));
  });
});

describe('B33 how a ticket is named', () => {
  test.each([
    ['IT-42', { kind: 'code', code: 'IT-42' }],
    ['it-42', { kind: 'code', code: 'IT-42' }],
    ['#42', { kind: 'number', number: 42 }],
    ['https://desk.example/tickets/IT-42', { kind: 'code', code: 'IT-42' }],
    ['<https://desk.example/tickets/IT-42?tab=all|IT-42>', { kind: 'code', code: 'IT-42' }],
    ['tkt_01jd0000000000000000000000', { kind: 'id', id: 'tkt_01jd0000000000000000000000' }],
    [
      'https://acme.slack.example/archives/C0ITHELP00/p1700000000000100?thread_ts=1.2',
      { kind: 'message', channel: 'C0ITHELP00', ts: '1700000000.000100' },
    ],
    ['42 potatoes', undefined],
    ['../users', undefined],
    ['https://desk.example/tickets/%2e%2e', undefined],
  ])('%s', (typed, expected) => {
    expect(parseRef(typed)).toEqual(expected);
  });

  test('no reference at all makes the parser throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withFragments: true })),
        (text) => void parseRef(text),
      ),
    );
  });
});

describe('B33 how a status is named', () => {
  const statuses = ['Open', 'In Progress', 'Waiting', 'Waiting on vendor', 'Done', 'Closed'].map((label) => ({
    label,
  }));
  test.each([
    ['done', { found: { label: 'Done' } }],
    ['IN-PROGRESS', { found: { label: 'In Progress' } }],
    ['prog', { found: { label: 'In Progress' } }],
    ['waiting', { found: { label: 'Waiting' } }],
    ['wait', { candidates: [{ label: 'Waiting' }, { label: 'Waiting on vendor' }] }],
    ['finished', undefined],
    ['', undefined],
  ])('%j', (typed, expected) => {
    expect(matchName(typed, statuses)).toEqual(expected);
  });
});

describe('B6 the title', () => {
  test.each([
    ['My laptop does not start. I tried twice.', 'My laptop does not start'],
    ['Hi! My laptop does not start.', 'Hi! My laptop does not start'],
    ['Where is my badge? Thanks', 'Where is my badge?'],
    ['first line\nsecond line', 'first line'],
    ['', ''],
  ])('%j', (words, title) => {
    expect(titleOf(words)).toBe(title);
  });

  test('is always shorter than 120 characters and never ends in half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (words) => {
        const title = titleOf(words);
        expect(title.length).toBeLessThan(TITLE_CHARACTERS + 1);
        expect(title.isWellFormed()).toBe(true);
      }),
    );
  });
});
