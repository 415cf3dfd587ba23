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

describe('who may do what by a card', () => {
  test('B25 the team may do everything, also to what one of them asked for', () => {
    expect(allowed({ isTeam: true, isRequester: false })).toEqual(ACTS);
    expect(allowed({ isTeam: true, isRequester: true })).toEqual(ACTS);
  });

  test('B25 a requester may close and reopen, others nothing', () => {
    expect(allowed({ isTeam: false, isRequester: true })).toEqual(['close', 'reopen']);
    expect(allowed({ isTeam: false, isRequester: false })).toEqual([]);
  });
});

describe('what a modal changes', () => {
  const before = {
    title: 'Laptop',
    description: 'It does not start.',
    statusId: 'open',
    priority: 'MEDIUM',
    assigneeId: 'U1',
    queueId: 'it',
    dueAt: '1800000000',
    snoozeUntil: null,
  };

  test.each([
    ['nothing', {}, {}],
    ['a title', { title: 'Screen' }, { title: 'Screen' }],
    ['a title of blanks stays', { title: '  ' }, {}],
    ['a title that was emptied stays', { title: null }, {}],
    ['a description taken away', { description: null }, { description: '' }],
    ['somebody else', { assigneeId: 'U2' }, { assigneeId: 'U2' }],
    ['a menu that was emptied stays', { assigneeId: null, statusId: null }, {}],
    ['nobody', { clear: ['assigneeId', 'dueAt'] }, { assigneeId: null, dueAt: null }],
    ['a box beats the field it empties', { assigneeId: 'U2', clear: ['assigneeId'] }, { assigneeId: null }],
    ['what no box can empty stays', { clear: ['title', 'statusId'] }, {}],
    ['a moment', { snoozeUntil: '1800000060' }, { snoozeUntil: '2027-01-15T08:01:00.000Z' }],
  ])('B25 B31 %s', (_, filled, changes) => {
    expect(changesOf(before, { ...before, ...filled })).toEqual(changes);
  });

  test('B25 each change is an act that is runClassified by itself', () => {
    expect(actsOf({ title: 'a', description: 'b', assigneeId: null, queueId: 'q' })).toEqual([
      'edit',
      'assign',
      'move',
    ]);
  });
});
