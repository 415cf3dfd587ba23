import { expect, test } from 'vitest';

import {
  checkClocks,
  checkCounts,
  checkFirstReply,
  type ClockedTicket,
  type Reply,
} from './clocks-and-counts.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute));

/** Opened at nine, to be answered within ten minutes and done within an hour; nobody has answered. */
const TICKET: ClockedTicket = {
  id: 't1',
  kind: 'OPEN',
  priority: 'HIGH',
  created_at: at(0),
  responded_at: null,
  resolved_at: null,
  closed_at: null,
  archived_at: null,
  usual_reply_minutes: null,
  stops: [],
  queue: {
    targets: { HIGH: { responseMinutes: 10, resolutionMinutes: 60 } },
    warnings: null,
    hours: null,
    pauses: true,
    silent: false,
  },
  stored: {
    first_reply_due_at: at(10),
    resolution_due_at: at(60),
    sla_paused_at: null,
    expected_reply_at: at(10),
    warn_at: at(8),
  },
};
const NONE = { first_reply_due_at: null, resolution_due_at: null, expected_reply_at: null, warn_at: null };
const WAITS = { reason: 'waiting', from: at(3), to: null } as const;

test('finds nothing where clocks say what follows from the record', () => {
  const waiting = { ...TICKET, kind: 'PENDING', stops: [WAITS] } as const;
  expect(checkClocks([TICKET, { ...waiting, stored: { ...NONE, sla_paused_at: at(3) } }])).toEqual([]);
});

test.each<[string, Partial<ClockedTicket>, string]>([
  ['a due time that stayed when the ticket was answered', { responded_at: at(5) }, 'the due times of t1'],
  ['a due time that forgot how long it waited', { stops: [{ ...WAITS, to: at(9) }] }, 'the due times of t1'],
  ['a clock that goes on while it waits', { kind: 'PENDING' }, 'stand as null, not waiting'],
  ['a clock that stands though it is open', { stops: [WAITS] }, 'stand as waiting, not null'],
])('finds %s', (_, change, what) => {
  expect(checkClocks([{ ...TICKET, ...change }])[0]?.what).toContain(what);
});

const REPLY: Reply = {
  at: '2026-03-02T09:05:00Z',
  isByRequester: false,
  isNote: false,
  isAutomated: false,
};
const EARLIER = { ...REPLY, at: '2026-03-02T09:01:00Z' };

test('the first reply is that of the first person who answers for all to read', () => {
  const others = [
    { ...EARLIER, isByRequester: true },
    { ...EARLIER, isNote: true },
    { ...EARLIER, isAutomated: true },
  ];
  expect(checkFirstReply('t1', REPLY.at, [REPLY, ...others])).toEqual([]);
  expect(checkFirstReply('t1', null, others)).toEqual([]);
  expect(checkFirstReply('t1', REPLY.at, [REPLY, EARLIER])).toHaveLength(1);
  expect(checkFirstReply('t1', null, [REPLY])).toHaveLength(1);
  expect(checkFirstReply('t1', EARLIER.at, others)).toHaveLength(1);
});

test('finds a count that is not that of its list', () => {
  const counts = [
    { of: 'in IT', shown: 3, found: 3 },
    { of: 'as Open', shown: 2, found: 3 },
  ];
  expect(checkCounts(counts).map(({ what }) => what)).toEqual([
    'different: 2 tickets are counted as Open, 3 are there',
  ]);
});
