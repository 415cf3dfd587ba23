import { describe, expect, test } from 'vitest';

import { patchedFile } from '../drills/harness/patch.ts';
import { BUGS } from '../drills/planted-bugs.ts';

import type { SeenMessage } from './chat.ts';
import {
  type ChatHistory,
  checkHistory,
  checkReaders,
  type RecordedMessage,
  type TicketHistory,
} from './history.ts';

const HELP = 'C1';
const TRIAGE = 'C2';
const ROOT = '100.000001';
const BOT = 'U0BOT';

/**
 * A ticket in a public channel, with two replies of Ada, two answers from the desk and an internal note, all
 * correct.
 */
class Sides {
  help: SeenMessage[] = [
    chatMessage(ROOT, `<@${BOT}> my laptop does not start`),
    { ...chatMessage('100.000002', 'IT-1'), ...fromBot({ id: 'o1', card: 'tic1' }) },
    chatMessage('100.000003', 'It *worked* yesterday, see <https://a.example|here> :tada:'),
    {
      ...chatMessage('100.000004', 'Try the other charger'),
      ...fromBot({ id: 'o2', message: 'msg2', part: 0 }),
    },
    chatMessage('100.000005', 'That was it'),
    { ...chatMessage('100.000006', 'You are welcome'), ...fromBot({ id: 'o3', message: 'msg4', part: 0 }) },
  ];
  triage: SeenMessage[] = [
    { ...chatMessage('200.000001', 'IT-1'), ...fromBot({ id: 'o4', card: 'tic1' }), channel: TRIAGE },
    {
      ...chatMessage('200.000002', 'She always breaks things'),
      ...fromBot({ id: 'o5', message: 'msg5', part: 0 }),
      channel: TRIAGE,
      thread_ts: '200.000001',
    },
  ];
  messages: RecordedMessage[] = [
    ticketMessage('msg1', 1, 'It **worked** yesterday, see [here](https://a.example) :tada:', '100.000003'),
    ticketMessage('msg2', 2, 'Try the **other** charger'),
    ticketMessage('msg3', 3, 'That was it', '100.000005'),
    ticketMessage('msg4', 4, 'You are welcome'),
    { ...ticketMessage('msg5', 5, 'She always breaks things'), private: true },
  ];
  isPrivate = false;
  chat: Partial<ChatHistory> = {};
  tickets: Partial<TicketHistory> = {};

  check() {
    const chat: ChatHistory = {
      appIds: new Set([BOT, 'B0BOT']),
      people: [{ id: 'U1', names: ['ada', 'Ada Reyes'], isBot: false, isGuest: false }],
      places: [
        { id: HELP, name: 'it-help', kind: 'channel', messages: this.help },
        { id: TRIAGE, name: 'triage', kind: 'group', messages: this.triage },
      ],
      postedTexts: [],
      postCalls: [],
      gapMs: 1_000,
      isInOrder: true,
      undelivered: new Set(),
      ...this.chat,
    };
    const thread = { type: 'REQUEST', channelId: HELP, messageTs: ROOT, createdAt: at(0) };
    const copy = { type: 'TRIAGE', channelId: TRIAGE, messageTs: '200.000001', createdAt: at(0) };
    const ticket = {
      id: 'tic1',
      code: 'IT-1',
      title: 'my laptop',
      description: 'my laptop does not start',
      requesterId: 'usr1',
      queueId: 'que1',
      private: this.isPrivate,
      chatThreads: [thread, copy],
      messages: this.messages,
    };
    const none = {
      edited: new Set<string>(),
      deleted: new Set<string>(),
      visibilityChanged: new Set<string>(),
    };
    const history: TicketHistory = {
      tickets: [ticket],
      linkedChannels: new Set([HELP]),
      triages: new Map([[TRIAGE, { queueId: 'que1', shows: 'notes' }]]),
      restrictedQueues: new Set(),
      ...none,
      undelivered: new Set(),
      retried: new Set(),
      ...this.tickets,
    };
    return [...checkHistory(chat, history), ...checkReaders(chat, history)].map(
      ({ kind, of }) => `${kind}: ${of}`,
    );
  }
}

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

function chatMessage(ts: string, text: string): SeenMessage {
  const thread = ts === ROOT || ts.startsWith('200') ? {} : { thread_ts: ROOT };
  return { channel: HELP, ts, ...thread, user: 'U1', text, blocks: [], reactions: [] };
}

const fromBot = (payload: Record<string, string | number>) => ({
  user: BOT,
  bot_id: 'B0BOT',
  metadata: { event_type: 'deskbridge_post', event_payload: payload },
});

function ticketMessage(id: string, second: number, content: string, ts?: string): RecordedMessage {
  return {
    id,
    authorId: ts === undefined ? 'usr2' : 'usr1',
    content,
    private: false,
    deleted: false,
    status: 'CREATED',
    createdAt: at(second),
    source: ts === undefined ? 'API' : 'CHAT',
    chatChannelId: ts === undefined ? null : HELP,
    chatMessages: ts === undefined ? [] : [{ channelId: HELP, ts, createdAt: at(second) }],
  };
}

