import { expect, test } from 'vitest';

import { reminderLine } from '../../../src/bridge/features/reminders/lines.ts';
import { addWorkingTime, type Hours, workingMinutes } from '../../../src/platform/working-time.ts';
import { remindersOf, type ReminderFacts } from '../../../src/bridge/features/reminders/rules.ts';

const ticket: ReminderFacts = {
  createdAt: '2026-11-21T09:00:00.000Z',
  respondedAt: null,
  snoozeUntil: null,
  dueAt: null,
  firstReplyDueAt: null,
  resolutionDueAt: null,
  slaPausedAt: null,
  allAway: false,
  ended: false,
  target: undefined,
  hours: undefined,
};
const WEEKDAYS = [1, 2, 3, 4, 5];
const WEEK: Hours = {
  timeZone: 'UTC',
  days: WEEKDAYS.map((day) => ({ day, from: '09:00', to: '17:00' })),
  holidays: [],
};
const target = { responseMinutes: 60, resolutionMinutes: 600 };

test.each<[string, Partial<ReminderFacts>, string[]]>([
  ['not without a reason', {}, []],
  [
    'at once if all who take turns were away',
    { allAway: true, dueAt: '2026-11-23T08:00:00.000Z' },
    ['all-away 2026-11-21T09:00:00.000Z', 'due 2026-11-23T08:00:00.000Z'],
  ],
  ['not once it is done, though all were away', { allAway: true, ended: true }, []],
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
    'at the due times of a service that counts business hours, and after four fifths of that time',
    {
      target,
      hours: WEEK,
      firstReplyDueAt: '2026-11-23T10:00:00.000Z',
      resolutionDueAt: '2026-11-24T11:00:00.000Z',
    },
    [
      'response-soon 2026-11-23T09:48:00.000Z',
      'response-late 2026-11-23T10:00:00.000Z',
      'resolution-soon 2026-11-23T17:00:00.000Z',
      'resolution-late 2026-11-24T11:00:00.000Z',
    ],
  ],
  [
    'not for a reply that was given',
    { target, respondedAt: '2026-11-21T09:10:00.000Z' },
    ['resolution-soon 2026-11-21T17:00:00.000Z', 'resolution-late 2026-11-21T19:00:00.000Z'],
  ],
  [
    'not of targets that wait for the requester',
    { target, slaPausedAt: '2026-11-21T09:10:00.000Z', dueAt: '2026-11-23T08:00:00.000Z' },
    ['due 2026-11-23T08:00:00.000Z'],
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

// The clocks change in Berlin on 2026-10-25 and 2026-03-29.
const BERLIN = { ...WEEK, timeZone: 'Europe/Berlin' };
const SUNDAYS = { ...BERLIN, days: [...BERLIN.days, { day: 7, from: '00:00', to: '24:00' }] };
const SPLIT = {
  ...BERLIN,
  days: WEEKDAYS.flatMap((day) => [
    { day, from: '08:00', to: '12:00' },
    { day, from: '13:00', to: '17:00' },
  ]),
};

test.each<[string, Hours, string, number, string]>([
  ['a night', WEEK, '2026-11-26T15:00:00Z', 240, '2026-11-27T10:12:00.000Z'],
  ['a day of work that begins late', WEEK, '2026-11-27T09:30:00Z', 480, '2026-11-27T15:54:00.000Z'],
  ['a weekend', WEEK, '2026-11-27T16:00:00Z', 120, '2026-11-30T09:36:00.000Z'],
  ['an opening at night', WEEK, '2026-11-26T22:27:00Z', 300, '2026-11-27T13:00:00.000Z'],
  [
    'a holiday',
    { ...WEEK, holidays: [{ date: '2026-12-25' }, { date: '2026-12-28' }] },
    '2026-12-24T16:00:00Z',
    120,
    '2026-12-29T09:36:00.000Z',
  ],
  ['a lunch break', SPLIT, '2026-11-26T10:30:00Z', 60, '2026-11-26T12:18:00.000Z'],
  ['several days', WEEK, '2026-11-23T09:00:00Z', 30 * 60, '2026-11-25T17:00:00.000Z'],
  ['the end of summer time', SUNDAYS, '2026-10-25T00:30:00Z', 120, '2026-10-25T02:06:00.000Z'],
  ['the beginning of summer time', SUNDAYS, '2026-03-29T00:30:00Z', 120, '2026-03-29T02:06:00.000Z'],
  ['a change of the clock on a weekend', BERLIN, '2026-10-23T14:00:00Z', 120, '2026-10-26T08:36:00.000Z'],
])('B43 the warning comes after four fifths of the business time, over %s', (_, hours, at, minutes, soon) => {
  const createdAt = new Date(at).toISOString();
  const target = { responseMinutes: minutes, resolutionMinutes: null };
  const due = addWorkingTime(hours, new Date(at), minutes);
  const firstReplyDueAt = due?.toISOString() ?? null;
  const reminders = remindersOf({ ...ticket, createdAt, target, hours, firstReplyDueAt });
  expect(reminders.map(({ kind, at: when }) => `${kind} ${when.toISOString()}`)).toEqual([
    `response-soon ${soon}`,
    `response-late ${firstReplyDueAt}`,
  ]);
  // Inside the hours: the minute that ends with it is a minute of work.
  const before = new Date(Date.parse(soon) - 60_000);
  expect(workingMinutes(hours, before, new Date(soon))).toBe(1);
});

test('B43 a warning that would come after its end, because the hours changed, is left out', () => {
  const reminders = remindersOf({
    ...ticket,
    target,
    hours: WEEK,
    firstReplyDueAt: '2026-11-21T10:00:00.000Z',
    respondedAt: null,
  });
  expect(reminders.map(({ kind }) => kind)).not.toContain('response-soon');
});
