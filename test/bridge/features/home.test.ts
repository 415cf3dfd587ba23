import { describe, expect, test } from 'vitest';

import { type HomeLine, homeView, homeWithout } from '../../../src/bridge/features/home/blocks.ts';
import {
  HOME_PARTS,
  type HomeTicket,
  homeSections,
  parseHomePlace,
  waitsFor,
} from '../../../src/bridge/features/home/rules.ts';
import { permalinkOf, parsePermalink } from '../../../src/bridge/slack/ids.ts';
import { requests as requestWords } from '../../../src/ui/desk/messages/requests.ts';
import { checkView } from '../../../src/sandbox/blocks/check.ts';

const ticket = (id: string, more: Partial<HomeTicket> = {}): HomeTicket => ({
  id,
  requesterId: null,
  assigneeId: null,
  approvers: [],
  approvedAt: null,
  declinedAt: null,
  archivedAt: null,
  snoozeUntil: null,
  createdAt: '2026-11-20T09:00:00.000Z',
  updatedAt: '2026-11-20T09:30:00.000Z',
  status: { statusGroup: { label: 'Open' } },
  ...more,
});
const NOW = new Date('2026-11-20T10:00:00.000Z');
const SNOOZED = '2026-11-20T10:00:01.000Z';
const done = { status: { statusGroup: { label: 'Done' } } };

describe('the parts of a Home', () => {
  test.each<[string, HomeTicket, string[]]>([
    ['my open request', ticket('a', { requesterId: 'me' }), ['requests']],
    ['my finished request', ticket('a', { requesterId: 'me', ...done }), ['recent']],
    ['a ticket assigned to me', ticket('a', { assigneeId: 'me' }), ['assigned']],
    [
      'a snoozed ticket is hidden from its assignee',
      ticket('a', { assigneeId: 'me', snoozeUntil: SNOOZED }),
      [],
    ],
    [
      'a snoozed ticket is shown to its requester',
      ticket('a', { requesterId: 'me', snoozeUntil: SNOOZED }),
      ['requests'],
    ],
    [
      'a ticket whose snooze has ended',
      ticket('a', { assigneeId: 'me', snoozeUntil: NOW.toISOString() }),
      ['assigned'],
    ],
    ['a finished ticket that was assigned to me', ticket('a', { assigneeId: 'me', ...done }), []],
    ['a ticket that waits for my approval', ticket('a', { approvers: [{ id: 'me' }] }), ['approvals']],
    ['an approved ticket', ticket('a', { approvers: [{ id: 'me' }], approvedAt: 'then' }), []],
    ['a declined ticket', ticket('a', { approvers: [{ id: 'me' }], declinedAt: 'then' }), []],
    [
      'my own request that is assigned to me',
      ticket('a', { requesterId: 'me', assigneeId: 'me' }),
      ['assigned', 'requests'],
    ],
    ['an archived ticket', ticket('a', { requesterId: 'me', archivedAt: 'then' }), []],
    ['a ticket of others that the service lists anyway', ticket('a', { requesterId: 'you' }), []],
  ])('B38 %s', (_, one, expected) => {
    const parts = homeSections([one, one], 'me', NOW);
    expect(HOME_PARTS.filter((part) => parts[part].length > 0)).toEqual(expected);
    expect(Math.max(...HOME_PARTS.map((part) => parts[part].length))).toBeLessThanOrEqual(1);
  });

  test('B38 what waits for the reader comes first, longest first, then the latest change', () => {
    const by = (authorId: string, minute: number) => ({
      lastReply: { authorId, createdAt: `2026-11-20T09:${minute}:00.000Z` },
    });
    const mine = { requesterId: 'me' };
    const { requests } = homeSections(
      [
        ticket('old', { ...mine, updatedAt: '2026-01-01T00:00:00.000Z' }),
        ticket('new', mine),
        ticket('answered', { ...mine, ...by('agent', 20) }),
        ticket('answered before', { ...mine, ...by('agent', 10) }),
        ticket('on hold', { ...mine, ...by('me', 15), status: { statusGroup: { label: 'Waiting' } } }),
        ticket('mine', { ...mine, ...by('me', 25), updatedAt: '2026-11-20T09:25:00.000Z' }),
      ],
      'me',
      NOW,
    );
    expect(requests.map(({ id }) => id)).toEqual([
      'answered before',
      'on hold',
      'answered',
      'new',
      'mine',
      'old',
    ]);
  });

  test.each<[string, Partial<HomeTicket>, boolean]>([
    ['nobody has answered', {}, true],
    ['its requester wrote last', { lastReply: { authorId: 'ada', createdAt: '' } }, true],
    ['the team wrote last', { lastReply: { authorId: 'me', createdAt: '' } }, false],
    ['it is on hold', { status: { statusGroup: { label: 'Waiting' } } }, false],
  ])('B38 whether a ticket waits for its assignee: %s', (_, more, waits) => {
    expect(waitsFor(ticket('a', { requesterId: 'ada', assigneeId: 'me', ...more }), 'assigned')).toBe(waits);
  });

  test.each([
    ['requests 3', { part: 'requests', page: 3 }],
    ['all 1', { part: 'all', page: 1 }],
    ['nowhere 9', { part: 'all', page: 1 }],
    ['requests 0', { part: 'requests', page: 1 }],
    ['', { part: 'all', page: 1 }],
  ])('B38 the value of a button is parsed into a place: “%s”', (value, place) => {
    expect(parseHomePlace(value)).toEqual(place);
  });

  test('B38 the link to a thread is chat’s own permalink', () => {
    const url = permalinkOf('https://acme.slack.com/', { channel: 'C0ITHELP00', ts: '1700000000.000100' });
    expect(url).toBe('https://acme.slack.com/archives/C0ITHELP00/p1700000000000100');
    expect(parsePermalink(new URL(url))).toEqual({ channel: 'C0ITHELP00', ts: '1700000000.000100' });
  });
});

