import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { chatToMarkdown, saysMoreThan } from '../../../src/bridge/text/from-chat.ts';
import { mentionedUsers } from '../../../src/bridge/text/references.ts';
import { PART_CHARACTERS } from '../../../src/bridge/text/split.ts';
import { markdownExcerpt, markdownToChat, markdownWords } from '../../../src/bridge/text/to-chat.ts';
import { anyText } from '../../harness/any-text.ts';
import { names } from './documents.ts';

const rich = (...elements: unknown[]) => ({ text: '', blocks: [{ type: 'rich_text', elements }] });
const section = (...elements: unknown[]) => ({ type: 'rich_text_section', elements });
const words = (text: string, style?: object) => ({ type: 'text', text, ...(style ? { style } : {}) });

test.each([
  [
    'Hand in:\n\n- the leave request\n- a copy of the **record**',
    'Hand in: the leave request; a copy of the record',
  ],
  ['1. one\n2. two\n   - a\n   - b\n\nthen', 'one; two a; b then'],
  ['no list\nbut two lines', 'no list but two lines'],
])('B38 the items of a list stay apart where a message is quoted on one line: %j', (markdown, quoted) => {
  expect(markdownExcerpt(markdown)).toBe(quoted);
});

describe('B12 a chat message in Markdown', () => {
  test.each([
    [
      'styles',
      rich(
        section(
          words('a '),
          words('b', { bold: true }),
          words(' c', { italic: true }),
          words(' d', { strike: true }),
          words('e', { code: true }),
        ),
      ),
      'a **b** _c_ ~~d~~`e`',
    ],
    [
      'characters of Markdown syntax are escaped',
      rich(section(words('2 * 3 * 4 and `x` _y_'))),
      '2 \\* 3 \\* 4 and \\`x\\` \\_y\\_',
    ],
    [
      'a mention of a known person',
      rich(section({ type: 'user', user_id: 'U1' })),
      '[@Ada Reyes](user:usr_1)',
    ],
    [
      'a mention of a person without a user at the service',
      rich(section({ type: 'user', user_id: 'U2' })),
      '@Guest',
    ],
    ['a broadcast is text', rich(section({ type: 'broadcast', range: 'channel' })), '@channel'],
    ['a channel', rich(section(words('see '), { type: 'channel', channel_id: 'C1' })), 'see #it-help'],
    [
      'a link with a label',
      rich(section({ type: 'link', url: 'https://x.example/a?b=1', text: 'here' })),
      '[here](https://x.example/a?b=1)',
    ],
    ['an emoji', rich(section({ type: 'emoji', name: 'wave', unicode: '1f44b-1f3fd' })), '👋🏽'],
    ['a custom emoji', rich(section({ type: 'emoji', name: 'shipit' })), ':shipit:'],
    [
      'code with angle brackets',
      rich({ type: 'rich_text_preformatted', elements: [words('if (a < b && c > d) <x>')] }),
      '```\nif (a < b && c > d) <x>\n```',
    ],
    ['a quote', rich({ type: 'rich_text_quote', elements: [words('one\ntwo')] }), '> one\\\n> two'],
    ['paragraphs', rich(section(words('one\n\ntwo'))), 'one\n\ntwo'],
    [
      'an unknown element is ignored',
      rich({ type: 'rich_text_hologram' }, section(words('x'), { type: 'smell' })),
      'x',
    ],
  ])('%s', (_, message, markdown) => {
    expect(chatToMarkdown(message, names)).toBe(markdown);
  });

  test('B12 a message with nothing that is seen is empty, whatever is around it', () => {
    for (const blank of ['', ' ', '\u200b', '\u{e0001}\u00ad', '\u2800\u2028']) {
      const inner = section(words(blank, { bold: true }), words(blank, { code: true }));
      const { elements } = inner;
      for (const element of [
        inner,
        { type: 'rich_text_quote', elements },
        { type: 'rich_text_preformatted', elements: [words(blank)] },
        { type: 'rich_text_list', style: 'bullet', elements: [inner, inner] },
        { type: 'rich_text_list', style: 'ordered', indent: 2, elements: [inner] },
      ]) {
        expect([element.type, chatToMarkdown(rich(element), names)]).toEqual([element.type, '']);
        expect([element.type, saysMoreThan('U0BOT', rich(element))]).toEqual([element.type, false]);
      }
    }
  });

  test.each([
    ['lines', 'x\n', 4_000],
    ['marks', '_', 8_000],
  ])('a text of an app with more %s than it may have becomes plain text', (_, sign, most) => {
    const text = (count: number) => `*bold* x ${sign.repeat(count)}`;
    expect(chatToMarkdown({ text: text(most + 10), blocks: [] }, names)).toMatch(/^\\\*bold\\\* x/);
    expect(chatToMarkdown({ text: text(most / 8), blocks: [] }, names)).toMatch(/^\*\*bold\*\* x/);
  });

  test('nested lists keep their nesting', () => {
    const list = (indent: number, style: string, ...items: string[]) => ({
      type: 'rich_text_list',
      style,
      indent,
      elements: items.map((item) => section(words(item))),
    });
    const message = rich(list(0, 'bullet', 'a', 'b'), list(1, 'ordered', 'b1', 'b2'), list(0, 'bullet', 'c'));
    expect(chatToMarkdown(message, names)).toBe('- a\n- b\n  1. b1\n  2. b2\n- c');
  });

  test('text of an app without rich text keeps its references, without Slack’s escapes', () => {
    expect(
      chatToMarkdown(
        { text: 'Hi <@U1>, see <https://x.example|the page> &lt;now&gt; &amp; <!here>', blocks: [] },
        names,
      ),
    ).toBe('Hi [@Ada Reyes](user:usr_1), see [the page](https://x.example) \\<now> & @here');
  });

  test('mentioned users are found in rich text, and without it in the text; what a person typed names nobody', () => {
    const text = 'hi <@U2> and <@U3|ada>, <@U4|<@U5>';
    const user = { type: 'user', user_id: 'U1' };
    const typed = { type: 'text', text: '<@U6>' };
    const mrkdwn = { type: 'section', text: { type: 'mrkdwn', text: '<@U7>' } };
    const plain = { type: 'section', text: { type: 'plain_text', text: '<@U8>' } };
    const blocks = rich(section(user), section(typed)).blocks;
    expect(mentionedUsers({ text, blocks })).toEqual(['U1']);
    expect(mentionedUsers({ text, blocks: [] })).toEqual(['U2', 'U3', 'U5']);
    expect(mentionedUsers({ text: '', blocks: [mrkdwn, plain] })).toEqual(['U7']);
    expect(mentionedUsers({ text: `<@${'A'.repeat(50)}>`, blocks: [] })).toEqual([]);
  });
});

