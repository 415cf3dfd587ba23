import { expect, it } from 'vitest';

import { isTriggered, type Occurrence, startsOnOwnChanges } from '../../../src/service/workflows/triggers.ts';

const TICKET = {
  queueId: 'que_1',
  priority: 'HIGH',
  statusId: 'sts_1',
  statusGroup: 'PENDING',
  requestTypeId: null,
  decision: 'approved',
};
const UPDATED = {
  events: ['ticket.updated'],
  fields: ['statusId', 'title', 'assigneeId'],
  values: { statusId: ['sts_0', 'sts_1'], assigneeId: [null, 'usr_1'] },
  from: undefined,
  ticket: TICKET,
} as const;
const MESSAGE = { events: ['message.created'], fields: [], from: 'team', ticket: TICKET } as const;

const ROWS: [name: string, inputs: Record<string, unknown>, occurrence: Occurrence, starts: boolean][] = [
  ['ticket.updated', {}, UPDATED, true],
  ['ticket.created', {}, UPDATED, false],
  ['ticket.updated', { queueId: 'que_1' }, UPDATED, true],
  ['ticket.updated', { queueId: 'que_2' }, UPDATED, false],
  ['ticket.updated', { queueId: '', statusId: null }, UPDATED, true],
  ['ticket.updated', { requestTypeId: 'rqt_1' }, UPDATED, false],
  ['ticket.updated', { statusId: 'sts_1' }, UPDATED, true],
  ['ticket.updated', { statusGroup: 'PENDING' }, UPDATED, true],
  ['ticket.updated', { statusGroup: 'CLOSED' }, UPDATED, false],
  // It has this priority, but has not got it by this change.
  ['ticket.updated', { priority: 'HIGH' }, UPDATED, false],
  ['ticket.updated', { fields: ['title', 'dueAt'] }, UPDATED, true],
  ['ticket.updated', { fields: 'dueAt, title' }, UPDATED, true],
  ['ticket.updated', { fields: ['dueAt'] }, UPDATED, false],
  ['ticket.updated', { fields: [] }, UPDATED, true],
  ['ticket.updated', { fields: 7 }, UPDATED, false],
  // What a field had, and what it got.
  ['ticket.updated', { fields: 'statusId', from: 'sts_0' }, UPDATED, true],
  ['ticket.updated', { fields: 'statusId', from: 'sts_9' }, UPDATED, false],
  ['ticket.updated', { fields: 'statusId', to: 'sts_1' }, UPDATED, true],
  ['ticket.updated', { fields: 'statusId', from: 'sts_0', to: 'sts_9' }, UPDATED, false],
  ['ticket.updated', { fields: ['statusId'], from: ['sts_9', 'sts_0'], to: 'sts_1' }, UPDATED, true],
  ['ticket.updated', { fields: 'assigneeId', from: 'none' }, UPDATED, true],
  ['ticket.updated', { fields: 'assigneeId', to: 'none' }, UPDATED, false],
  ['ticket.updated', { fields: 'assigneeId,statusId', from: 'none', to: 'usr_1' }, UPDATED, true],
  // Of a field that did not change, or whose values are not kept.
  ['ticket.updated', { fields: 'priority', to: 'HIGH' }, UPDATED, false],
  ['ticket.updated', { fields: 'title', from: 'none' }, UPDATED, false],
  ['ticket.updated', { from: 'sts_0' }, UPDATED, false],
  ['message.created', {}, MESSAGE, true],
  ['message.created', { from: 'team' }, MESSAGE, true],
  ['message.created', { from: 'requester' }, MESSAGE, false],
  [
    'approval.decided',
    { decision: 'approved' },
    { ...UPDATED, events: ['ticket.updated', 'approval.decided'] },
    true,
  ],
  [
    'approval.decided',
    { decision: 'declined' },
    { ...UPDATED, events: ['ticket.updated', 'approval.decided'] },
    false,
  ],
  ['ticket.created', { priority: 'HIGH' }, { ...UPDATED, events: ['ticket.created'] }, true],
];

it.each(ROWS)('%s with %j by %j: %s', (name, inputs, occurrence, starts) => {
  expect(isTriggered({ name, inputs }, occurrence)).toBe(starts);
});

it.each([
  [{}, false],
  [{ ownChanges: false }, false],
  [{ ownChanges: true }, true],
  [{ ownChanges: 'true' }, true],
])('a trigger with %j starts on what its own runs led to: %s', (inputs, starts) => {
  expect(startsOnOwnChanges(inputs)).toBe(starts);
});
