import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { emojiKey, emojiSign, isEmojiName, plainEmoji, withSigns } from '../../src/platform/text/emoji.ts';
import { EMOJI_TABLE, emojiTable } from '../harness/write-emoji.ts';

test('the table is the one that the data set gives', async () => {
  expect(await readFile(EMOJI_TABLE, 'utf8')).toBe(await emojiTable());
});

test.each([
  ['GitHub’s name', 'thinking', 'thinking_face'],
  ['GitHub’s name of a person', 'woman_technologist', 'female-technologist'],
  ['GitHub’s name of a flag', 'de', 'flag-de'],
  ['a sign', '🤔', 'thinking_face'],
  ['a sign of several', '👩‍💻', 'female-technologist'],
  ['a sign of several with a tone', '👩🏽‍💻', 'female-technologist'],
  ['a flag', '🇩🇪', 'flag-de'],
  ['Slack’s own name', 'thumbsup', 'thumbsup'],
  ['Slack’s own name with a tone', ':+1::skin-tone-3:', '+1'],
  ['a workspace’s own', 'partyparrot', 'partyparrot'],
])('Slack gets %s by its own name', (_, emoji, name) => {
  expect(plainEmoji(emoji)).toBe(name);
});

test('what Slack has is known by its own names, in any tone, and nothing else is', () => {
  const known = ['thinking_face', 'flag-de', 'female-technologist', '+1', 'wave::skin-tone-3'];
  expect([...known, 'thinking', 'de', 'woman_technologist', 'partyparrot', ''].filter(isEmojiName)).toEqual(
    known,
  );
  expect(emojiKey('thinking')).toBe(emojiKey('🤔'));
});

test('names in a text become signs, with their tone, whoever gave the name; others stay', () => {
  expect(withSigns(':wave::skin-tone-4: :thinking: :flag-de: :ours: 10:30:45 :a::b:')).toBe(
    '👋🏽 🤔 🇩🇪 :ours: 10:30:45 🅰️🅱️',
  );
  expect(emojiSign('female-technologist')).toBe('👩‍💻');
});
