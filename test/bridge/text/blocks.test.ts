import { describe, expect, test } from 'vitest';

import { chatToMarkdown, saysMoreThan } from '../../../src/bridge/text/from-chat.ts';
import { mentionedUsers, referencesIn } from '../../../src/bridge/text/references.ts';
import { markdownToChat } from '../../../src/bridge/text/to-chat.ts';
import { names } from './documents.ts';

const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const plain = (text: string) => ({ type: 'plain_text', text });
const said = (text: string) => chatToMarkdown({ text, blocks: [] }, names);
const shown = (...blocks: unknown[]) => chatToMarkdown({ text: 'the fallback', blocks }, names);
const attached = (...attachments: unknown[]) => chatToMarkdown({ text: '', blocks: [], attachments }, names);
const rich = (...elements: unknown[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});

describe('B19 mrkdwn, the older syntax of apps', () => {
  test.each([
    ['styles', '*bold* _italic_ ~gone~ `code` *_both_*', '**bold** _italic_ ~~gone~~ `code` **_both_**'],
    ['marks inside of words are text', 'snake_case_name 2*3*4 a~b~c', 'snake_case_name 2\\*3\\*4 a\\~b\\~c'],
    [
      'a block of code keeps its brackets',
      'see\n```\nif (a &lt; b) x&gt;y\n```\nend',
      'see\n\n```\nif (a < b) x>y\n\n```\n\nend',
    ],
    ['a quote', '&gt; one\n&gt; two\nthree', '> one\\\n> two\n\nthree'],
    ['a quote to the end', '&gt;&gt;&gt; one\ntwo', '> one\\\n> two'],
    ['nested bullets', '• a\n    ◦ b\n• c', '- a\n  - b\n- c'],
    ['emoji with a skin tone, and custom emoji', ':wave::skin-tone-4: :shipit-ours:', '👋🏽 :shipit-ours:'],
    [
      'a channel and a user group by the names in the text',
      '<#C9|ops> <!subteam^S1|@helpdesk>',
      '\\#ops @helpdesk',
    ],
    ['a user group without a name', '<!subteam^S1>', '@S1'],
    ['a date by its fallback text', '<!date^1700000000^{date_short}|14 Nov 2023>', '14 Nov 2023'],
    ['a date without a fallback, in UTC', '<!date^1700000000^{date}>', '2023-11-14 22:13 UTC'],
    ['a date with a link', '<!date^1700000000^{date}^https://x.example|then>', '[then](https://x.example)'],
    ['an unsafe URL is text', '<javascript:alert(1)|click>', 'click (javascript:alert(1))'],
    ['a link that imitates a mention is text', '<user:usr_1|@Boss>', '@Boss (user:usr_1)'],
    ['a mail address', '<mailto:ada@example.com|ada@example.com>', '<ada@example.com>'],
  ])('%s', (_, text, markdown) => {
    expect(said(text)).toBe(markdown);
  });
});

