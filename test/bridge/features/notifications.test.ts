import { describe, expect, test } from 'vitest';

import {
  approversToAsk,
  wantsSurvey,
  type AskFacts,
  mayStillChange,
} from '../../../src/bridge/features/approvals/rules.ts';
import {
  decideNotices,
  isWanted,
  mayRead,
  type NewMessage,
  type NoticeFacts,
} from '../../../src/bridge/features/notifications/rules.ts';

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

/** Who hears what, as `person: kind`, in order. */
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

describe('B43 who hears what of a ticket', () => {
  test.each<[string, Change, string[]]>([
    ['nothing where nothing happened', {}, []],
    [
      'the new assignee, and the one before',
      { now: { assigneeId: 'sam' } },
      ['sam: assigned', 'mira: passed-on'],
    ],
    [
      'nobody of taking it themselves',
      { now: { assigneeId: 'sam' }, actors: { assigneeId: 'sam' } },
      ['mira: passed-on'],
    ],
    [
      'nobody of giving it away themselves',
      { now: { assigneeId: 'sam' }, actors: { assigneeId: 'mira' } },
      ['sam: assigned'],
    ],
    [
      'assignee and followers of a status, but not who set it',
      { now: { statusId: 'done' }, actors: { statusId: 'mira' } },
      ['fay: status'],
    ],
    ['who did it is not known: all of them', { now: { statusId: 'done' } }, ['mira: status', 'fay: status']],
    [
      'who is assignee and follower once',
      { now: { statusId: 'done', followers: ['mira'] } },
      ['mira: status'],
    ],
    [
      'assignee and followers of a decision, but not who decided',
      { now: { isDecided: true, decidedBy: 'fay' } },
      ['mira: decided'],
    ],
    ['assignee and followers of an answer', { messages: [{}] }, ['mira: reply', 'fay: reply']],
    ['not its author', { messages: [{ authorId: 'fay' }] }, ['mira: reply']],
    ['not whom chat itself tells of it', { messages: [{ heardBy: new Set(['mira']) }] }, ['fay: reply']],
    ['the assignee alone of a note', { messages: [{ private: true }] }, ['mira: note']],
    [
      'whoever is named of that, and not of the answer besides',
      { messages: [{ mentions: ['mira', 'joe'] }] },
      ['mira: mention', 'joe: mention', 'fay: reply'],
    ],
    ['nobody who names themselves', { messages: [{ mentions: ['ada'] }] }, ['mira: reply', 'fay: reply']],
  ])('%s', (_, change, wanted) => {
    expect(told(change)).toEqual(wanted);
  });

  test.each<[string, Change, string[]]>([
    ['a new ticket’s assignee', {}, ['mira: assigned']],
    ['not one who assigned it to themselves in opening it', { now: { authorId: 'mira' } }, []],
    [
      'nobody of an older ticket that was theirs before',
      { now: { createdAt: '2026-10-01T00:00:00.000Z' } },
      [],
    ],
    [
      'of an older ticket that was assigned since',
      { now: { createdAt: '2026-10-01T00:00:00.000Z', assignedAt: '2026-11-02T00:00:00.000Z' } },
      ['mira: assigned'],
    ],
    ['no status, for it has not changed', { now: { statusId: 'done' } }, ['mira: assigned']],
  ])('at the first look: %s', (_, change, wanted) => {
    expect(told(change, true)).toEqual(wanted);
  });

  test.each([
    ['all', 'status', false, true],
    ['mine', 'status', true, true],
    ['mine', 'status', false, false],
    ['mine', 'mention', false, true],
    ['mine', 'passed-on', false, true],
    ['none', 'assigned', true, false],
    ['none', 'mention', false, false],
  ] as const)('with “%s” a notice of %s (assignee: %s) is wanted: %s', (level, kind, isAssignee, wanted) => {
    expect(isWanted({ kind }, level, { isAssignee })).toBe(wanted);
  });

  test.each([
    ['a public answer', 'reply', { isNote: false, sees: true, isTeam: false }, true],
    ['what they may not see', 'mention', { isNote: false, sees: false, isTeam: false }, false],
    ['a note, outside the team', 'mention', { isNote: true, sees: true, isTeam: false }, false],
    ['a note, in the team', 'note', { isNote: true, sees: true, isTeam: true }, true],
    ['that it was taken from them', 'passed-on', { isNote: false, sees: false, isTeam: false }, true],
  ] as const)('B14 somebody may hear of %s', (_, kind, facts, wanted) => {
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
  ['those who were not yet', { asked: new Set(['ann']) }, ['bob']],
  ['also where the queue is silent', { settings: { enableCSAT: false, silentMode: true } }, ['ann', 'bob']],
  ['nobody once it is decided', { isDecided: true }, []],
])('B39 approvers are asked: %s', (_, change, wanted) => {
  expect(approversToAsk({ ...asking, ...change })).toEqual(wanted);
});

test.each<[string, Partial<AskFacts>, boolean]>([
  ['it becomes done', {}, true],
  ['it was done before', { groupBefore: 'Done' }, false],
  ['it is done again, and they were asked the first time', { surveyed: true }, false],
  ['it is closed', { group: 'Closed' }, false],
  ['the queue does not ask', { settings: { enableCSAT: false, silentMode: false } }, false],
  ['the queue is silent', { settings: { enableCSAT: true, silentMode: true } }, false],
  ['nobody asked for it', { requester: null }, false],
  ['it was never looked at, and ended long ago', { groupBefore: undefined }, false],
  [
    'it was never looked at, and ended since',
    { groupBefore: undefined, resolvedAt: '2026-11-02T00:00:00.000Z' },
    true,
  ],
])('B40 the requester is asked when %s: %s', (_, change, wanted) => {
  expect(wantsSurvey({ ...asking, ...change })).toBe(wanted);
});

test('B40 an answer may be changed for seven days after it was first given', () => {
  const given = new Date('2026-11-01T12:00:00.000Z');
  expect(mayStillChange(null, given)).toBe(true);
  expect(mayStillChange(given, new Date('2026-11-08T11:59:59.000Z'))).toBe(true);
  expect(mayStillChange(given, new Date('2026-11-08T12:00:00.000Z'))).toBe(false);
});
