import { expect, test } from 'vitest';

import { compareEdits } from '../../../src/bridge/slack/ids.ts';

const earlier = '999999999.000000';
const later = '1700000040.000000';

test.each([
  ['an edit is newer than an earlier one, compared as a number', later, earlier, 1],
  ['an edit is older than a later one', earlier, later, -1],
  ['an edit is newer than a message without any', earlier, null, 1],
  ['a message without an edit is older than any edit', undefined, earlier, -1],
  ['two edits of the same second are the same', later, later, 0],
  ['two messages without an edit are the same', undefined, null, 0],
])('B12 %s', (_, a, b, sign) => {
  expect(Math.sign(compareEdits(a, b))).toBe(sign);
});