describe('B12 blocks of other kinds are readable', () => {
  test.each<[string, unknown, string]>([
    ['header', { type: 'header', text: plain('Deploy *now*') }, '## Deploy \\*now\\*'],
    [
      'section with fields and a picture',
      {
        type: 'section',
        text: mrkdwn('*Failed* for <@U1>'),
        fields: [mrkdwn('*Env*\nprod'), plain('42')],
        accessory: { type: 'image', image_url: 'https://x.example/a.png', alt_text: 'graph' },
      },
      '**Failed** for [@Ada Reyes](user:usr_1)\n\n**Env**\\\nprod\n\n42\n\n[graph](https://x.example/a.png)',
    ],
    ['context', { type: 'context', elements: [plain('by'), mrkdwn('*ci*')] }, 'by **ci**'],
    ['divider', { type: 'divider' }, '---'],
    [
      'image',
      { type: 'image', image_url: 'https://x.example/a.png', alt_text: 'a', title: plain('The graph') },
      '[The graph](https://x.example/a.png)',
    ],
    ['markdown', { type: 'markdown', text: '# T\n\n- [x] a **b**' }, '# T\n\n- [x] a **b**'],
    [
      'markdown with imitated mentions, unsafe URLs and injection',
      { type: 'markdown', text: '[@Boss](user:usr_1) [x](javascript:a) <b>y</b>' },
      '@Boss (user:usr_1) x (javascript:a) \\<b>y\\</b>',
    ],
    [
      'table',
      {
        type: 'table',
        rows: [
          [
            { type: 'raw_text', text: 'a' },
            { type: 'raw_text', text: 'b|c' },
          ],
          [
            rich({ type: 'text', text: 'x', style: { bold: true } }),
            { type: 'raw_number', value: 3, text: '3' },
          ],
        ],
      },
      '| a | b\\|c |\n| - | - |\n| **x** | 3 |',
    ],
    [
      'button with a URL',
      {
        type: 'actions',
        elements: [
          { type: 'button', text: plain('Open'), url: 'https://x.example' },
          { type: 'button', text: plain('No') },
        ],
      },
      '[Open](https://x.example)',
    ],
    [
      'video',
      { type: 'video', title: plain('Tour'), video_url: 'https://x.example/v', alt_text: 'v' },
      '[Tour](https://x.example/v)',
    ],
    ['alert', { type: 'alert', text: plain('Careful'), level: 'warning' }, 'Careful'],
    [
      'container',
      { type: 'container', title: plain('Box'), child_blocks: [{ type: 'section', text: plain('inner') }] },
      'Box\n\ninner',
    ],
    [
      'plan',
      {
        type: 'plan',
        title: 'Plan',
        tasks: [
          {
            type: 'task_card',
            task_id: '1',
            title: 'First',
            status: 'complete',
            details: rich({ type: 'text', text: 'done' }),
          },
        ],
      },
      'Plan\n\nFirst\n\ndone',
    ],
    [
      'an unknown kind',
      { type: 'hologram', title: plain('New'), text: mrkdwn('*thing*') },
      'New\n\n**thing**',
    ],
  ])('%s', (_, block, markdown) => {
    expect(shown(block)).toBe(markdown);
  });

  test('a message whose blocks have no text keeps its own text', () => {
    expect(shown({ type: 'hologram' }, 'nonsense', null)).toBe('the fallback');
  });

  test('the depth of nested blocks is limited', () => {
    let block: object = { type: 'section', text: plain('deep') };
    for (let deep = 0; deep < 5_000; deep += 1) block = { type: 'container', child_blocks: [block] };
    expect(shown(block)).toBe('the fallback');
  });

  test('an unknown element is read by its text or URL', () => {
    expect(
      shown(
        rich(
          { type: 'citation', text: 'as told' },
          { type: 'text', text: ' ' },
          { type: 'canvas', url: 'https://x.example/c' },
        ),
      ),
    ).toBe('as told <https://x.example/c>');
  });

  test('tasks keep their checkboxes both ways', () => {
    const [part] = markdownToChat('- [x] a\n- [ ] b', () => undefined);
    expect(part?.text).toBe('• ☑ a\n• ☐ b');
    expect(shown(...(part?.blocks ?? []))).toBe('- [x] a\n- [ ] b');
  });

  test.each([
    ['no-break spaces', [{ type: 'text', text: '\u00A0 ☐ a' }]],
    ['an empty line', [{ type: 'text', text: '\n☐ a' }]],
    ['a control character', [{ type: 'text', text: '\u0007☐ a' }]],
    [
      'white space of its own',
      [
        { type: 'text', text: ' ' },
        { type: 'text', text: '☐ a' },
      ],
    ],
  ])('a checkbox is read as one also after %s', (_, elements) => {
    const list = {
      type: 'rich_text_list',
      style: 'bullet',
      elements: [{ type: 'rich_text_section', elements }],
    };
    expect(shown({ type: 'rich_text', elements: [list] })).toBe('- [ ] a');
  });

  test('a list keeps its numbers after a nested list', () => {
    const source = '3. a\n   - b\n4. c';
    expect(shown(...markdownToChat(source, () => undefined).flatMap(({ blocks }) => blocks))).toBe(source);
  });
});

