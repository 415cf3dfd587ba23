import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Reading } from '../../src/sandbox/rich-text/inline.ts';
import { parseRichText } from '../../src/sandbox/rich-text/parse.ts';

const names: Omit<Reading, 'typed'> = {
  userId: (name) => (name === 'ada' ? 'U0ADAAA' : undefined),
  channelId: (name) => (name === 'it-help' ? 'C0HELPP' : undefined),
  channelName: (id) => (id === 'C0HELPP' ? 'it-help' : undefined),
};
const typed = (text: string) => parseRichText(text, { ...names, typed: true }, 'b');
const sent = (text: string) => parseRichText(text, { ...names, typed: false }, 'b');
const parts = ({ block }: ReturnType<typeof typed>) => block?.['elements'];
const section = (...elements: unknown[]) => ({ type: 'rich_text_section', elements });

describe('a person’s text becomes rich text as in the composer', () => {
  const rows: [name: string, source: string, text: string, elements: unknown[]][] = [
    ['plain', 'hello', 'hello', [section({ type: 'text', text: 'hello' })]],
    [
      'signs are escaped once',
      'a < b & c > d',
      'a &lt; b &amp; c &gt; d',
      [section({ type: 'text', text: 'a < b & c > d' })],
    ],
    [
      'styles, also nested',
      '*bold _both_* ~gone~ `x < y`',
      '*bold _both_* ~gone~ `x &lt; y`',
      [
        section(
          { type: 'text', text: 'bold ', style: { bold: true } },
          { type: 'text', text: 'both', style: { bold: true, italic: true } },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'gone', style: { strike: true } },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'x < y', style: { code: true } },
        ),
      ],
    ],
    [
      'marks inside words are not styles',
      'a*b*c snake_case_name 2*3*4',
      'a*b*c snake_case_name 2*3*4',
      [section({ type: 'text', text: 'a*b*c snake_case_name 2*3*4' })],
    ],
    [
      'mentions by name and by id, channels, everyone',
      '@ada <@U0BENNN> #it-help @here @nobody',
      '<@U0ADAAA> <@U0BENNN> <#C0HELPP|it-help> <!here> @nobody',
      [
        section(
          { type: 'user', user_id: 'U0ADAAA' },
          { type: 'text', text: ' ' },
          { type: 'user', user_id: 'U0BENNN' },
          { type: 'text', text: ' ' },
          { type: 'channel', channel_id: 'C0HELPP' },
          { type: 'text', text: ' ' },
          { type: 'broadcast', range: 'here' },
          { type: 'text', text: ' @nobody' },
        ),
      ],
    ],
    [
      'an address is not a mention',
      'mail x@ada.example',
      'mail x@ada.example',
      [section({ type: 'text', text: 'mail x@ada.example' })],
    ],
    [
      'links, bare (without the dot after them) and labelled',
      'see https://a.example/x?y=1&z=2. <https://b.example|B & C>',
      'see <https://a.example/x?y=1&amp;z=2>. <https://b.example|B &amp; C>',
      [
        section(
          { type: 'text', text: 'see ' },
          { type: 'link', url: 'https://a.example/x?y=1&z=2' },
          { type: 'text', text: '. ' },
          { type: 'link', url: 'https://b.example', text: 'B & C' },
        ),
      ],
    ],
    [
      'emoji, but not times of day',
      ':tada: :wave::skin-tone-3: at 10:30:45',
      ':tada: :wave::skin-tone-3: at 10:30:45',
      [
        section(
          { type: 'emoji', name: 'tada' },
          { type: 'text', text: ' ' },
          { type: 'emoji', name: 'wave', skin_tone: 3 },
          { type: 'text', text: ' at 10:30:45' },
        ),
      ],
    ],
    [
      'lists, nested lists and numbers',
      'do:\n- one\n- *two*\n    - deeper\n1. first\n2. second',
      'do:\n• one\n• *two*\n    ◦ deeper\n1. first\n2. second',
      [
        section({ type: 'text', text: 'do:\n' }),
        {
          type: 'rich_text_list',
          style: 'bullet',
          indent: 0,
          border: 0,
          elements: [
            section({ type: 'text', text: 'one' }),
            section({ type: 'text', text: 'two', style: { bold: true } }),
          ],
        },
        {
          type: 'rich_text_list',
          style: 'bullet',
          indent: 1,
          border: 0,
          elements: [section({ type: 'text', text: 'deeper' })],
        },
        {
          type: 'rich_text_list',
          style: 'ordered',
          indent: 0,
          border: 0,
          elements: [section({ type: 'text', text: 'first' }), section({ type: 'text', text: 'second' })],
        },
      ],
    ],
    [
      'quotes and fenced code, in which nothing is parsed',
      '> so it is\n> said\n```\nconst a = *b* < c;\n@ada\n```\nend',
      '&gt; so it is\n&gt; said\n```const a = *b* &lt; c;\n@ada```\nend',
      [
        { type: 'rich_text_quote', elements: [{ type: 'text', text: 'so it is\nsaid' }] },
        {
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: 'const a = *b* < c;\n@ada' }],
          border: 0,
        },
        section({ type: 'text', text: 'end' }),
      ],
    ],
  ];
  test.each(rows)('%s', (_name, source, text, elements) => {
    expect(typed(source).text).toBe(text);
    expect(parts(typed(source))).toEqual(elements);
  });
});

describe('an app’s text is parsed as mrkdwn', () => {
  test('escapes are undone, names are not looked up, lists stay text', () => {
    expect(parts(sent('a &lt;b&gt; &amp; @ada\n• item\n- item'))).toEqual([
      section({ type: 'text', text: 'a <b> & @ada\n• item\n- item' }),
    ]);
  });
  test('a date is parsed with its format, link and fallback text', () => {
    const text = 'until <!date^1795420800^{date_short_pretty} {time}^https://x.example|23 Nov, 08:00 UTC>';
    expect(parts(sent(text))).toEqual([
      section(
        { type: 'text', text: 'until ' },
        {
          type: 'date',
          timestamp: 1_795_420_800,
          format: '{date_short_pretty} {time}',
          url: 'https://x.example',
          fallback: '23 Nov, 08:00 UTC',
        },
      ),
    ]);
    expect(sent(text).text).toBe(text);
    expect(parts(typed('<!date^1^{date}|x>'))).toEqual([
      section({ type: 'text', text: '<!date^1^{date}|x>' }),
    ]);
  });

  test('a quote may begin with the sign or its escape', () => {
    for (const source of ['&gt; said', '>said'])
      expect(parts(sent(source))).toEqual([
        { type: 'rich_text_quote', elements: [{ type: 'text', text: 'said' }] },
      ]);
  });
});

test('any text is parsed without an error, and its words survive', () => {
  const words = fc.array(
    fc.oneof(
      fc.constantFrom(
        '*',
        '_',
        '~',
        '`',
        '```',
        '\n',
        '> ',
        '- ',
        '1. ',
        '<',
        '>',
        '&',
        ':',
        '@ada',
        '<@U0ADAAA>',
        '<https://x.example|y>',
        ' ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(words, (pieces) => {
      const source = pieces.join('');
      const { text, block } = typed(source);
      expect(typeof text).toBe('string');
      expect(block === undefined).toBe(source.trim() === '');
      // Escaped text has no bare signs except those of Slack's own tokens.
      expect(text.replace(/<[@#!][^<>]*>|<https?:[^<>]*>|<(?:mailto|tel):[^<>]*>/g, '')).not.toMatch(/[<>]/);
    }),
    { numRuns: 500 },
  );
});
