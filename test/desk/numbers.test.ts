import { expect, test } from 'vitest';

import { readNumber } from '../../src/ui/desk/kit/number.ts';
import { minutesOf } from '../../src/ui/desk/settings/queues/duration.ts';

test.for([
  // One sign before three digits: the language decides.
  ['1,000', 'en', 1000],
  ['1.000', 'de', 1000],
  ['1,000', 'de', 1],
  ['1.000', 'en', 1],
  ['12,500', 'en', 12_500],
  ['12.500', 'de-AT', 12_500],
  ['-1,000', 'en', -1000],
  ['1,000', 'fr', 1],
  // Every other text has one reading, whatever the language.
  ['1,5', 'en', 1.5],
  ['1.5', 'de', 1.5],
  ['1,2345', 'en', 1.2345],
  ['0,125', 'en', 0.125],
  ['0.125', 'de', 0.125],
  ['1000,250', 'en', 1000.25],
  ['1,234,567', 'de', 1_234_567],
  ['1.234.567', 'en', 1_234_567],
  ['1,234.5', 'de', 1234.5],
  ['1.234,5', 'en', 1234.5],
  ['1 000', 'en', 1000],
  ['1 000,5', 'fr', 1000.5],
  ['1\u00a0000', 'en', 1000],
  ['1\u202f234\u202f567,8', 'fr', 1_234_567.8],
  ["1'000", 'de-CH', 1000],
  ['1’000.50', 'de-CH', 1000.5],
  ['−7', 'en', -7],
  ['+7', 'en', 7],
  [' 42 ', 'en', 42],
  ['.5', 'en', 0.5],
  ['12345678', 'en', 12_345_678],
] as const)('a number typed as %s in %s is %s', ([text, locale, number]) => {
  expect(readNumber(text, locale)).toBe(number);
});

test.for([
  '',
  '-',
  ',',
  '1,',
  '1,,5',
  '1.2.3',
  '1,23,456',
  '1,234.567.8',
  '1.234,567,8',
  '10 00',
  '1e5',
  'ten',
  '1-2',
  '٣',
  'NaN',
  '0x10',
])('“%s” is no number', (text) => {
  expect(readNumber(text, 'en')).toBeUndefined();
});

test.for([
  ['1.5 h', 90],
  ['1,5 h', 90],
  ['1,000 min', 1000],
  ['90 m', 90],
  ['2 days', 2880],
  ['1.2.3 h', undefined],
  ['h', undefined],
  ['', null],
] as const)('a time typed as “%s” has %s minutes', ([text, minutes]) => {
  expect(minutesOf(text)).toBe(minutes);
});
