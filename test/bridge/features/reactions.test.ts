import { describe, expect, test } from 'vitest';

import { isForwarded, isSynced } from '../../../src/bridge/blocks/emoji.ts';
import {
  inBoth,
  reactionDifferences,
  wantedReactions,
} from '../../../src/bridge/features/reactions/rules.ts';
import { emojiKey, plainEmoji } from '../../../src/platform/text/emoji.ts';

describe('an emoji', () => {
  test.each([
    ['B12 a name is itself', 'tada', 'tada'],
    ['B12 colons are no part of a name', ':tada:', 'tada'],
    ['B12 a skin tone is the person’s, not the emoji’s', 'wave::skin-tone-3', 'wave'],
    ['B12 a sign has its name', '👍🏽', '+1'],
    ['B12 a sign with or without its variation selector is the same', '⚠', 'warning'],
    ['B12 a workspace’s own emoji is its name', 'partyparrot', 'partyparrot'],
  ])('%s', (_, emoji, plain) => {
    expect(plainEmoji(emoji)).toBe(plain);
  });

  test('B12 all names of a sign are one emoji, and a workspace’s own is none of them', () => {
    expect(new Set(['+1', 'thumbsup', 'thumbsup::skin-tone-6', '👍'].map(emojiKey)).size).toBe(1);
    expect(emojiKey('partyparrot')).toBe('partyparrot');
  });

  test.each([
    ['B54 the mark of what waits', 'hourglass_flowing_sand', false],
    ['B54 the mark of what cannot cross', '⚠️', false],
    ['B29 a status emoji', 'white_check_mark', false],
    ['B29 a status emoji by chat’s own name', 'double_vertical_bar', false],
    ['B1 what opens a ticket', 'ticket', false],
    ['B12 any other', 'tada', true],
  ])('%s is synced or not', (_, emoji, synced) => {
    expect(isSynced(emoji)).toBe(synced);
  });
});

test('B64 a person’s reaction is forwarded also with a status emoji, whose own the bot is known by', () => {
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
    ['B12 one for all who hold it elsewhere', message(['tada', 'a'], ['tada', 'b']), [], ['tada']],
    ['B12 one for all names of it, by the first', message(['thumbsup', 'a'], ['+1', 'b']), [], ['thumbsup']],
    ['B12 none for who holds it in chat', message(['tada', 'a']), [{ userId: 'a', name: 'tada' }], []],
    [
      'B12 none for who holds it in chat in a tone',
      message(['wave', 'a']),
      [{ userId: 'a', name: 'wave::skin-tone-2' }],
      [],
    ],
    [
      'B12 one for another who holds it elsewhere alone',
      message(['tada', 'a'], ['tada', 'b']),
      [{ userId: 'a', name: 'tada' }],
      ['tada'],
    ],
    ['B12 one for whom nobody knows', message(['tada', null]), [{ userId: 'a', name: 'tada' }], ['tada']],
    ['B54 none of its own marks', message(['warning', 'a'], ['eyes', 'a']), [], []],
    ['B1 none that opens tickets', message(['ticket', 'a']), [], []],
    ['B14 none on a private note', { ...message(['tada', 'a']), private: true }, [], []],
    ['B12 none on what was deleted', { ...message(['tada', 'a']), deleted: true }, [], []],
  ])('%s', (_, record, inChat, names) => {
    expect([...wantedReactions(record, inChat).values()]).toEqual(names);
  });
});

describe('B50 emoji that chat has and the bridge was never told of', () => {
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
    ['what is known is no difference', listed('U1'), [heard('U1')], [], {}],
    ['one that was given', listed('U1'), [], [], { added: [{ ...ON, user: 'U1' }] }],
    ['one that was given again', listed('U1'), [heard('U1', false)], [], { added: [{ ...ON, user: 'U1' }] }],
    ['the last that was taken back', none, [heard('U1')], [], { removed: [{ ...ON, user: 'U1' }] }],
    [
      'one of several taken back',
      listed('U2'),
      [heard('U1'), heard('U2')],
      [],
      { removed: [{ ...ON, user: 'U1' }] },
    ],
    ['one known to be taken back is no difference', none, [heard('U1', false)], [], {}],
    [
      'who is missing in a list that was cut short may hold it all the same',
      [{ ts: TS, reactions: [{ name: 'tada', users: ['U2'], count: 60 }] }],
      [heard('U1'), heard('U2')],
      ours(true),
      {},
    ],
    ['a message that is not listed says nothing', [], [heard('U1')], ours(true), {}],
    [
      'marks and 🎫 are none of it',
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
    ['the bot’s that is wanted and there', listed(BOT), [], ours(true), {}],
    ['the bot’s that is wanted and not there', none, [], ours(true), { missing }],
    ['the bot’s that is on its way, or refused', none, [], ours(true, true), {}],
    ['the bot’s that nobody wants', listed(BOT), [], [], { surplus }],
    ['the bot’s that nobody wants any more', listed(BOT), [], ours(false), { surplus }],
    ['the bot’s that is being taken away', listed(BOT), [], ours(false, true), {}],
    [
      'the bot’s under another name of the emoji',
      [{ ts: TS, reactions: [{ name: '+1', users: [BOT], count: 1 }] }],
      [],
      [{ ts: TS, emoji: emojiKey('thumbsup'), wanted: true, settled: false }],
      {},
    ],
  ])('B50 %s', (_, list, known, reactions, expected) => {
    expect(reactionDifferences(list, known, { userId: BOT, reactions })).toEqual({ ...nothing, ...expected });
  });

  test('B50 what only one of two looks saw was on its way', () => {
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
