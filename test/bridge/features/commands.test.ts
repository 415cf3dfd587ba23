import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  type Command,
  parseCommand,
  COMMAND_NAMES,
  COMMANDS,
  parseLink,
} from '../../../src/bridge/tickets/command-rules.ts';
import type { Bridge } from '../../../src/bridge/bridge.ts';
import { changeCommands } from '../../../src/bridge/features/commands/change.ts';
import { ChatError } from '../../../src/bridge/slack/errors.ts';
import { matchName, parseRef, titleFromText, TITLE_CHARACTERS } from '../../../src/bridge/tickets/rules.ts';
import { anyText } from '../../harness/any-text.ts';

describe('B32 parsing a command', () => {
  test.each<[string, Command]>([
    ['', { do: 'help', words: '' }],
    ['  HELP ', { do: 'help', words: '' }],
    ['help snooze', { do: 'help', words: 'snooze' }],
    ['new', { do: 'new', words: '' }],
    ['new The printer burns', { do: 'new', words: 'The printer burns' }],
    ['search vpn  login', { do: 'search', words: 'vpn  login' }],
    ['find vpn', { do: 'search', words: 'vpn' }],
    ['list', { do: 'list', words: '' }],
    ['list unassigned', { do: 'list', words: 'unassigned' }],
    ['mine', { do: 'list', words: 'mine' }],
    ['show IT-42', { do: 'show', ref: 'IT-42', words: '' }],
    ['show', { do: 'show', words: '' }],
    ['close #42', { do: 'close', ref: '#42', words: '' }],
    ['reopen', { do: 'reopen', words: '' }],
    ['status IT-42 in progress', { do: 'status', ref: 'IT-42', words: 'in progress' }],
    ['status in progress', { do: 'status', words: 'in progress' }],
    ['status waiting on vendor', { do: 'status', words: 'waiting on vendor' }],
    [
      'status <https://desk.example/tickets/IT-42> done',
      { do: 'status', ref: '<https://desk.example/tickets/IT-42>', words: 'done' },
    ],
    ['status tkt_01jd0000 done', { do: 'status', ref: 'tkt_01jd0000', words: 'done' }],
    ['assign IT-42 <@U0MIRALIND|mira>', { do: 'assign', ref: 'IT-42', words: '<@U0MIRALIND|mira>' }],
    ['assign <@U0MIRALIND|mira>', { do: 'assign', words: '<@U0MIRALIND|mira>' }],
    ['assign me', { do: 'assign', words: 'me' }],
    ['prio it-42 high', { do: 'priority', ref: 'it-42', words: 'high' }],
    ['reply IT-42 First line\nsecond', { do: 'reply', ref: 'IT-42', words: 'First line\nsecond' }],
    ['note it was the cable', { do: 'note', words: 'it was the cable' }],
    ['snooze IT-42 tomorrow 9am', { do: 'snooze', ref: 'IT-42', words: 'tomorrow 9am' }],
    ['snooze tomorrow 9am', { do: 'snooze', words: 'tomorrow 9am' }],
    ['due 2027-05-05', { do: 'due', words: '2027-05-05' }],
    ['link IT triage', { do: 'link', words: 'IT triage' }],
    ['settings bots on', { do: 'settings', words: 'bots on' }],
    ['run IT-42 Order a laptop', { do: 'run', ref: 'IT-42', words: 'Order a laptop' }],
    ['run onboarding', { do: 'run', words: 'onboarding' }],
    ['unlink', { do: 'unlink', words: '' }],
    ['stats', { do: 'stats', words: '' }],
  ])('%j is parsed', (text, expected) => {
    expect(parseCommand(text)).toEqual(expected);
  });

  test.each([
    ['search', 'the words to look for'],
    ['status', 'the new status'],
    ['status IT-1', 'the new status of IT-1'],
    ['due IT-1', 'the due date of IT-1'],
    ['reply #1', 'the reply of #1'],
    ['why', 'the link to a message (in its menu: *Copy link*), or a ticket such as IT-42'],
  ])('B36 %j is answered with what is missing', (text, missing) => {
    expect(parseCommand(text)).toEqual({ do: 'incomplete', of: text.split(' ')[0], missing });
  });

  test.each([
    ['frobnicate now', []],
    ['stat', ['status', 'stats']],
    ['closed IT-1', ['close']],
  ])('B36 %j is an unknown command; similar commands are suggested', (text, meant) => {
    expect(parseCommand(text)).toEqual({ do: 'unknown', word: text.split(' ')[0], meant });
  });

  test('B32 every command’s example is parsed as that command, with nothing missing', () => {
    for (const name of COMMAND_NAMES)
      expect(parseCommand(COMMANDS[name].example)).toMatchObject({ do: name });
  });

  test('the parser never throws', () => {
    fc.assert(fc.property(anyText(), (text) => void parseCommand(text)));
  });
});

describe('B33 references of tickets', () => {
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

  test('the reference parser never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.webUrl({ withFragments: true })), (text) => void parseRef(text)),
    );
  });
});

describe('B33 names of statuses', () => {
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

describe('B7 B56 the arguments of /ticket link', () => {
  test.each([
    ['IT', { queue: 'IT', triage: false, observe: false }],
    ['IT triage', { queue: 'IT', triage: true, observe: false }],
    ['People and Culture --observe', { queue: 'People and Culture', triage: false, observe: true }],
    ['IT —observe', { queue: 'IT', triage: false, observe: true }],
    ['--observe IT TRIAGE', { queue: 'IT', triage: true, observe: true }],
    ['IT triage Answers', { queue: 'IT', triage: true, teamThread: 'answers', observe: false }],
    ['IT notes', { queue: 'IT notes', triage: false, observe: false }],
    ['triage', { queue: 'triage', triage: false, observe: false }],
    ['', { queue: '', triage: false, observe: false }],
  ])('%j is split', (words, expected) => {
    expect(parseLink(words)).toEqual(expected);
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
    expect(titleFromText(words)).toBe(title);
  });

  test('is always shorter than 120 characters and never ends in half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (words) => {
        const title = titleFromText(words);
        expect(title.length).toBeLessThan(TITLE_CHARACTERS + 1);
        expect(title.isWellFormed()).toBe(true);
      }),
    );
  });
});

test('B36 an id that Slack does not know is refused as an assignee, before anything is written', async () => {
  const nothing = { where: () => nothing, executeTakeFirst: () => Promise.resolve(undefined) };
  const bridge = {
    bot: { team: 'T1' },
    chat: {
      profile: () =>
        Promise.reject(
          new ChatError('user_not_found', { next: 'give-up', code: 'user_not_found', certain: true }),
        ),
    },
    database: { db: { selectFrom: () => ({ selectAll: () => nothing }) } },
  } as unknown as Bridge;
  const { assign } = changeCommands;
  if (!('onTicket' in assign)) throw new Error('assign is about a ticket');
  const asked = { team: 'T1', words: '@U0NOBODY0', escaped: '<@U0NOBODY0>', person: { user_id: 'usr_ada' } };
  const ticket = { code: 'IT-1', assigneeId: null };
  type Asked = Parameters<typeof assign.onTicket>[1];
  type Named = Parameters<typeof assign.onTicket>[2];
  expect(await assign.onTicket(bridge, asked as unknown as Asked, ticket as unknown as Named)).toEqual({
    text: 'Slack does not know “@U0NOBODY0”. Pick a person from the list.',
    refused: true,
  });
});
