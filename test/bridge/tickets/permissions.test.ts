import { describe, expect, test } from 'vitest';

import { actsOf, changesOf } from '../../../src/bridge/features/cards/rules.ts';
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

  test('B25 the permission for each change is checked separately', () => {
    expect(actsOf({ title: 'a', description: 'b', assigneeId: null, queueId: 'q' })).toEqual([
      'edit',
      'assign',
      'move',
    ]);
  });
});
