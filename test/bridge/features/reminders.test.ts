import { expect, test } from 'vitest';

import { reminderLine } from '../../../src/bridge/features/reminders/index.ts';
import { remindersOf, type ReminderFacts } from '../../../src/bridge/features/reminders/rules.ts';

const ticket: ReminderFacts = {
  createdAt: '2026-11-21T09:00:00.000Z',
  respondedAt: null,
  snoozeUntil: null,
  dueAt: null,
  firstReplyDueAt: null,
  resolutionDueAt: null,
  ended: false,
  target: undefined,
};
const target = { responseMinutes: 60, resolutionMinutes: 600 };

test.each<[string, Partial<ReminderFacts>, string[]]>([
  ['not without a reason', {}, []],
  ['when its snooze ends', { snoozeUntil: '2026-11-22T08:00:00.000Z' }, ['snooze 2026-11-22T08:00:00.000Z']],
  ['at its due date', { dueAt: '2026-11-23T08:00:00.000Z' }, ['due 2026-11-23T08:00:00.000Z']],
  [
    'for its targets, each after four fifths of its time and at its end',
    { target },
    [
      'response-soon 2026-11-21T09:48:00.000Z',
      'response-late 2026-11-21T10:00:00.000Z',
      'resolution-soon 2026-11-21T17:00:00.000Z',
      'resolution-late 2026-11-21T19:00:00.000Z',
    ],
  ],
  [
    'at the due times of a service that counts business hours, and a fifth of the target before',
    { target, firstReplyDueAt: '2026-11-23T09:00:00.000Z', resolutionDueAt: '2026-11-24T10:00:00.000Z' },
    [
      'response-soon 2026-11-23T08:48:00.000Z',
      'response-late 2026-11-23T09:00:00.000Z',
      'resolution-soon 2026-11-24T08:00:00.000Z',
      'resolution-late 2026-11-24T10:00:00.000Z',
    ],
  ],
  [
    'not for a reply that was given',
    { target, respondedAt: '2026-11-21T09:10:00.000Z' },
    ['resolution-soon 2026-11-21T17:00:00.000Z', 'resolution-late 2026-11-21T19:00:00.000Z'],
  ],
  ['not for an invalid target', { target: { responseMinutes: null, resolutionMinutes: null } }, []],
  ['not once it is done', { ended: true, target, dueAt: '2026-11-23T08:00:00.000Z' }, []],
])('B43 a team is reminded of a ticket: %s', (_, change, wanted) => {
  const reminders = remindersOf({ ...ticket, ...change });
  expect(reminders.map(({ kind, at }) => `${kind} ${at.toISOString()}`)).toEqual(wanted);
});

test('B43 a reminder names the ticket and its assignee, mentions nobody, and shows no title that it was not given', () => {
  const subject = { code: 'IT-42', url: 'https://desk.example/tickets/IT-42', title: '<!channel> & me' };
  expect(reminderLine('due', { ...subject, assignee: 'Mira <@U1>' })).toBe(
    ':calendar: *<https://desk.example/tickets/IT-42|IT-42>* “&lt;!channel&gt; &amp; me” is due now; Mira &lt;@U1&gt; has it.',
  );
  expect(reminderLine('snooze', { ...subject, title: undefined })).toBe(
    ':alarm_clock: *<https://desk.example/tickets/IT-42|IT-42>* is back from its snooze; it is unassigned.',
  );
});
