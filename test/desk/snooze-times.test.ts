import { expect, test } from 'vitest';

import { snoozeTimes } from '../../src/ui/desk/list/snooze-times.ts';

test.each([
  ['a Friday', new Date(2026, 10, 27, 14), ['laterToday', 'tomorrow', 'nextMonday']],
  ['a Sunday, when tomorrow is Monday', new Date(2026, 10, 29, 14), ['laterToday', 'tomorrow']],
  ['a Monday', new Date(2026, 10, 30, 14), ['laterToday', 'tomorrow', 'nextMonday']],
] as const)('on %s each time to put a ticket aside until is offered once', (_, now, offered) => {
  const times = snoozeTimes(now);
  expect(times.map(({ id }) => id)).toEqual(offered);
  expect(new Set(times.map(({ at }) => at.getTime())).size).toBe(times.length);
  expect(times.every(({ at }) => at > now)).toBe(true);
});
