import { expect, test } from 'vitest';

import { isReserved, MARK_EMOJI, TICKET_EMOJI } from '../../../src/bridge/blocks/emoji.ts';
import { failureReason, markOf, reactionsFor } from '../../../src/bridge/features/delivery-status/rules.ts';

const waits = (waitedMs: number, held = true) => ({ dead: false, held, waitedMs });
const dead = { dead: true, held: false, waitedMs: 0 };

test.each([
  ['B47 nothing that is pending bears no mark', [], null],
  ['B47 what waits for less than a minute bears no mark', [waits(59_999)], null],
  ['B47 what has waited for a minute bears ⏳', [waits(60_000)], 'waiting'],
  ['B47 what only waits for its turn bears no mark, however long', [waits(600_000, false)], null],
  ['B54 what never crosses bears ⚠️ at once', [dead], 'failed'],
  ['B54 a message whose text crossed and whose edit never does bears ⚠️', [waits(90_000), dead], 'failed'],
] as const)('%s', (_, pending, mark) => {
  expect(markOf(pending, 60_000)).toBe(mark);
});

test.each([
  ['a mark that is shown is not shown again', 'waiting', 'waiting', false, undefined],
  ['what is gone by its turn costs no call', null, null, false, undefined],
  ['a first mark is put there', 'waiting', null, false, { remove: [], add: 'waiting' }],
  [
    'one mark takes the place of the other',
    'failed',
    'waiting',
    false,
    { remove: ['waiting'], add: 'failed' },
  ],
  ['a mark is taken away', null, 'failed', false, { remove: ['failed'], add: null }],
  ['one that may stand there is taken away', null, null, true, { remove: ['waiting', 'failed'], add: null }],
  ['one that may be missing is put there', 'failed', 'failed', true, { remove: ['waiting'], add: 'failed' }],
] as const)('B54 %s', (_, wanted, shown, begun, reactions) => {
  expect(reactionsFor({ wanted, shown, begun })).toEqual(reactions);
});

test('B54 the bot’s own marks are reserved, the emoji that opens a ticket is not', () => {
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