describe('B12 attachments', () => {
  const forwarded = {
    is_share: true,
    is_msg_unfurl: true,
    from_url: 'https://example.slack.com/archives/C9/p1700000000000100',
    author_name: 'Bo',
    channel_name: 'ops',
    fallback: '[14 Nov] Bo: it is down',
    text: 'it is *down*, <@U1>',
    files: [{ name: 'log.txt', permalink: 'https://example.slack.com/files/U9/F1/log.txt' }],
  };

  test('a forwarded message is quoted, with its author, channel, text and files, and mentions nobody', () => {
    expect(attached(forwarded)).toBe(
      '[Forwarded from Bo in #ops](https://example.slack.com/archives/C9/p1700000000000100)\n\n' +
        '> it is **down**, @Ada Reyes\n>\n> [log.txt](https://example.slack.com/files/U9/F1/log.txt)',
    );
    const message = { text: '', blocks: [], attachments: [forwarded] };
    expect(mentionedUsers(message)).toEqual([]);
    expect(referencesIn(message).users).toEqual(['U1']);
  });

  test('the blocks of a forwarded message take precedence over its text', () => {
    const blocks = [rich({ type: 'text', text: 'from its blocks' })];
    expect(attached({ ...forwarded, files: [], message_blocks: [{ message: { blocks } }] })).toContain(
      '> from its blocks',
    );
  });

  const page = { title: '#7 Roadmap', text: 'words of the issue', fallback: 'words of the issue' };
  const url = 'https://git.example/issues/7';
  const previews: [string, Record<string, unknown>][] = [
    ['of Slack', { ...page, from_url: url, original_url: url, service_name: 'git' }],
    ['of Slack, with the first address only', { ...page, from_url: url }],
    ['of Slack, with the other address only', { ...page, original_url: url }],
    ['of an app', { ...page, is_app_unfurl: true, app_unfurl_url: url, bot_id: 'BGIT', app_id: 'AGIT' }],
    ['of an app, by its mark alone', { ...page, is_app_unfurl: true }],
    ['of an app, by its address alone', { ...page, app_unfurl_url: url }],
    ['of an app, by its bot alone', { ...page, bot_id: 'BGIT' }],
    ['of an app that says that it is a forwarded message', { ...page, is_app_unfurl: true, is_share: true }],
    ['of an app, with blocks', { is_app_unfurl: true, blocks: [{ type: 'section', text: plain('secret') }] }],
    ['of a message of Slack', { ...page, is_msg_unfurl: true, from_url: url, author_name: 'Bo' }],
  ];
  test.each(previews)('a link preview %s is never the author’s words', (_what, preview) => {
    const names = { user: () => undefined, channel: () => undefined };
    const text = `look at <${url}>`;
    const inForwarded = {
      ...forwarded,
      files: [],
      message_blocks: [
        { message: { blocks: [rich({ type: 'text', text: 'see' })], attachments: [preview] } },
      ],
    };
    expect(chatToMarkdown({ text, blocks: [], attachments: [preview] }, names)).toBe(`look at <${url}>`);
    expect(attached(inForwarded)).toMatch(/\n\n> see$/);
    // A text that is too large to convert is read in another way.
    const large = 'x\n'.repeat(4_100);
    expect(chatToMarkdown({ text: large, blocks: [], attachments: [preview] }, names)).not.toMatch(
      /words|secret/,
    );
    const onTop = { text: large, blocks: [], attachments: [inForwarded] };
    expect(chatToMarkdown(onTop, names)).not.toMatch(/words|secret/);
    expect(saysMoreThan('UBOT', { text: '<@UBOT>', blocks: [], attachments: [preview] })).toBe(false);
  });

  test('an app’s attachment to its own message is its words, whoever shows it', () => {
    const own = { text: 'disk full', bot_id: 'BPAGER' };
    const names = { user: () => undefined, channel: () => undefined };
    const said = (botId: string | undefined) =>
      chatToMarkdown({ text: 'alert', blocks: [], attachments: [own], botId }, names);
    expect(said('BPAGER')).toBe('alert\n\n> disk full');
    expect(said('BOTHER')).toBe('alert');
    expect(
      attached({
        ...forwarded,
        files: [],
        message_blocks: [{ message: { bot_id: 'BPAGER', blocks: [], attachments: [own] } }],
      }),
    ).toMatch(/> disk full$/);
  });

  test('the legacy attachments of apps are read', () => {
    expect(
      attached({
        pretext: 'New alert',
        title: 'CPU',
        title_link: 'https://x.example',
        text: '*95%*',
        fields: [{ title: 'Host', value: 'db1' }],
      }),
    ).toBe('New alert\n\n> **[CPU](https://x.example)**\n>\n> **95%**\n>\n> Host: db1');
    expect(attached({ fallback: 'only this' })).toBe('> only this');
    // Code and lists of a field stay what they are.
    expect(attached({ fields: [{ title: 'Log', value: '```l1\nl2```' }] })).toBe(
      '> Log:\n>\n> ```\n> l1\n> l2\n> ```',
    );
    expect(attached({ fields: [{ title: 'Hosts', value: '• db1\n• db2' }] })).toBe(
      '> Hosts:\n>\n> - db1\n> - db2',
    );
    expect(attached({ fields: [{ value: '• db1' }] })).toBe('> - db1');
  });

  test('attachments or blocks alone count as content, and a mention of the bot alone does not', () => {
    const named = { text: '<@UBOT> <@UBOT>', blocks: [rich({ type: 'user', user_id: 'UBOT' })] };
    expect(saysMoreThan('UBOT', named)).toBe(false);
    expect(saysMoreThan('UBOT', { ...named, attachments: [forwarded] })).toBe(true);
    expect(saysMoreThan('UBOT', { text: '', blocks: [{ type: 'section', text: plain('x') }] })).toBe(true);
    expect(saysMoreThan('UBOT', { text: '<@UBOT> help', blocks: [] })).toBe(true);
  });
});

