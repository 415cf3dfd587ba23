import { describe, expect, test } from 'vitest';

import { editedField, fieldOf } from '../../../src/bridge/features/forms/rules.ts';
import { chatToMarkdown } from '../../../src/bridge/text/from-chat.ts';
import { markdownToChat } from '../../../src/bridge/text/to-chat.ts';
import {
  editedMarkdown,
  fieldToMarkdown,
  markdownToField,
  typedToMarkdown,
  typedWords,
} from '../../../src/bridge/text/typed.ts';
import { parseRichText } from '../../../src/sandbox/rich-text/parse.ts';

const names = {
  user: (id: string) => (id === 'UBEN' ? { name: 'Ben Ito', userId: 'usr_ben' } : undefined),
  channel: (id: string) => (id === 'CGEN' ? 'general' : undefined),
  group: (id: string) => (id === 'SIT' ? 'it-team' : undefined),
};
const composer = {
  typed: true,
  userId: (name: string) => (name === 'ben' ? 'UBEN' : undefined),
  channelId: (name: string) => (name === 'general' ? 'CGEN' : undefined),
  groupId: (handle: string) => (handle === 'it-team' ? 'SIT' : undefined),
  channelName: () => 'general',
};

/** What a person types, and what the ticket has of it. */
const TEXTS: [string, string][] = [
  ['the printer is on fire', 'the printer is on fire'],
  ['cost is 2 * 3 and *bold* <b>', 'cost is 2 \\* 3 and **bold** \\<b>'],
  ['_italic_ ~gone~ `code <b> & *x*`', '_italic_ ~~gone~~ `code <b> & *x*`'],
  ['snake_case and 2*3*4', 'snake_case and 2\\*3\\*4'],
  ['Tom & Jerry < 3 > 2 &amp; more', 'Tom & Jerry < 3 > 2 \\&amp; more'],
  ['see https://x.example/a_b please', 'see <https://x.example/a_b> please'],
  ['see https://x.example/_a_/b?c=1&d=2', 'see <https://x.example/_a_/b?c=1&d=2>'],
  ['first line\nsecond line', 'first line\\\nsecond line'],
  ['one paragraph\n\nanother', 'one paragraph\n\nanother'],
  ['- one\n- two', '- one\n- two'],
  ['look:\n- one\n- two\nend', 'look:\n\n- one\n- two\n\nend'],
  ['1. one\n2. two', '1. one\n2. two'],
  ['> quoted\n> twice\nend', '> quoted\\\n> twice\n\nend'],
  ['```\nif (a < b) x\n# no heading\n```', '```\nif (a < b) x\n# no heading\n```'],
  ['before\n```\ncode\n```\nafter', 'before\n\n```\ncode\n```\n\nafter'],
  ['# no heading', '\\# no heading'],
  ['| a | b |', '\\| a | b |'],
  ['[no](https://x.example)', '\\[no]\\(<https://x.example>)'],
  [':tada: and 🎫', '🎉 and 🎫'],
  ['プリンターが壊れた', 'プリンターが壊れた'],
  ['C:\\temp\\x', 'C:\\temp\\x'],
];

describe('a typed text has one meaning, wherever it is typed', () => {
  test.each(TEXTS)('%j', (source, markdown) => {
    const sent = parseRichText(source, composer, 'b');
    const message = chatToMarkdown({ text: sent.text, blocks: [sent.block] }, names);
    const byCommand = typedToMarkdown(sent.text, names);
    const byField = fieldToMarkdown(source);
    expect({ message, byCommand, byField }).toEqual({
      message: markdown,
      byCommand: markdown,
      byField: markdown,
    });
  });

  test.each([
    ['ask @ben about #general', 'ask [@Ben Ito](user:usr_ben) about #general', 'ask @Ben Ito about #general'],
    ['@here, @it-team: look', '@here, @it-team: look', '@here, @it-team: look'],
  ])('%j names whom it names', (source, markdown, words) => {
    const sent = parseRichText(source, composer, 'b');
    expect(chatToMarkdown({ text: sent.text, blocks: [sent.block] }, names)).toBe(markdown);
    expect(typedToMarkdown(sent.text, names)).toBe(markdown);
    expect(typedWords(sent.text, names)).toBe(words);
  });

  test.each([
    ['<@U0NOBODY0|nobody> in <#C9|x> &lt;b&gt;', '@nobody in #x <b>'],
    ['<@U0NOBODY0>', '@U0NOBODY0'],
    [
      '<https://x.example/a_b> <http://y.example|y.example> <mailto:a@b.example|a@b.example>',
      'https://x.example/a_b y.example a@b.example',
    ],
    ['<!subteam^S1|@it-team> <!here>', '@it-team @here'],
    ['*a* _b_', '*a* _b_'],
  ])('the command text %j is shown as %j', (escaped, words) => {
    expect(typedWords(escaped)).toBe(words);
  });
});

