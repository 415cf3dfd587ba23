import { expect, test } from 'vitest';

import { isReserved, MARK_EMOJI, TICKET_EMOJI } from '../../../src/bridge/blocks/emoji.ts';
import {
  failureReason,
  deliveryMark,
  reactionsFor,
} from '../../../src/bridge/features/delivery-status/rules.ts';

const waits = (waitedMs: number, held = true) => ({ dead: false, held, waitedMs });
const dead = { dead: true, held: false, waitedMs: 0 };

test.each([
  ['B47 without anything pending there is no mark', [], null],
  ['B47 a message that has waited less than a minute has no mark', [waits(59_999)], null],
  ['B47 a message that has waited a minute has ⏳', [waits(60_000)], 'waiting'],
  ['B47 a message that only waits for its turn has no mark, however long', [waits(600_000, false)], null],
  ['B54 a message that can never cross has ⚠️ at once', [dead], 'failed'],
  ['B54 a message whose text crossed but whose edit never can has ⚠️', [waits(90_000), dead], 'failed'],
] as const)('%s', (_, pending, mark) => {
  expect(deliveryMark(pending, 60_000)).toBe(mark);
});

test.each([
  ['a mark that is shown is not added again', 'waiting', 'waiting', false, undefined],
  ['a mark that is no longer wanted before it was added costs no call', null, null, false, undefined],
  ['a first mark is added', 'waiting', null, false, { remove: [], add: 'waiting' }],
  ['one mark replaces the other', 'failed', 'waiting', false, { remove: ['waiting'], add: 'failed' }],
  ['a mark is removed', null, 'failed', false, { remove: ['failed'], add: null }],
  ['a mark that may be there is removed', null, null, true, { remove: ['waiting', 'failed'], add: null }],
  ['a mark that may be missing is added', 'failed', 'failed', true, { remove: ['waiting'], add: 'failed' }],
] as const)('B54 %s', (_, wanted, shown, begun, reactions) => {
  expect(reactionsFor({ wanted, shown, begun })).toEqual(reactions);
});

test('B54 the bot’s delivery marks are reserved, the emoji that opens a ticket is not', () => {
  expect(Object.values(MARK_EMOJI).every(isReserved)).toBe(true);
  expect(isReserved(TICKET_EMOJI)).toBe(false);
});

test.each([
  ['channel_not_found', 'The channel no longer exists or the app was removed from it.'],
  ['404', 'Its ticket no longer exists.'],
  ['422', 'The help desk does not accept it.'],
  ['a_new_code', 'Something went wrong in deskbridge; its admins can see what.'],
  [null, 'Something went wrong in deskbridge; its admins can see what.'],
])('B54 the reason for the error code %s reads: %s', (code, reason) => {
  expect(failureReason(code)).toBe(reason);
});
