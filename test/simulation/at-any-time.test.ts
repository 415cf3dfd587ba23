import { expect, test } from 'vitest';

import { checkNow } from '../drills/harness/at-any-time.ts';
import { AGENT, type Line } from '../drills/harness/both-sides.ts';
import { type Audience, Secrets } from '../drills/harness/secrets.ts';
import type { SeenMessage } from '../harness/chat.ts';

const ROOT = '100.000001';
const MIRA = 'Mira Lind';

const line = (id: string, text: string): Line => ({ by: AGENT, id, text, deleted: false, held: new Set() });
const post = (ts: string, message: string, text: string, username = MIRA): SeenMessage => ({
  channel: 'C1',
  ts,
  thread_ts: ROOT,
  bot_id: 'B1',
  username,
  text,
  blocks: [],
  reactions: [],
  metadata: { event_type: 'deskbridge_post', event_payload: { id: `o${ts}`, message, part: 0 } },
});

/** A conversation of two answers and a note, as its request channel shows it. */
function look(posts: readonly SeenMessage[], { channel = 'it-help', isMoving = false } = {}) {
  const lines = [line('m1', 'line 1'), line('m2', 'line 2')];
  const notes = [line('m3', 'remark for the team 3')];
  const secrets = new Secrets();
  const audience: Audience = { isPrivate: false, queue: 'IT' };
  secrets.add('remark for the team 3', audience, true);
  secrets.add('line 4', { ...audience, isPrivate: true }, false);
  secrets.add('line 5', { ...audience, queue: 'People' }, false);
  const told = [{ root: ROOT, lines, notes, isMoving }];
  return checkNow(new Map([[channel, posts]]), told, secrets).map(({ kind }) => kind);
}

const FIRST = post('100.000002', 'm1', 'line 1');
const SECOND = post('100.000003', 'm2', 'line 2');

test('finds nothing in what may be, also where words are still on their way', () => {
  expect(look([FIRST, SECOND])).toEqual([]);
  expect(look([SECOND])).toEqual([]);
  // Other words begin in the same way.
  expect(look([post('100.000004', 'm9', 'line 44')])).toEqual([]);
  expect(look([post('100.000004', 'm3', 'remark for the team 3')], { channel: 'it-triage' })).toEqual([]);
  expect(look([post('100.000004', 'm4', 'line 4')], { channel: 'it-triage' })).toEqual([]);
  expect(look([post('100.000004', 'm5', 'line 5')])).toEqual([]);
});

test.each<[string, SeenMessage[], string?]>([
  ['a note in a public channel', [post('100.000004', 'm3', 'remark for the team 3')]],
  ['words of a private ticket in a public channel', [post('100.000004', 'm4', 'line 4')]],
  ['words of a team’s ticket in another team’s channel', [post('100.000004', 'm5', 'line 5')], 'it-triage'],
])('finds %s', (_, posts, channel = 'it-help') => {
  expect(look(posts, { channel })).toEqual(['leaked']);
});

test('finds what stands twice, what is out of order, and what bears another name', () => {
  expect(look([FIRST, { ...FIRST, ts: '100.000009' }])).toEqual(['doubled']);
  expect(look([SECOND, { ...FIRST, ts: '100.000009' }])).toEqual(['out of order']);
  expect(look([post('100.000002', 'm1', 'line 1', 'Ada Reyes')])).toEqual(['different']);
  // A merged ticket's messages may be shown anew, behind younger ones.
  expect(look([SECOND, { ...FIRST, ts: '100.000009' }], { isMoving: true })).toEqual([]);
});

test('what was written before a ticket got other readers is no secret, but a note is one for requesters', () => {
  const secrets = new Secrets();
  secrets.add('line 1', { isPrivate: true, queue: 'IT' }, false);
  secrets.add('remark for the team 2', { isPrivate: true, queue: 'People' }, true);
  expect(secrets.in('it-triage', 'remark for the team 2')).toEqual(['remark for the team 2']);
  secrets.readersChanged();
  expect(secrets.in('it-help', 'line 1')).toEqual([]);
  expect(secrets.in('it-triage', 'remark for the team 2')).toEqual([]);
  expect(secrets.in('it-help', 'remark for the team 2')).toEqual(['remark for the team 2']);
});
