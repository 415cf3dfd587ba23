import { describe, expect, test } from 'vitest';

import { readerLocale } from '../../src/ui/desk/kit/locale.ts';
import { readTimeOfDay } from '../../src/ui/desk/kit/time-of-day.ts';

describe('times are written in the reader’s region and clock, in English', () => {
  const at = new Date('2026-11-27T14:05:00Z');
  test.each([
    [['en-US'], '2:05 PM'],
    [['en-GB', 'en'], '14:05'],
    [['de-DE', 'en-US'], '14:05'],
    [['de'], '14:05'],
    [[], '2:05 PM'],
    [['en-US@posix'], '2:05 PM'],
  ])('%j', (languages, expected) => {
    const format = new Intl.DateTimeFormat(readerLocale(languages), { timeStyle: 'short', timeZone: 'UTC' });
    expect(format.format(at).replaceAll(/\s/g, ' ')).toBe(expected);
  });
});

describe('a time of day is read in both clocks', () => {
  test.each([
    ['9:00', 9, 0],
    ['17.30', 17, 30],
    ['9', 9, 0],
    ['5 PM', 17, 0],
    ['5:15\u202Fp.m.', 17, 15],
    ['12 am', 0, 0],
    ['12:30 pm', 12, 30],
  ])('%s', (text, hours, minutes) => {
    expect(readTimeOfDay(text)).toEqual({ hours, minutes });
  });

  test.each(['', 'noon', '24:00', '9:60', '0 am', '13 pm', '9:5'])('%j is no time', (text) => {
    expect(readTimeOfDay(text)).toBeUndefined();
  });
});
