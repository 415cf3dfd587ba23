import { describe, expect, test } from 'vitest';

import {
  approversToAsk,
  wantsSurvey,
  type AskFacts,
  mayStillChange,
} from '../../../src/bridge/features/approvals/rules.ts';
import { messageExcerpt } from '../../../src/bridge/features/notifications/blocks.ts';
import { isWanted, mayRead } from '../../../src/bridge/features/notifications/rules.ts';
import { decideNotices, type NewMessage, type NoticeFacts } from '../../../src/contract/index.ts';

const SINCE = '2026-11-01T00:00:00.000Z';
const seen = { assigneeId: 'mira', statusId: 'open', isDecided: false };
const record = {
  ...seen,
  authorId: 'ada',
  createdAt: '2026-11-02T00:00:00.000Z',
  assignedAt: null,
  followers: ['fay'],
  decidedBy: null,
};

interface Change {
  before?: NoticeFacts['before'];
  now?: Partial<NoticeFacts['now']>;
  messages?: Partial<NewMessage>[];
  actors?: Partial<Record<'assigneeId' | 'statusId', string>>;
}

/** The notices, as `person: kind`, in order. */
function told({ before = seen, now = {}, messages = [], actors = {} }: Change, first = false): string[] {
  const situation: NoticeFacts = {
    before: first ? undefined : before,
    now: { ...record, ...now },
    since: SINCE,
    messages: messages.map((message, at) => ({
      id: `m${at}`,
      authorId: 'ada',
      private: false,
      mentions: [],
      heardBy: new Set<string>(),
      ...message,
    })),
    actorOf: (field) => actors[field] ?? null,
  };
  return decideNotices(situation).map(({ user, kind }) => `${user}: ${kind}`);
}

describe('B43 who is notified of a ticket', () => {
  test.each<[string, Change, string[]]>([
    ['nobody without a change', {}, []],
    [
      'the new assignee and the previous one',
      { now: { assigneeId: 'sam' } },
      ['sam: assigned', 'mira: passed-on'],
    ],
    [
      'an agent who takes the ticket is not notified of it',
      { now: { assigneeId: 'sam' }, actors: { assigneeId: 'sam' } },
      ['mira: passed-on'],
    ],
    [
      'an agent who gives the ticket away is not notified of it',
      { now: { assigneeId: 'sam' }, actors: { assigneeId: 'mira' } },
      ['sam: assigned'],
    ],
    [
      'assignee and followers of a new status, except the user who set it',
      { now: { statusId: 'done' }, actors: { statusId: 'mira' } },
      ['fay: status'],
    ],
    ['with an unknown actor, all of them', { now: { statusId: 'done' } }, ['mira: status', 'fay: status']],
    [
      'an assignee who also follows, once',
      { now: { statusId: 'done', followers: ['mira'] } },
      ['mira: status'],
    ],
    [
      'assignee and followers of a decision, except the approver',
      { now: { isDecided: true, decidedBy: 'fay' } },
      ['mira: decided'],
    ],
    ['assignee and followers of an answer', { messages: [{}] }, ['mira: reply', 'fay: reply']],
    ['the author is not notified of their own answer', { messages: [{ authorId: 'fay' }] }, ['mira: reply']],
    [
      'users whom Slack itself notifies are left out',
      { messages: [{ heardBy: new Set(['mira']) }] },
      ['fay: reply'],
    ],
    ['only the assignee of an internal note', { messages: [{ private: true }] }, ['mira: note']],
    [
      'mentioned users of the mention, and not of the answer as well',
      { messages: [{ mentions: ['mira', 'joe'] }] },
      ['mira: mention', 'joe: mention', 'fay: reply'],
    ],
    [
      'users who mention themselves are left out',
      { messages: [{ mentions: ['ada'] }] },
      ['mira: reply', 'fay: reply'],
    ],
  ])('%s', (_, change, wanted) => {
    expect(told(change)).toEqual(wanted);
  });

  test.each<[string, Change, string[]]>([
    ['the assignee of a new ticket', {}, ['mira: assigned']],
    ['nobody if the author assigned the new ticket to themselves', { now: { authorId: 'mira' } }, []],
    [
      'nobody if the author, who has it, was perhaps the one who took it later',
      { now: { authorId: 'mira', assignedAt: '2026-11-02T00:00:00.500Z' } },
      [],
    ],
    ['nobody if an older ticket was assigned before', { now: { createdAt: '2026-10-01T00:00:00.000Z' } }, []],
    [
      'the assignee if an older ticket was assigned since',
      { now: { createdAt: '2026-10-01T00:00:00.000Z', assignedAt: '2026-11-02T00:00:00.000Z' } },
      ['mira: assigned'],
    ],
    [
      'nobody of a status, since the status before is unknown',
      { now: { statusId: 'done' } },
      ['mira: assigned'],
    ],
  ])('the first check of a ticket notifies %s', (_, change, wanted) => {
    expect(told(change, true)).toEqual(wanted);
  });

  test.each([
    ['its author, with whom it was opened so', { assignedAt: null }, undefined, 'ada'],
    ['its author, at the same instant', { assignedAt: record.createdAt }, undefined, 'ada'],
    ['nobody, after the opening', { assignedAt: '2026-11-02T00:00:00.500Z' }, undefined, null],
    ['who did it, if that is known', { assignedAt: '2026-11-02T00:00:00.500Z' }, 'sam', 'sam'],
  ])('the first check of a ticket names for its assignment %s', (_, now, actor, by) => {
    const facts = { before: undefined, now: { ...record, ...now }, since: SINCE, messages: [] };
    const notices = decideNotices({ ...facts, actorOf: () => actor ?? null });
    expect(notices).toEqual([{ user: 'mira', kind: 'assigned', by }]);
  });

  test.each([
    ['all', 'status', false, true],
    ['mine', 'status', true, true],
    ['mine', 'status', false, false],
    ['mine', 'mention', false, true],
    ['mine', 'passed-on', false, true],
    ['none', 'assigned', true, false],
    ['none', 'mention', false, false],
  ] as const)(
    'with the preference “%s” a %s notice (assignee: %s) is sent: %s',
    (level, kind, isAssignee, wanted) => {
      expect(isWanted({ kind }, level, { isAssignee })).toBe(wanted);
    },
  );

  test.each([
    ['a public answer', 'reply', { isNote: false, sees: true, isTeam: false }, true],
    ['a ticket that they cannot see', 'mention', { isNote: false, sees: false, isTeam: false }, false],
    ['an internal note, outside the team', 'mention', { isNote: true, sees: true, isTeam: false }, false],
    ['an internal note, in the team', 'note', { isNote: true, sees: true, isTeam: true }, true],
    [
      'the ticket being assigned to someone else',
      'passed-on',
      { isNote: false, sees: false, isTeam: false },
      true,
    ],
  ] as const)('B14 whether a user may be notified: %s', (_, kind, facts, wanted) => {
    expect(mayRead({ kind }, facts)).toBe(wanted);
  });
});

