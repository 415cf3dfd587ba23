import { expect, test } from 'vitest';

import { mrkdwnElements } from '../../src/bridge/text/mrkdwn.ts';
import { type MrkdwnReading, parseMrkdwn } from '../../src/platform/text/mrkdwn.ts';
import { parseRichText } from '../../src/sandbox/rich-text/parse.ts';

const text = (words: string) => ({ kind: 'text', text: words });
const bold = (...children: unknown[]) => ({ kind: 'styled', style: 'bold', mark: '*', children });
const section = (...lines: unknown[][]) => ({ kind: 'section', lines });

/** What the language is: the bridge, the sandbox and its page draw these trees. */
test.each<[name: string, source: string, tree: unknown[], reading?: MrkdwnReading]>([
  ['text is unescaped once', 'a &amp;lt; b', [section([text('a &lt; b')])]],
  [
    'what is typed is not escaped',
    'a < b &amp; c > d',
    [section([text('a < b &amp; c > d')])],
    { isEscaped: false },
  ],
  [
    'styles',
    '*bold* ~gone~',
    [
      section([
        bold(text('bold')),
        text(' '),
        { kind: 'styled', style: 'strike', mark: '~', children: [text('gone')] },
      ]),
    ],
  ],
  [
    'styles within others',
    '*a _b_*',
    [section([bold(text('a '), { kind: 'styled', style: 'italic', mark: '_', children: [text('b')] })])],
  ],
  [
    'marks within words, twice, or beside spaces are text',
    'a*b*c é*x*é **x** * y *',
    [section([text('a*b*c é*x*é **x** * y *')])],
  ],
  ['code, in which nothing is read', '`*a* &lt;`', [section([{ kind: 'code', text: '*a* <' }])]],
  [
    'code of several lines',
    'a\n```\n*b*\n```\nc',
    [section([text('a')]), { kind: 'preformatted', text: '*b*', raw: '*b*\n' }, section([text('c')])],
  ],
  [
    'a person, a channel, a group',
    '<@U1|ada><#C1|it><!subteam^S1>',
    [
      section([
        { kind: 'user', id: 'U1', label: 'ada' },
        { kind: 'channel', id: 'C1', label: 'it' },
        { kind: 'group', id: 'S1', label: undefined },
      ]),
    ],
  ],
  ['everybody', '<!here>', [section([{ kind: 'broadcast', range: 'here', label: undefined }])]],
  [
    'links',
    '<https://a.example?b&amp;c|d &amp; e>',
    [section([{ kind: 'link', url: 'https://a.example?b&c', label: 'd & e' }])],
  ],
  [
    'addresses where they are wanted, without the dot after them',
    'https://a.example.',
    [section([{ kind: 'link', url: 'https://a.example', label: undefined }, text('.')])],
    { addresses: true },
  ],
  [
    'addresses elsewhere are text',
    'https://a.example/_b_',
    [
      section([
        text('https://a.example/'),
        { kind: 'styled', style: 'italic', mark: '_', children: [text('b')] },
      ]),
    ],
  ],
  [
    'a date',
    '<!date^1^{date}^https://a.example|then>',
    [
      section([
        {
          kind: 'date',
          timestamp: 1,
          format: '{date}',
          url: 'https://a.example',
          label: 'then',
          raw: '<!date^1^{date}^https://a.example|then>',
        },
      ]),
    ],
  ],
  [
    'what is no reference',
    '<foo|a>',
    [section([{ kind: 'unknown', target: 'foo', label: 'a', raw: '<foo|a>' }])],
  ],
  [
    'emoji, but no times of day',
    ':wave::skin-tone-3: 10:30:45',
    [section([{ kind: 'emoji', name: 'wave', tone: 3, raw: ':wave::skin-tone-3:' }, text(' 10:30:45')])],
  ],
  ['quotes', '> a\n&gt; b\nc', [{ kind: 'quote', lines: [[text('a')], [text('b')]] }, section([text('c')])]],
  ['a quote to the end', '&gt;&gt;&gt; a\nb', [{ kind: 'quote', lines: [[text('a')], [text('b')]] }]],
  [
    'bullets where they are wanted',
    '• a\n    ◦ b\n- c',
    [
      { kind: 'list', isOrdered: false, level: 0, items: [{ number: undefined, line: [text('a')] }] },
      { kind: 'list', isOrdered: false, level: 1, items: [{ number: undefined, line: [text('b')] }] },
      section([text('- c')]),
    ],
    { lists: 'bullets' },
  ],
  [
    'lists as they are typed',
    '- a\n3. b',
    [
      { kind: 'list', isOrdered: false, level: 0, items: [{ number: undefined, line: [text('a')] }] },
      { kind: 'list', isOrdered: true, level: 0, items: [{ number: 3, line: [text('b')] }] },
    ],
    { lists: 'typed' },
  ],
  ['lists elsewhere are text', '• a', [section([text('• a')])]],
  [
    'names where they are typed, not within words',
    '@ada x@ada',
    [section([{ kind: 'user', id: 'U1', label: undefined }, text(' x@ada')])],
    { named: () => ({ kind: 'user', id: 'U1', label: undefined }) },
  ],
  [
    'without marks only references',
    '*a* <@U1>\n> `b`',
    [section([text('*a* '), { kind: 'user', id: 'U1', label: undefined }], [text('> `b`')])],
    { marks: false },
  ],
])('mrkdwn: %s', (_name, source, tree, reading) => {
  expect(parseMrkdwn(source, reading)).toEqual(tree);
});

const NOBODY = () => undefined;
const READING = { typed: false, bareLinks: false, userId: NOBODY, channelId: NOBODY, channelName: NOBODY };

/** Rich text without what only one of them writes: borders, and styles that are there and undefined. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, each: unknown) =>
      key === 'border' || key === 'block_id' ? undefined : each,
    ),
  );

test.each(['a *b _c_* ~d~ `e`', '> quoted *b*', '<@U1> <#C1> <https://a.example|b>', 'a*b*c **d**'])(
  'the bridge and the sandbox make the same rich text of %s',
  (source) => {
    const { block } = parseRichText(source, READING, 'b');
    expect(bare(mrkdwnElements(source))).toEqual(bare(block?.['elements']));
  },
);
