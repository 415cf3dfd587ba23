import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { emojiKey, emojiSign, isEmojiName, plainEmoji, withSigns } from '../../src/platform/text/emoji.ts';
import { EMOJI_TABLE, emojiTable } from '../harness/write-emoji.ts';

test('the table equals the one generated from the data set', async () => {
  expect(await readFile(EMOJI_TABLE, 'utf8')).toBe(await emojiTable());
});

test.each([
  ['GitHub’s name', 'thinking', 'thinking_face'],
  ['GitHub’s name of a person', 'woman_technologist', 'female-technologist'],
  ['GitHub’s name of a flag', 'de', 'flag-de'],
  ['a character', '🤔', 'thinking_face'],
  ['a sequence of characters', '👩‍💻', 'female-technologist'],
  ['a sequence with a skin tone', '👩🏽‍💻', 'female-technologist'],
  ['a flag', '🇩🇪', 'flag-de'],
  ['Slack’s own name', 'thumbsup', 'thumbsup'],
  ['Slack’s own name with a skin tone', ':+1::skin-tone-3:', '+1'],
  ['a custom emoji', 'partyparrot', 'partyparrot'],
])('Slack gets %s by its own name', (_, emoji, name) => {
  expect(plainEmoji(emoji)).toBe(name);
});

test('Slack’s emoji are recognized by its own names, in any skin tone, and no others are', () => {
  const known = ['thinking_face', 'flag-de', 'female-technologist', '+1', 'wave::skin-tone-3'];
  expect([...known, 'thinking', 'de', 'woman_technologist', 'partyparrot', ''].filter(isEmojiName)).toEqual(
    known,
  );
  expect(emojiKey('thinking')).toBe(emojiKey('🤔'));
});

test('names in a text become characters with their skin tone, whether Slack’s or GitHub’s; others stay', () => {
  expect(withSigns(':wave::skin-tone-4: :thinking: :flag-de: :ours: 10:30:45 :a::b:')).toBe(
    '👋🏽 🤔 🇩🇪 :ours: 10:30:45 🅰️🅱️',
  );
  expect(emojiSign('female-technologist')).toBe('👩‍💻');
});