const TICKET_TEXTS = [
  ...TEXTS.map(([, markdown]) => markdown),
  'ask [@Ben Ito](user:usr_ben) and [the docs](https://x.example/a_b)',
  '## Heading\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nend',
  '- one\n  - nested\n- two',
  'literal \\*stars\\* and \\_lines\\_',
  'mail <a@b.example>',
];

describe('a field shows a ticket’s text in chat’s marks and reads it back', () => {
  test.each(TICKET_TEXTS)(
    '%j stays as it is if nothing is changed, or only something beside it',
    (markdown) => {
      const shown = markdownToField(markdown);
      expect(editedMarkdown(markdown, shown)).toBe(markdown);
      expect(editedMarkdown(markdown, `${shown}\n`)).toBe(markdown);
      const within = `before\n\n${markdown}\n\nafter`;
      expect(markdownToField(within)).toBe(`before\n\n${shown}\n\nafter`);
      expect(editedMarkdown(within, `before!\n\n${shown}\n\nafter`)).toBe(`before!\n\n${markdown}\n\nafter`);
      expect(editedMarkdown(within, `before\n\n${shown}\n\nafter!`)).toBe(`before\n\n${markdown}\n\nafter!`);
      expect(editedMarkdown(within, `before\n\nmiddle\n\n${shown}\n\nafter`)).toBe(
        `before\n\nmiddle\n\n${markdown}\n\nafter`,
      );
      expect(editedMarkdown(within, `${shown}\n\nafter`)).toBe(`${markdown}\n\nafter`);
    },
  );

  test.each([
    ['cost is 2 \\* 3 and **bold** \\<b>', 'cost is 2 * 3 and *bold* <b>'],
    [
      'ask [@Ben Ito](user:usr_ben) and [the docs](https://x.example/a_b)',
      'ask @Ben Ito and <https://x.example/a_b|the docs>',
    ],
    ['see <https://x.example/a_b>', 'see https://x.example/a_b'],
    ['~~gone~~ _it_ `a*b`', '~gone~ _it_ `a*b`'],
  ])('%j is shown as %j, and one more word changes nothing else', (markdown, shown) => {
    expect(markdownToField(markdown)).toBe(shown);
    expect(editedMarkdown(markdown, `${shown} more`)).toBe(`${markdown} more`);
  });

  test('a name is a person only where the text named them, and not as the beginning of another name', () => {
    const markdown = 'ask [@Ben](user:usr_ben)';
    expect(editedMarkdown(markdown, 'ask @Ben or @Benno or @Ada')).toBe(
      'ask [@Ben](user:usr_ben) or @Benno or @Ada',
    );
  });

  test('a text that is longer than a field keeps what has no room there', () => {
    const markdown = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ');
    const { shown, rest } = fieldOf(markdown);
    expect(shown.length).toBeLessThanOrEqual(3_000);
    expect(shown + rest).toBe(markdown);
    expect(editedField(markdown, shown)).toBe(markdown);
    expect(editedField(markdown, shown.replace('word7 ', 'seven '))).toBe(
      markdown.replace('word7 ', 'seven '),
    );
    expect(editedField(markdown, '')).toBe('');
  });

  test('what a field says is what chat shows', () => {
    const [part] = markdownToChat(fieldToMarkdown('*a* <b>'), () => undefined);
    expect(part?.text).toBe('a &lt;b&gt;');
  });
});