describe('B19 a ticket message in chat', () => {
  const chatUser = (id: string) => (id === 'usr_1' ? 'U1' : undefined);
  const everything = (markdown: string) => JSON.stringify(markdownToChat(markdown, chatUser));

  test('only the mention form becomes a mention, and only of users who are in chat', () => {
    expect(everything('[@Ada](user:usr_1)')).toContain('"user_id":"U1"');
    for (const text of ['@Ada', '<@U1>', '[@Ada](user:usr_9)', '`<@U1>`', '[x](https://a.example/<@U1>)'])
      expect(everything(text)).not.toContain('"type":"user"');
  });

  test.each([
    '<!channel>',
    '<!here>',
    '<!everyone>',
    '<!subteam^S1>',
    '<!date^1^x|y>',
    '@channel @here @everyone',
  ])('B19 %s from a ticket is text and pings nobody', (text) => {
    for (const part of markdownToChat(text, chatUser)) {
      expect(part.text).not.toMatch(/<[!@#]/);
      expect(JSON.stringify(part.blocks)).not.toMatch(/"type":"(broadcast|usergroup|user)"/);
    }
  });

  test('code keeps its angle brackets, lists their nesting, tables their cells', () => {
    expect(everything('`a < b`')).toContain('"text":"a < b","style":{"code":true}');
    expect(everything('- a\n  - b')).toContain('"indent":1');
    expect(everything('| a | b |\n| - | - |\n| 1 | 22 |')).toContain('a  b\\n1  22');
  });

  test('a link with an unsafe URL is shown as text', () => {
    expect(everything('[click](javascript:alert(1))')).not.toContain('"type":"link"');
  });

  test('B20 a long text is split in order, nothing is lost, and each part is short enough to be edited later', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({
            minLength: 1,
            maxLength: 3_000,
            unit: fc.constantFrom('a', 'b', ' ', '\n', 'ü', '🙂'),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        (paragraphs) => {
          const markdown = paragraphs.join('\n\n');
          const parts = markdownToChat(markdown, chatUser);
          for (const part of parts) expect(part.text.length).toBeLessThanOrEqual(PART_CHARACTERS);
          const squeeze = (text: string) => text.replaceAll(/\s+/g, '');
          expect(squeeze(parts.map((part) => part.text).join(''))).toBe(squeeze(markdownWords(markdown)));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('any text gives at least one part, escaped, and never throws', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (markdown) => {
        const parts = markdownToChat(markdown, chatUser);
        expect(parts.length).toBeGreaterThan(0);
        for (const { text } of parts) expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      }),
      { numRuns: 500 },
    );
  });
});

describe.each([
  ['a space of no width', '\u200B'],
  ['tags', '\u{E0001}'],
  ['an empty Braille sign', '\u2800'],
])('a link whose label is only %s shows its address, so that nobody loses it', (_what, label) => {
  const url = 'https://x.example/a.png';

  test.each([
    ['a link', `[${label}](${url})`],
    ['a picture', `![${label}](${url})`],
    ['a bold one', `# ![${label}](${url})`],
  ])('on its way to chat, in %s', (_kind, markdown) => {
    const links = markdownToChat(markdown, () => undefined).flatMap(({ blocks }) => blocks);
    expect(JSON.stringify(links)).toContain(`"url":"${url}"`);
    expect(JSON.stringify(links)).not.toContain('"text"');
  });

  test('on its way from chat', () => {
    const link = { type: 'link', url, text: label, style: { bold: true } };
    expect(chatToMarkdown(rich(section(link)), names)).toBe(`**<${url}>**`);
  });
});
