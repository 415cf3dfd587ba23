import { describe, expect, test } from 'vitest';

import { threadCommand, treatThreadCommand } from '../../../src/bridge/tickets/command-rules.ts';
import { reasonOf } from '../../../src/bridge/features/delivery-status/rules.ts';

const BOT = 'U0BOT';

describe('B32 a mention of the bot in a ticket’s thread', () => {
  test.each([
    ['<@U0BOT> status in progress', { do: 'status', words: 'in progress' }],
    ['<@U0BOT|deskbridge>: Close', { do: 'close', words: '' }],
    ['<@U0BOT>  assign <@U1|mira> ', { do: 'assign', words: '<@U1|mira>' }],
    ['<@U0BOT> prio high', { do: 'priority', words: 'high' }],
    ['<@U0OTHER> status done', undefined],
    ['status done <@U0BOT>', undefined],
    ['<@U0BOT> is it done?', undefined],
    ['<@U0BOT> note this is public here', undefined],
    ['<@U0BOT>', undefined],
  ])('%j is a command or a reply', (text, expected) => {
    expect(threadCommand(text, BOT)).toEqual(expected);
  });

  test.each([
    ['status', 'done', true, 'work'],
    ['close', '', true, 'work'],
    ['close', 'call yesterday', false, 'reply'],
    ['status', 'bananas', false, 'reply and hint'],
    ['due', '', false, 'reply and hint'],
    ['status', 'is what I would like to know about', false, 'reply'],
  ] as const)('%s %j (valid: %s) is treated as: %s', (name, words, fits, expected) => {
    expect(treatThreadCommand({ do: name, words }, fits)).toBe(expected);
  });
});

describe('B55 outcomes as sentences', () => {
  test.each([
    ['mention: opened IT-7', 'it mentions me, so a ticket was opened on it (rule B1)'],
    [
      'mention in a thread: opened IT-7',
      'it mentions me in a thread, so a ticket was opened on the thread, with its earlier replies (rule B4)',
    ],
    [
      'reply; reopened',
      'it is a reply in a ticket’s thread, so it is a message on the ticket; and it opened the ticket again (rule B12, B22)',
    ],
    ['only observed: emoji', 'this channel is only observed, so nothing was written (rule B56)'],
    ['command in the thread: status, refused', 'it is a command to me, and not a reply (rule B32)'],
    ['ignored', 'ignored'],
  ])('%s', (outcome, says) => {
    expect(reasonOf(outcome).says).toBe(says);
  });

  test('B55 where a setting decided, the explanation says what to change', () => {
    for (const outcome of ['message of another app', 'emoji are for the team here', 'guest refused'])
      expect(reasonOf(outcome).change).toMatch(/settings bots on|enableUserEmojis|allowGuestUsers/);
  });
});