const asking: AskFacts = {
  approvers: ['ann', 'bob'],
  isDecided: false,
  requester: 'ada',
  group: 'Done',
  groupBefore: 'Open',
  createdAt: '2026-10-01T00:00:00.000Z',
  resolvedAt: null,
  since: SINCE,
  settings: { enableCSAT: true, silentMode: false },
  asked: new Set(),
  surveyed: false,
};

test.each<[string, Partial<AskFacts>, string[]]>([
  ['all of them', {}, ['ann', 'bob']],
  ['those not asked before', { asked: new Set(['ann']) }, ['bob']],
  ['also in a silent queue', { settings: { enableCSAT: false, silentMode: true } }, ['ann', 'bob']],
  ['nobody once it is decided', { isDecided: true }, []],
])('B39 approvers are asked: %s', (_, change, wanted) => {
  expect(approversToAsk({ ...asking, ...change })).toEqual(wanted);
});

test.each<[string, Partial<AskFacts>, boolean]>([
  ['the ticket becomes done', {}, true],
  ['the ticket was done before', { groupBefore: 'Done' }, false],
  ['the ticket is done again after a survey', { surveyed: true }, false],
  ['the ticket is closed', { group: 'Closed' }, false],
  ['the queue has surveys off', { settings: { enableCSAT: false, silentMode: false } }, false],
  ['the queue is silent', { settings: { enableCSAT: true, silentMode: true } }, false],
  ['the ticket has no requester', { requester: null }, false],
  ['a ticket never checked before ended long ago', { groupBefore: undefined }, false],
  [
    'a ticket never checked before ended recently',
    { groupBefore: undefined, resolvedAt: '2026-11-02T00:00:00.000Z' },
    true,
  ],
])('B40 the requester gets a survey if %s: %s', (_, change, wanted) => {
  expect(wantsSurvey({ ...asking, ...change })).toBe(wanted);
});

test('B40 a rating may be changed for seven days after it was first given', () => {
  const given = new Date('2026-11-01T12:00:00.000Z');
  expect(mayStillChange(null, given)).toBe(true);
  expect(mayStillChange(given, new Date('2026-11-08T11:59:59.000Z'))).toBe(true);
  expect(mayStillChange(given, new Date('2026-11-08T12:00:00.000Z'))).toBe(false);
});

describe('B43 what a notification quotes of a message', () => {
  const page = (name: string) => `[${name}](<https://acme.slack.com/files/U1/F1/x>) (image/png, 113 kB)`;
  test.each<[what: string, content: string, files: string[], words: string]>([
    ['words', 'Is it **any** better?', [], '“Is it any better?”'],
    ['words with a link', 'see [the guide](https://x.example)', [], '“see the guide”'],
    [
      'words and a file',
      `This is what I see\n\n${page('pic.png')}`,
      ['pic.png'],
      '“This is what I see” 📎 pic.png',
    ],
    ['words and a file that was not copied', `Look\n\n${page('pic.png')}`, [], '“Look” 📎 pic.png'],
    ['a file alone', page('pic.png'), ['pic.png'], '📎 pic.png'],
    ['files of the desk', 'Read these', ['a.pdf', 'b.pdf'], '“Read these” 📎 a.pdf, 📎 b.pdf'],
    [
      'many files',
      'Five',
      ['1.png', '2.png', '3.png', '4.png', '5.png'],
      '“Five” 📎 1.png, 📎 2.png, 📎 3.png, and 2 more',
    ],
    ['a long text', 'word '.repeat(200), [], `“${'word '.repeat(56).slice(0, 279).trimEnd()}…”`],
    [
      'a file that is mentioned within the text',
      `${page('a.png')}\n\nis it`,
      [],
      '“a.png (image/png, 113 kB) is it”',
    ],
  ])('%s', (_, content, files, words) => {
    expect(messageExcerpt({ content, files: files.map((name) => ({ name })) })).toBe(words);
  });
});