describe('rendering a Home', () => {
  const line = (index: number): HomeLine => ({
    id: `tkt_${index}`,
    code: `IT-${index}`,
    url: `https://desk.example/tickets/IT-${index}`,
    title: `<Request> ${index} ${'x'.repeat(300)}`,
    status: 'Open',
    statusGroup: 'Open',
    priority: 'HIGH',
    thread: 'https://acme.slack.com/archives/C1/p1700000000000100',
    last: { by: 'Ben <Okafor>', words: 'y'.repeat(500), age: '3 hours ago' },
    waits: true,
    onHoldBy: undefined,
    own: 'close',
  });
  const hundred = Array.from({ length: 100 }, (_, index) => line(index));
  const full = { approvals: hundred, assigned: hundred, requests: hundred, recent: hundred };
  const drawn = (view: object) => {
    // The sandbox rejects what chat would reject.
    expect(checkView(JSON.parse(JSON.stringify(view)), 'home')).toMatchObject({ ok: true });
    return JSON.stringify(view);
  };

  test.each([
    ['the overview', { part: 'all', page: 1 } as const, 'Show all 100'],
    ['a page', { part: 'requests', page: 2 } as const, 'Page 2 of 5'],
    ['the last page', { part: 'assigned', page: 5 } as const, 'Previous page'],
    ['a page that no longer exists', { part: 'recent', page: 99 } as const, 'Page 5 of 5'],
  ])('B38 a hundred tickets in each part stay within chat’s limits: %s', (_, place, shown) => {
    const view = homeView({ parts: full, place, notice: 'Not yours.' });
    expect(view.blocks.length).toBeLessThan(60);
    const text = drawn(view);
    expect(text).toContain(shown);
    expect(text).toContain('Not yours.');
  });

  test('B38 the requester reads of a request on hold what its page at the desk says', () => {
    const requests = [{ ...line(1), onHoldBy: 'IT' }];
    const parts = { approvals: [], assigned: [], requests, recent: [] };
    const view = drawn(homeView({ parts, place: { part: 'all', page: 1 }, notice: undefined }));
    expect(view).toContain(`*${requestWords.short.Waiting.replace('{team}', 'IT')}*`);
    expect(view).not.toContain('Waiting for you');
  });

  test('B38 an empty Home says so, and always offers a new ticket', () => {
    const none = { approvals: [], assigned: [], requests: [], recent: [] };
    const empty = drawn(homeView({ parts: none, place: { part: 'all', page: 1 }, notice: undefined }));
    expect(empty).toContain('Nothing is open');
    expect(empty).toContain('New ticket');
    expect(drawn(homeWithout('Away.'))).toContain('New ticket');
  });
});
