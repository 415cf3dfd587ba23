import { expect, test } from 'vitest';

import { dateText } from '../../src/ui/sandbox/blocks/date.ts';

const NOW = new Date('2026-11-22T20:00:00.000Z');
const AT = Date.parse('2026-11-23T08:05:00.000Z') / 1000;
// Intl writes a narrow no-break space before AM and PM.
const shown = (format: string, timeZone = 'Europe/Berlin', at = AT) =>
  dateText(at, format, 'the fallback', timeZone, NOW, 'h12').replaceAll(/\s/gu, ' ');

test.each([
  ['{date_short_pretty} {time}', 'Tomorrow 9:05 AM'],
  ['{date_num} {time_secs}', '2026-11-23 9:05:00 AM'],
  ['by {date}', 'by November 23rd, 2026'],
  ['by {date_long_pretty} at {time}', 'by tomorrow at 9:05 AM'],
  ['{date_pretty}, not {date_pretty}', 'Tomorrow, not tomorrow'],
  ['{date_long}', 'Monday, November 23rd, 2026'],
  ['{date_short}', 'Nov 23, 2026'],
  ['{fortnight}', 'the fallback'],
])('a date as %s is drawn in the reader’s time zone', (format, text) => {
  expect(shown(format)).toBe(text);
});

test('tomorrow in one time zone may be the day after in another', () => {
  expect(shown('{date_pretty}', 'Pacific/Auckland')).toBe('Today');
  expect(shown('{date_pretty}', 'Europe/Berlin', AT - 86_400)).toBe('Today');
  expect(shown('{date_pretty}', 'Europe/Berlin', AT + 86_400)).toBe('November 24th, 2026');
});