function changed<Item>(items: Item[], index: number, change: Partial<Item>): void {
  const item = items[index];
  if (item === undefined) throw new Error('there is no such item');
  items[index] = { ...item, ...change };
}

describe('the history checker', () => {
  test('finds nothing if both sides are the same', () => {
    expect(new Sides().check()).toEqual([]);
  });

  test.each<[string, string, (sides: Sides) => void]>([
    ['a reply that is on no ticket', 'lost: it-help 100.000005', ({ messages }) => messages.splice(2, 1)],
    [
      'a request that opened no ticket',
      'lost: it-help 300.000001',
      ({ help }) =>
        help.push({ ...chatMessage('300.000001', `<@${BOT}> and my phone`), thread_ts: '300.000001' }),
    ],
    [
      'a reply that is on its ticket twice',
      'doubled: it-help 100.000003',
      ({ messages }) => messages.push(ticketMessage('msg9', 6, 'It worked yesterday', '100.000003')),
    ],
    [
      'a reply with another text than on its ticket',
      'different: it-help 100.000005',
      ({ messages }) => changed(messages, 2, { content: 'That was not it' }),
    ],
    [
      'a reply deleted in chat and not on its ticket',
      'not deleted: IT-1 msg3',
      ({ help }) => help.splice(4, 1),
    ],
    [
      'a reply deleted on its ticket and not in chat',
      'lost: it-help 100.000005',
      ({ messages }) => changed(messages, 2, { deleted: true }),
    ],
    [
      'replies that were processed in another order',
      'out of order: it-help 100.000005',
      ({ messages }) =>
        changed(messages, 2, {
          chatMessages: [{ channelId: HELP, ts: '100.000005', createdAt: at(0) }],
        }),
    ],
    ['an answer that is not in its thread', 'lost: IT-1 msg2', ({ help }) => help.splice(3, 1)],
    [
      'an answer that is only in the thread of the team',
      'lost: IT-1 msg2',
      ({ help, triage }) => {
        help.splice(3, 1);
        triage.push({
          ...chatMessage('200.000003', 'Try the other charger'),
          ...fromBot({ id: 'o9', message: 'msg2', part: 0 }),
          channel: TRIAGE,
          thread_ts: '200.000001',
        });
      },
    ],
    [
      'an answer that was posted twice',
      'doubled: IT-1 msg2',
      ({ help }) =>
        help.push({
          ...chatMessage('100.000007', 'Try the other charger'),
          ...fromBot({ id: 'o9', message: 'msg2', part: 0 }),
        }),
    ],
    [
      'a missing part of an answer',
      'lost: IT-1 msg2',
      ({ help }) =>
        changed(help, 3, { text: 'other charger', ...fromBot({ id: 'o2', message: 'msg2', part: 1 }) }),
    ],
    [
      'an answer with another text than on the ticket',
      'different: IT-1 msg2',
      ({ help }) => changed(help, 3, { text: 'Try another charger' }),
    ],
    [
      'a deleted answer that is still in chat',
      'not deleted: IT-1 msg2',
      ({ messages }) => changed(messages, 1, { deleted: true }),
    ],
    [
      'answers that were posted in another order',
      'out of order: IT-1 msg2',
      ({ help }) => {
        changed(help, 3, { ts: '100.000006' });
        changed(help, 5, { ts: '100.000004' });
      },
    ],
    [
      'a reply that came back into its thread',
      'doubled: IT-1 msg3',
      ({ help }) =>
        help.push({
          ...chatMessage('100.000007', 'That was it'),
          ...fromBot({ id: 'o9', message: 'msg3', part: 0 }),
        }),
    ],
    [
      'a post without its ticket message',
      'not deleted: msg9',
      ({ help }) => changed(help, 3, fromBot({ id: 'o2', message: 'msg9', part: 0 })),
    ],
    ['a note that is not in the triage thread', 'lost: IT-1 msg5', ({ triage }) => triage.splice(1, 1)],
    [
      'a reply that is not in a triage thread of everything',
      'lost: IT-1 msg3',
      (sides) => (sides.tickets = { triages: new Map([[TRIAGE, { queueId: 'que1', shows: 'everything' }]]) }),
    ],
    [
      'an answer that is not in a triage thread of answers',
      'lost: IT-1 msg2',
      (sides) => (sides.tickets = { triages: new Map([[TRIAGE, { queueId: 'que1', shows: 'answers' }]]) }),
    ],
    [
      'a note in the thread of the requester',
      'leaked: IT-1 msg5',
      ({ help }) =>
        help.push({
          ...chatMessage('100.000007', 'She always breaks things'),
          ...fromBot({ id: 'o9', message: 'msg5', part: 0 }),
        }),
    ],
    [
      'the text of a note in a public channel, even if it was deleted',
      'leaked: IT-1 msg5',
      (sides) => (sides.chat = { postedTexts: [{ channel: HELP, text: 'Note: she always breaks things' }] }),
    ],
    [
      'what a triage channel still shows of a ticket that moved to another team',
      'leaked: IT-1 msg5',
      (sides) =>
        (sides.tickets = {
          triages: new Map([[TRIAGE, { queueId: 'que2', shows: 'notes' }]]),
          restrictedQueues: new Set(['que1']),
        }),
    ],
    [
      'an answer that is recorded under another message',
      'recorded elsewhere: IT-1 msg2',
      ({ messages }) =>
        changed(messages, 1, {
          chatMessages: [{ channelId: HELP, ts: '100.000006', createdAt: at(2) }],
        }),
    ],
    [
      'more posts in a channel than the rate limit allows',
      `too fast: ${HELP}`,
      (sides) =>
        (sides.chat = { postCalls: Array.from({ length: 6 }, (_, n) => ({ channel: HELP, at: n * 100 })) }),
    ],
  ])('finds %s', (_, violation, plant) => {
    const sides = new Sides();
    plant(sides);
    expect(sides.check()).toContainEqual(expect.stringContaining(violation));
  });

  test.each<[string, (sides: Sides) => void]>([
    [
      'B14 what a triage channel does not show of a ticket that moved to another team',
      (sides) => {
        sides.triage.splice(1, 1);
        sides.tickets = {
          triages: new Map([[TRIAGE, { queueId: 'que2', shows: 'everything' }]]),
          restrictedQueues: new Set(['que1']),
        };
      },
    ],
    [
      'B14 how an answer was edited since its ticket became private, in a public channel',
      (sides) => {
        changed(sides.messages, 1, { content: 'Try the key 1234', status: 'EDITED' });
        sides.isPrivate = true;
      },
    ],
    [
      'B7 in a channel without a queue',
      ({ help }) => help.push({ ...chatMessage('300.000001', 'hello you'), thread_ts: '300.000001' }),
    ],
    ['B2 only a mention', ({ help }) => help.push(chatMessage('100.000009', `<@${BOT}>`))],
    [
      'B8 a greeting',
      ({ help }) => help.push({ ...chatMessage('300.000001', `<@${BOT}> hello`), thread_ts: '300.000001' }),
    ],
    ['B32 a command', ({ help }) => help.push(chatMessage('100.000009', `<@${BOT}> status done`))],
    [
      'B21 a system message',
      ({ help }) => help.push({ ...chatMessage('100.000009', 'joined'), subtype: 'channel_join' }),
    ],
    [
      'B17 from another app',
      ({ help }) => help.push({ ...chatMessage('100.000009', 'build failed'), bot_id: 'B9' }),
    ],
    [
      'B0a visible to one person',
      ({ help }) => help.push({ ...chatMessage('100.000009', 'psst'), ephemeralFor: 'U1' }),
    ],
    [
      'B12 in a thread without a ticket',
      ({ help }) => help.push({ ...chatMessage('300.000002', 'me too'), thread_ts: '300.000001' }),
    ],
    [
      'B49 a dead letter on the way to the ticket',
      (sides) => {
        sides.messages.splice(2, 1);
        sides.chat = { undelivered: new Set([`${HELP} 100.000005`]) };
      },
    ],
    [
      'B49 a dead letter on the way to chat',
      (sides) => {
        sides.help.splice(3, 1);
        sides.tickets = { undelivered: new Set(['msg2']) };
      },
    ],
    [
      'B49 retried by hand, after later messages',
      (sides) => {
        changed(sides.help, 3, { ts: '100.000006' });
        changed(sides.help, 5, { ts: '100.000004' });
        sides.tickets = { retried: new Set(['msg2']) };
      },
    ],
    [
      'B13 deleted at the desk, written by a person in chat',
      (sides) => {
        changed(sides.messages, 2, { deleted: true });
        sides.tickets = { deleted: new Set(['msg3']) };
      },
    ],
    [
      'B13 edited at the desk, written by a person in chat',
      (sides) => {
        changed(sides.messages, 2, { content: 'That was it, she says' });
        sides.tickets = { edited: new Set(['msg3']) };
      },
    ],
    [
      'B14 made public after later messages',
      (sides) => {
        changed(sides.help, 3, { ts: '100.000006' });
        changed(sides.help, 5, { ts: '100.000004' });
        sides.tickets = { visibilityChanged: new Set(['msg2']) };
      },
    ],
    [
      'B48 a burst, and one post per gap after it',
      (sides) => {
        const postCalls = Array.from({ length: 9 }, (_, n) => ({
          channel: HELP,
          at: Math.max(0, n - 2) * 1_000,
        }));
        sides.chat = { postCalls };
      },
    ],
    [
      'B66 delivered late by Slack',
      (sides) => {
        changed(sides.messages, 2, {
          chatMessages: [{ channelId: HELP, ts: '100.000005', createdAt: at(0) }],
        });
        sides.chat = { isInOrder: false };
      },
    ],
  ])('ignores messages that need not cross: %s', (_, plant) => {
    const sides = new Sides();
    plant(sides);
    expect(sides.check()).toEqual([]);
  });
});

test.each(Object.entries(BUGS))('the patch of a planted bug still applies: %s', async (_, { patch }) => {
  expect(await patchedFile(patch)).toContain(patch.to);
});
