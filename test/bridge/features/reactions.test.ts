import { describe, expect, test } from 'vitest';

import { isForwarded, isSynced } from '../../../src/bridge/blocks/emoji.ts';
import {
  inBoth,
  reactionDifferences,
  wantedReactions,
} from '../../../src/bridge/features/reactions/rules.ts';
import { emojiKey, plainEmoji } from '../../../src/platform/text/emoji.ts';

describe('names of emoji', () => {
  test.each([
    ['B12 a name stays', 'tada', 'tada'],
    ['B12 colons are removed', ':tada:', 'tada'],
    ['B12 the skin tone is removed', 'wave::skin-tone-3', 'wave'],
    ['B12 a Unicode emoji becomes its name', '👍🏽', '+1'],
    ['B12 a Unicode emoji is the same with and without variation selector', '⚠', 'warning'],
    ['B12 a custom emoji keeps its name', 'partyparrot', 'partyparrot'],
  ])('%s', (_, emoji, plain) => {
    expect(plainEmoji(emoji)).toBe(plain);
  });

  test('B12 all names of a Unicode emoji are one emoji, and a custom emoji is none of them', () => {
    expect(new Set(['+1', 'thumbsup', 'thumbsup::skin-tone-6', '👍'].map(emojiKey)).size).toBe(1);
    expect(emojiKey('partyparrot')).toBe('partyparrot');
  });

  test.each([
    ['B54 the mark of a waiting message', 'hourglass_flowing_sand', false],
    ['B54 the mark of an undeliverable message', '⚠️', false],
    ['B29 a status emoji', 'white_check_mark', false],
    ['B29 a status emoji by Slack’s own name', 'double_vertical_bar', false],
    ['B1 an emoji that opens a ticket', 'ticket', false],
    ['B12 any other emoji', 'tada', true],
  ])('%s is synced or not', (_, emoji, synced) => {
    expect(isSynced(emoji)).toBe(synced);
  });
});

test('B64 a person’s reaction with a status emoji is forwarded too; the bot’s own is recognized by its user', () => {
  expect(['eyes', 'white_check_mark', 'tada'].map(isForwarded)).toEqual([true, true, true]);
  expect(['warning', 'hourglass_flowing_sand', 'ticket'].map(isForwarded)).toEqual([false, false, false]);
  const listed = [{ ts: '1.1', reactions: [{ name: 'eyes', users: ['UBOT', 'U1'], count: 2 }] }];
  const heard = [{ ts: '1.1', user: 'U1', name: 'eyes', present: true }];
  const bot = { userId: 'UBOT', reactions: [] };
  const nothing = { removed: [], missing: [], surplus: [] };
  expect(reactionDifferences(listed, [], bot)).toEqual({
    ...nothing,
    added: [{ ts: '1.1', user: 'U1', name: 'eyes' }],
  });
  expect(reactionDifferences(listed, heard, bot)).toEqual({ ...nothing, added: [] });
});

describe('which emoji the bot puts on a message', () => {
  const message = (...reactions: [emoji: string, authorId: string | null][]) => ({
    deleted: false,
    private: false,
    reactions: reactions.map(([emoji, authorId]) => ({ emoji, authorId })),
  });

  test.each([
    ['B12 one for everyone who reacted elsewhere', message(['tada', 'a'], ['tada', 'b']), [], ['tada']],
    [
      'B12 one for all names of an emoji, by the first name',
      message(['thumbsup', 'a'], ['+1', 'b']),
      [],
      ['thumbsup'],
    ],
    ['B12 none for a user who reacted in chat', message(['tada', 'a']), [{ userId: 'a', name: 'tada' }], []],
    [
      'B12 none for a user who reacted in chat with a skin tone',
      message(['wave', 'a']),
      [{ userId: 'a', name: 'wave::skin-tone-2' }],
      [],
    ],
    [
      'B12 one for another user who reacted only elsewhere',
      message(['tada', 'a'], ['tada', 'b']),
      [{ userId: 'a', name: 'tada' }],
      ['tada'],
    ],
    ['B12 one for an unknown user', message(['tada', null]), [{ userId: 'a', name: 'tada' }], ['tada']],
    ['B54 no delivery marks', message(['warning', 'a'], ['eyes', 'a']), [], []],
    ['B1 no emoji that open tickets', message(['ticket', 'a']), [], []],
    ['B14 none on an internal note', { ...message(['tada', 'a']), private: true }, [], []],
    ['B12 none on a deleted message', { ...message(['tada', 'a']), deleted: true }, [], []],
  ])('%s', (_, record, inChat, names) => {
    expect([...wantedReactions(record, inChat).values()]).toEqual(names);
  });
});

