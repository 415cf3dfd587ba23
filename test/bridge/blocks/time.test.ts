import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseWhen, instantAt, knownZone, shownAt, wallClock } from '../../../src/bridge/blocks/time.ts';
import { anyText } from '../../harness/any-text.ts';

/** A Friday, 16:30 in Madrid, two days before its clocks go forward; 11:30 in New York. */
const NOW = new Date('2026-03-27T15:30:00Z');
const when = (typed: string, timeZone = 'Europe/Madrid', timeOfDay = '09:00', now = NOW) => {
  const read = parseWhen(typed, { now, timeZone, timeOfDay });
  return 'at' in read ? read.at.toISOString() : read.refused;
};

describe('B33 times as people type them, in their own time zone', () => {
  test.each([
    ['tomorrow 9am', '2026-03-28T08:00:00.000Z'],
    ['tomorrow', '2026-03-28T08:00:00.000Z'],
    ['monday', '2026-03-30T07:00:00.000Z'],
    ['until monday', '2026-03-30T07:00:00.000Z'],
    ['friday', '2026-04-03T07:00:00.000Z'],
    ['next friday at 14:00', '2026-04-03T12:00:00.000Z'],
    ['in 2 days', '2026-03-29T07:00:00.000Z'],
    ['2 days', '2026-03-29T07:00:00.000Z'],
    ['in 3 weeks', '2026-04-17T07:00:00.000Z'],
    ['in 90 minutes', '2026-03-27T17:00:00.000Z'],
    ['for 2 hours', '2026-03-27T17:30:00.000Z'],
    ['5pm', '2026-03-27T16:00:00.000Z'],
    ['9am', '2026-03-28T08:00:00.000Z'],
    ['9am EST', '2026-03-28T14:00:00.000Z'],
    ['noon', '2026-03-28T11:00:00.000Z'],
    ['tonight', '2026-03-27T21:00:00.000Z'],
    ['5 May', '2026-05-05T07:00:00.000Z'],
    ['5 May 14:00', '2026-05-05T12:00:00.000Z'],
    ['2026-05-05', '2026-05-05T07:00:00.000Z'],
    ['march 3', '2027-03-03T08:00:00.000Z'],
    ['25/4', '2026-04-25T07:00:00.000Z'],
    ['4/4', '2026-04-04T07:00:00.000Z'],
  ])('%j in Madrid', (typed, expected) => {
    expect(when(typed)).toBe(expected);
  });

  test.each([
    ['America/New_York', '2026-03-28T13:00:00.000Z'],
    ['Asia/Kolkata', '2026-03-28T03:30:00.000Z'],
    // These islands are on a different date than the others.
    ['Pacific/Kiritimati', '2026-03-28T19:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-03-28T20:00:00.000Z'],
    ['UTC', '2026-03-28T09:00:00.000Z'],
  ])('“tomorrow 9am” is tomorrow 9am in %s', (zone, expected) => {
    expect(when('tomorrow 9am', zone)).toBe(expected);
  });

  test('a day without a time gets the configured time of day', () => {
    expect(when('tomorrow', 'Europe/Madrid', '17:00')).toBe('2026-03-28T16:00:00.000Z');
  });

  test.each([
    ['banana', /don’t understand that time/],
    ['', /don’t understand that time/],
    ['tomorrow banana', /don’t understand that time/],
    ['monday or tuesday', /don’t understand that time/],
    ['from monday to friday', /don’t understand that time/],
    ['yesterday', /is in the past/],
    ['2020-01-01', /is in the past/],
    ['today', /is in the past/],
    ['04/05', /are ambiguous/],
    ['in 40 years', /years in the future/],
  ])('B36 %j is rejected with a hint what to type', (typed, reason) => {
    expect(when(typed)).toMatch(reason);
    expect(when(typed)).toMatch(/[Tt]ype/);
  });

  test('B33 the parser never throws, and every time that it returns is in the future', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 60 }), (typed) => {
        const read = parseWhen(typed, { now: NOW, timeZone: 'Europe/Madrid', timeOfDay: '09:00' });
        if ('at' in read) expect(read.at.getTime()).toBeGreaterThan(NOW.getTime());
      }),
    );
  });
});

describe('B33 wall clocks of time zones', () => {
  test('every instant equals the one computed from its wall clock time, except in the hour that occurs twice', () => {
    const zone = fc.constantFrom(
      'Europe/Madrid',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'UTC',
    );
    const minute = fc
      .integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) })
      .map((at) => new Date(at - (at % 60_000)));
    fc.assert(
      fc.property(zone, minute, (timeZone, at) => {
        const wall = wallClock(at, timeZone);
        expect(wallClock(instantAt(wall, timeZone), timeZone)).toEqual(wall);
      }),
    );
  });

  test('a time that the switch to summer time skips is one hour later', () => {
    const wall = { year: 2026, month: 3, day: 29, hour: 2, minute: 30 };
    expect(instantAt(wall, 'Europe/Madrid').toISOString()).toBe('2026-03-29T01:30:00.000Z');
  });

  test('B33 a time is shown in the person’s own time zone', () => {
    const at = new Date('2026-11-23T08:00:00Z');
    expect(shownAt(at, 'Europe/Stockholm')).toBe('Mon 23 Nov 2026, 09:00');
  });

  test('an unknown time zone falls back to UTC', () => {
    expect([knownZone('Mars/Olympus'), knownZone(null), knownZone('Africa/Lagos')]).toEqual([
      'UTC',
      'UTC',
      'Africa/Lagos',
    ]);
  });
});
