import { describe, expect, test } from 'vitest';

import { actsOf, changesOf, windowErrors } from '../../../src/bridge/features/cards/rules.ts';
import { type Act, may } from '../../../src/bridge/tickets/rules.ts';

const ACTS: Act[] = [
  'assign',
  'status',
  'priority',
  'edit',
  'move',
  'snooze',
  'due',
  'close',
  'reopen',
  'reply',
];
const allowed = (standing: { isTeam: boolean; isRequester: boolean }) =>
  ACTS.filter((act) => may(act, standing));

describe('permissions on a card', () => {
  test('B25 the team may do everything, also on their own requests', () => {
    expect(allowed({ isTeam: true, isRequester: false })).toEqual(ACTS);
    expect(allowed({ isTeam: true, isRequester: true })).toEqual(ACTS);
  });

  test('B25 a requester may close and reopen, others nothing', () => {
    expect(allowed({ isTeam: false, isRequester: true })).toEqual(['close', 'reopen']);
    expect(allowed({ isTeam: false, isRequester: false })).toEqual([]);
  });
});

describe('changes by a modal', () => {
  const before = {
    title: 'Laptop',
    description: 'It does not start.',
    statusId: 'open',
    priority: 'MEDIUM',
    assigneeId: 'U1',
    queueId: 'it',
    dueAt: '1800000000',
    snoozeUntil: null,
    tags: ['tag_1', 'tag_3'],
  };

  test.each([
    ['nothing', {}, {}],
    ['a title', { title: 'Screen' }, { title: 'Screen' }],
    ['a blank title is ignored', { title: '  ' }, {}],
    ['an emptied title is ignored', { title: null }, {}],
    ['an emptied description', { description: null }, { description: '' }],
    ['a description of blanks', { description: ' \n ' }, { description: '' }],
    ['another assignee', { assigneeId: 'U2' }, { assigneeId: 'U2' }],
    [
      'an emptied menu of a field that may be empty',
      { assigneeId: null, dueAt: null },
      { assigneeId: null, dueAt: null },
    ],
    ['a field that was empty stays', { snoozeUntil: null }, {}],
    ['a field that a ticket always has is never emptied', { statusId: null, queueId: null }, {}],
    ['tags', { tags: ['tag_2', 'tag_1'] }, { addTags: ['tag_2'], removeTags: ['tag_3'] }],
    ['the same tags in another order', { tags: ['tag_3', 'tag_1'] }, {}],
    ['no tags any more', { tags: [] }, { removeTags: ['tag_1', 'tag_3'] }],
    ['nobody', { clear: ['assigneeId', 'dueAt'] }, { assigneeId: null, dueAt: null }],
    [
      'a checkbox that empties a field wins over the field',
      { assigneeId: 'U2', clear: ['assigneeId'] },
      { assigneeId: null },
    ],
    ['a field that no checkbox can empty is not emptied', { clear: ['title', 'statusId'] }, {}],
    ['a date and time', { snoozeUntil: '1800000060' }, { snoozeUntil: '2027-01-15T08:01:00.000Z' }],
  ])('B25 B31 %s', (_, filled, changes) => {
    expect(changesOf(before, { ...before, ...filled })).toEqual(changes);
  });

  test.each([
    ['nothing wrong', {}, []],
    ['a title of blanks', { title: '  \t' }, ['title']],
    ['a title of signs that nobody sees', { title: '\u200b\u2060' }, ['title']],
    ['an empty title, which Slack refuses itself', { title: null }, []],
    ['an answer of blanks', { reply: '\n' }, ['reply']],
    ['an answer', { reply: 'x' }, []],
    ['a description of blanks, which removes it', { description: ' ' }, []],
    ['a snooze until a time that is over', { snoozeUntil: '1700000000' }, ['snoozeUntil']],
    ['a snooze until now', { snoozeUntil: '1790000000' }, ['snoozeUntil']],
    ['a snooze', { snoozeUntil: '1790000001' }, []],
    ['no snooze', { snoozeUntil: null }, []],
    ['a due date that is over', { dueAt: '1700000000' }, []],
    ['two things', { title: ' ', snoozeUntil: '1' }, ['title', 'snoozeUntil']],
  ])('B25 a window with %s says at the field what to do', (_, filled, fields) => {
    const errors = windowErrors(before, { ...before, ...filled }, new Date(1_790_000_000_000));
    expect(Object.keys(errors)).toEqual(fields);
    for (const text of Object.values(errors)) expect(text).toMatch(/^(Write|Choose) .*\.$/);
    // What stood there before is no error, even if it is over by now.
    const unchanged = { ...before, snoozeUntil: '1700000000' };
    expect(windowErrors(unchanged, unchanged, new Date(1_790_000_000_000))).toEqual({});
  });

  test('B25 the permission for each change is checked separately', () => {
    expect(actsOf({ title: 'a', description: 'b', assigneeId: null, queueId: 'q' })).toEqual([
      'edit',
      'assign',
      'move',
    ]);
  });
});
