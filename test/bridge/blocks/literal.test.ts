import { glob, readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { cardOf, hiddenCard, requesterCard, similarBlock } from '../../../src/bridge/blocks/card.ts';
import {
  detailsModal,
  manageModal,
  requesterModal,
  replyModal,
  sayingModal,
} from '../../../src/bridge/blocks/modals.ts';
import { pickBlocks, resultBlocks } from '../../../src/bridge/blocks/results.ts';
import { approvalMessage, surveyMessage } from '../../../src/bridge/features/approvals/blocks.ts';
import { formAgain, formModal } from '../../../src/bridge/features/forms/blocks.ts';
import { homeView } from '../../../src/bridge/features/home/blocks.ts';
import { noticeMessage } from '../../../src/bridge/features/notifications/blocks.ts';
import { firstPosts } from '../../../src/bridge/threads/first-post.ts';

/** Others' words: Slack would read all of this, if it were asked to. */
const TITLE = '@here rename _tmp_ to *prod* ~now~ `x` #general https://x.example :fire:';
const NAME = 'Ada *Reyes*';
const AT = new Date('2026-11-24T08:00:00Z');
const subject = { code: 'IT-1', url: 'https://desk.example/IT-1', title: TITLE };
const facts = {
  ...subject,
  status: 'Open',
  statusGroup: 'Open',
  priority: 'HIGH',
  requester: NAME,
  firstName: NAME,
  assignee: NAME,
  queue: 'IT *x*',
  private: true,
  approvers: [NAME],
  approval: 'declined' as const,
  decidedBy: NAME,
  reason: 'no *way*',
  words: TITLE,
  answering: NAME,
  due: AT,
  snoozedUntil: AT,
  reopened: true,
};
const similar = [{ id: 'tkt_2', ...subject, status: 'Done', isSolved: true, assignee: NAME }];
const team = {
  ticketId: 'tkt_1',
  version: 'v',
  for: 'team' as const,
  unassigned: true,
  statusId: 'sts_1',
  statuses: [{ id: 'sts_1', label: TITLE }],
  triage: true,
};
const manage = {
  ...subject,
  description: TITLE,
  statuses: [{ id: 'sts_1', label: TITLE }],
  statusId: 'sts_1',
  priorities: ['HIGH'],
  priority: 'HIGH',
  assignee: 'U1',
  assigned: true,
  queues: [{ id: 'que_1', label: TITLE }],
  queueId: 'que_1',
  due: AT,
  snooze: AT,
  tags: [{ id: 'tag_1', label: TITLE }],
  tagIds: ['tag_1'],
};
const approval = { ...subject, ticketId: 'tkt_1', requester: NAME, description: TITLE, isAsked: true };
const decision = { what: 'declined' as const, by: NAME, reason: TITLE };
const survey = { ...subject, ticketId: 'tkt_1', score: 4, feedback: TITLE, isOpen: true };
const line = {
  ...subject,
  id: 'tkt_1',
  status: 'Open',
  statusGroup: 'Open',
  priority: 'HIGH',
  thread: undefined,
  last: { by: NAME, words: TITLE, age: 'just now' },
  waits: true,
  onHoldBy: NAME,
  own: 'close' as const,
};
const notice = { status: 'Open', assignee: NAME, decision: 'declined' as const, reason: TITLE };

const DRAWN: [string, unknown][] = [
  ['the team’s card', cardOf({ ...facts, similar }, team)],
  ['another reader’s card', cardOf(facts)],
  [
    'the requester’s card',
    requesterCard(facts, { ticketId: 'tkt_1', version: 'v', for: 'requester', ended: false }),
  ],
  ['a hidden card', hiddenCard({ code: 'IT-1', private: true })],
  ['similar tickets', similarBlock('Similar', similar)],
  ['an approval', approvalMessage({ ...approval, decision: undefined })],
  ['a decided approval', approvalMessage({ ...approval, decision })],
  ['an approval that is not asked', approvalMessage({ ...approval, decision: undefined, isAsked: false })],
  ['a survey', surveyMessage(survey)],
  [
    'a notice',
    noticeMessage(
      subject,
      [
        { kind: 'assigned', by: NAME, words: null, isNote: false },
        { kind: 'status', by: NAME, words: null, isNote: false },
      ],
      notice,
    ),
  ],
  [
    'the Home',
    homeView({
      parts: { approvals: [line], assigned: [line], requests: [line], recent: [line] },
      place: { part: 'all', page: 1 },
      notice: undefined,
    }),
  ],
  [
    'results',
    resultBlocks(
      '1 ticket',
      [{ ...subject, status: 'Open', private: true, snoozedUntil: AT, createdAt: AT }],
      { next: 'n', share: 's', now: AT },
    ),
  ],
  ['a menu of tickets', pickBlocks('which ticket?', [{ id: 'tkt_1', code: 'IT-1', title: TITLE }], 'pick 1')],
  ['Manage', manageModal(manage, '{}')],
  ['Your request', requesterModal(subject, { ended: false, mergedInto: undefined }, '{}')],
  ['Reply to requester', replyModal('{}', 'x', NAME)],
  ['Add details', detailsModal('{}', 'x')],
  ['a window that says something', sayingModal('Why?', 'something')],
  [
    'a form',
    formModal(
      {
        forms: [],
        chosen: undefined,
        filled: { 'ask:title': TITLE },
        menus: { tags: [], statuses: [] },
        similar,
      },
      '{}',
    ),
  ],
  ['a form to open again', formAgain('why', 'frm_1')],
  ['the first message of a thread', firstPosts(TITLE)[0]],
];

interface TextObject {
  type: string;
  text: string;
  verbatim?: boolean;
}

/** Returns every text object that Slack reads as mrkdwn, however deep. */
function mrkdwnIn(value: unknown): TextObject[] {
  if (Array.isArray(value)) return value.flatMap(mrkdwnIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = (value as TextObject).type === 'mrkdwn' ? [value as TextObject] : [];
  return [...own, ...Object.values(value).flatMap(mrkdwnIn)];
}

test.each(DRAWN)('%s: Slack adds nothing to its texts, and a title is shown as it is', (_what, drawn) => {
  for (const object of mrkdwnIn(drawn)) {
    expect(object).toMatchObject({ verbatim: true });
    expect(object.text).not.toContain('rename');
  }
});

test('B6 every drawing but those without a ticket has the title', () => {
  const without = [
    'a hidden card',
    'Reply to requester',
    'Add details',
    'a window that says something',
    'a form to open again',
  ];
  for (const [what, drawn] of DRAWN)
    expect([what, JSON.stringify(drawn).includes('rename')]).toEqual([what, !without.includes(what)]);
});

test('texts that Slack reads as mrkdwn are made in one place', async () => {
  const made: string[] = [];
  for await (const file of glob('src/bridge/**/*.ts'))
    if (/type: 'mrkdwn'/.test(await readFile(file, 'utf8'))) made.push(file);
  expect(made).toEqual(['src/bridge/blocks/kit.ts']);
});
