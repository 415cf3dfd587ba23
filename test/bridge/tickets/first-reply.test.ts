import { expect, test } from 'vitest';

import { firstReplyOf } from '../../../src/bridge/tickets/ticket-facts.ts';
import type { Hours } from '../../../src/platform/working-time.ts';
import { MovableClock } from '../../service/clock.ts';

const WEEK: Hours = {
  timeZone: 'Europe/Stockholm',
  days: [1, 2, 3, 4, 5].map((day) => ({ day, from: '08:00', to: '18:00' })),
  holidays: [{ date: '2026-12-24' }],
};
const HOUR = 3_600;

const TICKET = {
  respondedAt: null,
  queueId: 'que_1',
  priority: 'MEDIUM' as const,
  createdAt: '2026-11-20T09:00:00.000Z',
  expectedReplyAt: null,
  firstReplyDueAt: null,
  slaPausedAt: null,
};

/** @param saysIt whether the service says itself what may be expected. */
function bridgeWith({
  clock,
  usual,
  hours,
  saysIt,
}: {
  clock: MovableClock;
  usual: number | undefined;
  hours: Hours | undefined;
  saysIt: boolean;
}) {
  return {
    clock,
    channels: { queue: () => Promise.resolve({ id: 'que_1', workspaceId: 'wsp_1' }) },
    firstReplies: { usual: () => Promise.resolve(usual) },
    teamHours: { of: () => Promise.resolve(hours) },
    warnings: { areSent: () => Promise.resolve(saysIt) },
  } as unknown as Parameters<typeof firstReplyOf>[0];
}

// Thursday evening in Stockholm, Friday noon, Wednesday afternoon before a holiday.
test.each<
  [
    string,
    string,
    { due?: string; usual?: number; hours?: Hours | undefined; now?: string },
    string | undefined,
  ]
>([
  [
    'its target ends then',
    '2026-11-26T21:27:00Z',
    { due: '2026-11-27T12:00:00Z' },
    '2026-11-27T12:00:00.000Z',
  ],
  [
    'in the evening it is the next morning',
    '2026-11-26T21:27:00Z',
    { usual: 5 * HOUR },
    '2026-11-27T12:00:00.000Z',
  ],
  [
    'before a weekend it is on Monday',
    '2026-11-27T16:30:00Z',
    { usual: 2 * HOUR },
    '2026-11-30T08:30:00.000Z',
  ],
  [
    'before a holiday it is after it',
    '2026-12-23T16:00:00Z',
    { usual: 2 * HOUR },
    '2026-12-25T08:00:00.000Z',
  ],
  ['it is rounded up', '2026-11-26T08:03:00Z', { usual: HOUR }, '2026-11-26T09:05:00.000Z'],
  [
    'without hours it is around the clock',
    '2026-11-26T21:00:00Z',
    { usual: HOUR, hours: undefined },
    '2026-11-26T22:00:00.000Z',
  ],
  ['nothing is known', '2026-11-26T21:27:00Z', {}, undefined],
  ['it is over', '2026-11-26T08:00:00Z', { usual: HOUR, now: '2026-11-26T09:30:00Z' }, undefined],
])('B25 a requester is told when a first reply is usual: %s', async (_, opened, facts, at) => {
  const { due, usual, now = opened, hours } = { hours: WEEK, ...facts };
  const clock = new MovableClock();
  clock.pass(Date.parse(now) - clock.now().getTime());
  const bridge = bridgeWith({ clock, usual, hours, saysIt: false });
  const ticket = { ...TICKET, createdAt: new Date(opened).toISOString(), firstReplyDueAt: due ?? null };
  const expected = at === undefined ? undefined : { at: new Date(at), isOver: false };
  expect(await firstReplyOf(bridge, ticket)).toEqual(expected);
  expect(await firstReplyOf(bridge, { ...ticket, respondedAt: ticket.createdAt })).toBeUndefined();
  expect(await firstReplyOf(bridge, { ...ticket, slaPausedAt: ticket.createdAt })).toBeUndefined();
});

// At 2026-11-20T09:32.
test.each<[string, string | null, { at: Date; isOver: boolean } | undefined]>([
  ['rounded up', '2026-11-20T10:01:00.000Z', { at: new Date('2026-11-20T10:05:00.000Z'), isOver: false }],
  [
    'over once what was shown has passed',
    '2026-11-20T09:29:00.000Z',
    { at: new Date('2026-11-20T09:30:00.000Z'), isOver: true },
  ],
  [
    'not over before what was shown',
    '2026-11-20T09:31:00.000Z',
    { at: new Date('2026-11-20T09:35:00.000Z'), isOver: false },
  ],
  ['nothing, though there is a target', null, undefined],
])('B25 a requester is told what the service expects: %s', async (_, expectedReplyAt, promise) => {
  const clock = new MovableClock();
  clock.pass(2 * 60_000);
  const bridge = bridgeWith({ clock, usual: HOUR, hours: WEEK, saysIt: true });
  const ticket = { ...TICKET, expectedReplyAt, firstReplyDueAt: '2026-11-20T12:00:00.000Z' };
  expect(await firstReplyOf(bridge, ticket)).toEqual(promise);
  expect(await firstReplyOf(bridge, { ...ticket, respondedAt: ticket.createdAt })).toBeUndefined();
});