describe('B19 pings, unsafe URLs and imitations', () => {
  const everything = (markdown: string) =>
    JSON.stringify(markdownToChat(markdown, (id) => (id === 'usr_1' ? 'U1' : undefined)));

  test('only the direct form with a name is a mention', () => {
    for (const text of [
      '<user:usr_1>',
      '[click](user:usr_1)',
      '![@Ada](user:usr_1)',
      '[@Ada][1]\n\n[1]: user:usr_1',
      '```\n[@Ada](user:usr_1)\n```',
    ])
      expect(everything(text), text).not.toContain('"type":"user"');
    expect(everything('**[@Ada](user:usr_1)**')).toContain('"user_id":"U1"');
  });

  test('an unsafe URL is never a link, however it is written', () => {
    for (const url of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'slack://x',
      '//x.example',
      '&#106;avascript:alert(1)',
    ])
      for (const text of [`[a](${url})`, `![a](${url})`, `<${url}>`, `[a][1]\n\n[1]: ${url}`])
        expect(everything(text), text).not.toContain('"type":"link"');
  });

  test('an emoji of a text keeps its skin tone on both sides', () => {
    const wave = { type: 'emoji', name: 'wave', skin_tone: 4 };
    expect(shown(rich(wave))).toBe('👋🏽');
    expect(shown(rich({ ...wave, name: 'wave::skin-tone-4' }))).toBe('👋🏽');
    expect(everything('👋🏽')).toContain('👋🏽');
  });

  test('bare URLs are links, and reference links have their URL', () => {
    expect(everything('see https://x.example/a(b).')).toContain('"url":"https://x.example/a(b)"');
    expect(everything('(https://x.example/a_b?)!')).toContain('"url":"https://x.example/a_b"');
    expect(everything('[a][1]\n\n[1]: https://x.example')).toContain('"url":"https://x.example"');
    expect(everything('a[^1]\n\n[^1]: the note')).toContain('[^1]: the note');
  });
});
