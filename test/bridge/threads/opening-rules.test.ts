import { describe, expect, test } from 'vitest';

import { changeOf, type EmojiAction, openingOf } from '../../../src/bridge/blocks/emoji.ts';
import { isGreeting } from '../../../src/bridge/threads/rules.ts';

describe('tickets opened by a reaction', () => {
  const none = new Map<string, EmojiAction>();
  const own = new Map([
    ['fire', { action: 'create', value: '' }],
    ['lock', { action: 'create-private', value: '' }],
    ['ok', { action: 'assign-me', value: '' }],
  ]);
  const thumbs = new Map([
    ['thumbsup', { action: 'create', value: '' }],
    ['+1::skin-tone-3', { action: 'create-private', value: '' }],
    ['-1::skin-tone-4', { action: 'create', value: '' }],
  ]);
  test.each<[string, string, ReadonlyMap<string, EmojiAction> | undefined, ReturnType<typeof openingOf>]>([
    ['B1 🎫 opens a ticket', 'ticket', none, 'open'],
    ['B1 🎫 opens a ticket if the workspace has no emoji actions', 'ticket', undefined, 'open'],
    ['B11 🤫 opens a ticket in a private channel', 'shushing_face', none, 'open-aside'],
    ['B1 any other emoji opens none', 'thumbsup', none, undefined],
    ['B1 a workspace’s own emoji opens a ticket', 'fire', own, 'open'],
    ['B1 a workspace’s own emoji works with any skin tone', 'fire::skin-tone-3', own, 'open'],
    ['B1 a workspace’s own emoji opens a private ticket', 'lock', own, 'open-private'],
    ['B1 🎫 by its own character opens a ticket', '🎫', none, 'open'],
    ['B1 another name of a workspace’s own emoji opens a ticket', '+1', thumbs, 'open'],
    ['B1 another name, in a skin tone of its own', 'thumbsup::skin-tone-3', thumbs, 'open-private'],
    ['B1 another name, in another skin tone', 'thumbsup::skin-tone-6', thumbs, 'open'],
    ['B1 an emoji set for one skin tone does nothing in another', '-1::skin-tone-2', thumbs, undefined],
    ['B1 an emoji set for one skin tone does nothing without it', 'thumbsdown', thumbs, undefined],
    ['B11 🤫 in any skin tone and by any name', 'face_with_finger_covering_closed_lips', none, 'open-aside'],
    ['B1 an emoji that changes a ticket opens none', 'ok', own, undefined],
    [
      'B1 a workspace may use 🎫 for another action',
      'ticket',
      new Map([['ticket', { action: 'assign-me', value: '' }]]),
      undefined,
    ],
  ])('%s', (_, name, actions, expected) => {
    expect(openingOf(name, actions)).toBe(expected);
  });
});

describe('ticket changes by a reaction', () => {
  const own = new Map([
    ['fire', { action: 'priority', value: 'URGENT' }],
    ['hourglass', { action: 'status', value: 'Waiting' }],
    ['hand', { action: 'assign-me', value: '' }],
    ['ticket', { action: 'create', value: '' }],
    ['zap', { action: 'explode', value: 'now' }],
    ['white_check_mark', { action: 'status', value: 'Done' }],
  ]);
  test.each<[string, string, ReturnType<typeof changeOf>]>([
    ['B1 an emoji of the workspace sets a priority', 'fire', { kind: 'priority', value: 'URGENT' }],
    ['B1 an emoji of the workspace sets a status', 'hourglass', { kind: 'status', value: 'Waiting' }],
    [
      'B1 an emoji of the workspace assigns, in any skin tone',
      'hand::skin-tone-4',
      { kind: 'assign-me', value: '' },
    ],
    ['B1 ✅ by the name of the setting', 'white_check_mark', { kind: 'status', value: 'Done' }],
    ['B1 ✋ by another name and skin tone', 'raised_hand::skin-tone-5', { kind: 'assign-me', value: '' }],
    ['B1 an emoji that opens tickets changes none', 'ticket', undefined],
    ['B1 an unknown action changes nothing', 'zap', undefined],
    ['B1 any other emoji changes nothing', 'eyes', undefined],
  ])('%s', (_, name, expected) => {
    expect(changeOf(name, own)).toEqual(expected);
  });
});

describe('messages that are only a greeting (B8)', () => {
  test.each([
    'hi',
    'Hello!',
    'hey there 👋',
    'Good morning',
    'Bonjour :wave:',
    'Привет',
    'help',
    ':100: :wave:',
    'buenos días',
  ])('B8 “%s” is one', (words) => {
    expect(isGreeting(words)).toBe(true);
  });
  test.each([
    'hi, my laptop is broken',
    'printer',
    '404',
    'hi 404',
    'help 3/412',
    'hello hello hello hello hello',
    '',
  ])('B8 “%s” is not one', (words) => {
    expect(isGreeting(words)).toBe(false);
  });
});