describe('B50 reactions in chat that no event reported', () => {
  const TS = '1700000010.000100';
  const BOT = 'UBOT';
  const ON = { ts: TS, name: 'tada' };
  const listed = (...users: string[]) => [
    { ts: TS, reactions: [{ name: 'tada', users, count: users.length }] },
  ];
  const none = [{ ts: TS, reactions: [] }];
  const heard = (user: string, present = true) => ({ ...ON, user, present });
  const ours = (wanted: boolean, settled = false) => [{ ts: TS, emoji: emojiKey('tada'), wanted, settled }];
  const nothing = { added: [], removed: [], missing: [], surplus: [] };
  const surplus = [{ ...ON, emoji: emojiKey('tada') }];
  const missing = [{ ts: TS, emoji: emojiKey('tada') }];

  test.each<
    [
      string,
      Parameters<typeof reactionDifferences>[0],
      Parameters<typeof reactionDifferences>[1],
      Parameters<typeof reactionDifferences>[2]['reactions'],
      Partial<ReturnType<typeof reactionDifferences>>,
    ]
  >([
    ['a known reaction is no difference', listed('U1'), [heard('U1')], [], {}],
    ['a reaction was added', listed('U1'), [], [], { added: [{ ...ON, user: 'U1' }] }],
    [
      'a reaction was added again',
      listed('U1'),
      [heard('U1', false)],
      [],
      { added: [{ ...ON, user: 'U1' }] },
    ],
    ['the last reaction was removed', none, [heard('U1')], [], { removed: [{ ...ON, user: 'U1' }] }],
    [
      'one of several reactions was removed',
      listed('U2'),
      [heard('U1'), heard('U2')],
      [],
      { removed: [{ ...ON, user: 'U1' }] },
    ],
    ['a reaction known to be removed is no difference', none, [heard('U1', false)], [], {}],
    [
      'a user missing in a truncated list may still have reacted',
      [{ ts: TS, reactions: [{ name: 'tada', users: ['U2'], count: 60 }] }],
      [heard('U1'), heard('U2')],
      ours(true),
      {},
    ],
    ['a message that is not listed tells nothing', [], [heard('U1')], ours(true), {}],
    [
      'delivery marks and 🎫 are ignored',
      [
        {
          ts: TS,
          reactions: ['warning', 'ticket'].map((name) => ({ name, users: ['U1', BOT], count: 2 })),
        },
      ],
      [],
      [],
      {},
    ],
    ['a wanted reaction of the bot is there', listed(BOT), [], ours(true), {}],
    ['a wanted reaction of the bot is missing', none, [], ours(true), { missing }],
    ['a wanted reaction of the bot is in progress or was rejected', none, [], ours(true, true), {}],
    ['an unknown reaction of the bot', listed(BOT), [], [], { surplus }],
    ['a reaction of the bot that is no longer wanted', listed(BOT), [], ours(false), { surplus }],
    ['a reaction of the bot that is being removed', listed(BOT), [], ours(false, true), {}],
    [
      'a reaction of the bot under another name of the emoji',
      [{ ts: TS, reactions: [{ name: '+1', users: [BOT], count: 1 }] }],
      [],
      [{ ts: TS, emoji: emojiKey('thumbsup'), wanted: true, settled: false }],
      {},
    ],
  ])('B50 %s', (_, list, known, reactions, expected) => {
    expect(reactionDifferences(list, known, { userId: BOT, reactions })).toEqual({ ...nothing, ...expected });
  });

  test('B50 a difference counts only if two comparisons in a row see it', () => {
    const one = { ...nothing, added: [{ ...ON, user: 'U1' }], missing };
    const two = {
      ...nothing,
      added: [
        { ...ON, user: 'U1' },
        { ...ON, user: 'U2' },
      ],
    };
    expect(inBoth(one, two)).toEqual({ ...nothing, added: [{ ...ON, user: 'U1' }] });
  });
});
