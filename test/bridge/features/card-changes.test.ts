import { describe, expect, test } from 'vitest';

import {
  changeLine,
  changesToAnnounce,
  type AnnouncedState,
  announcedState,
} from '../../../src/bridge/features/cards/changes.ts';
import { isReserved, statusEmoji } from '../../../src/bridge/blocks/emoji.ts';

const ticket = {
  statusId: 'open',
  priority: 'LOW',
  assigneeId: null,
  queueId: 'it',
  dueAt: null,
  title: 'A <b>',
  approvedAt: null,
  declinedAt: null,
};
const told = announcedState(ticket);

describe('changes of a ticket as lines in the thread (B30)', () => {
  test.each<[string, Partial<AnnouncedState>, (keyof AnnouncedState)[]]>([
    ['B30 without a change there is no line', {}, []],
    ['B30 one change is one line', { statusId: 'done' }, ['statusId']],
    [
      'B30 several changes have a fixed order',
      { dueAt: '2027-01-01T00:00:00.000Z', assigneeId: 'sam', title: 'B' },
      ['title', 'assigneeId', 'dueAt'],
    ],
    ['B30 a decision has a line', { approval: 'declined' }, ['approval']],
  ])('%s', (_, changes, fields) => {
    expect(changesToAnnounce(told, { ...told, ...changes })).toEqual(fields);
  });

  const words = { status: 'On & off', queue: 'IT', assignee: 'Sam <Parks>', reason: null };
  test.each<[keyof AnnouncedState, Partial<AnnouncedState>, boolean, string, string]>([
    [
      'statusId',
      { statusId: 'x' },
      false,
      '*Mira* set the status to *On &amp; off*',
      'The status is now *On &amp; off*',
    ],
    [
      'priority',
      { priority: 'URGENT' },
      false,
      '*Mira* set the priority to *Urgent*',
      'The priority is now *Urgent*',
    ],
    [
      'assigneeId',
      { assigneeId: 'sam' },
      false,
      '*Mira* assigned this to *Sam &lt;Parks&gt;*',
      'Assigned to *Sam &lt;Parks&gt;*',
    ],
    ['assigneeId', { assigneeId: 'mira' }, true, '*Mira* assigned this to themselves', 'An agent took this'],
    ['assigneeId', { assigneeId: null }, false, '*Mira* unassigned this', 'This is unassigned'],
    ['queueId', { queueId: 'x' }, false, '*Mira* moved this to *IT*', 'Moved to *IT*'],
    ['dueAt', { dueAt: null }, false, '*Mira* removed the due date', 'The due date was removed'],
    ['title', {}, false, '*Mira* renamed this to “A &lt;b&gt;”', 'Now called “A &lt;b&gt;”'],
    ['approval', { approval: 'approved' }, false, '*Mira* approved this', 'Approved'],
    ['approval', { approval: 'declined' }, false, '*Mira* declined this', 'Declined'],
  ])('B30 the line for %s with %o (taken: %s) escapes names', (field, changes, isOwn, by, bare) => {
    const now = { ...told, ...changes };
    expect(changeLine(field, now, words, { who: 'Mira', isOwn })).toBe(by);
    expect(changeLine(field, now, words, { who: undefined, isOwn })).toBe(bare);
  });

  test('B39 the line for a decision gives its reason, which pings nobody', () => {
    const now = { ...told, approval: 'declined' as const };
    const because = { ...words, reason: 'No budget\n\n<!channel>' };
    expect(changeLine('approval', now, because, { who: 'Ben', isOwn: false })).toBe(
      '*Ben* declined this: No budget &lt;!channel&gt;',
    );
  });
});

test('B29 each status except Open has one emoji, which is never synced', () => {
  const shown = ['In Progress', 'Waiting', 'Done', 'Closed'].map(statusEmoji);
  expect(shown).toEqual(['eyes', 'double_vertical_bar', 'white_check_mark', 'lock']);
  expect(shown.every((name) => name !== undefined && isReserved(name))).toBe(true);
  expect(statusEmoji('Open')).toBeUndefined();
});
