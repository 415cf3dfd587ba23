import { expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { LIMITS } from '../../../src/contract/index.ts';
import { ChatError } from '../../../src/bridge/slack/errors.ts';
import {
  greetingOf,
  markdownOf,
  onlyNames,
  signed,
  messageText,
} from '../../../src/bridge/threads/message-text.ts';
import { isGreeting } from '../../../src/bridge/threads/rules.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { parseMarkdown } from '../../../src/platform/text/markdown.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';

test('the text of a message is converted once, however many steps need it, and again after a failure', async () => {
  let asked = 0;
  let away = true;
  const file = { id: 'F1', name: 'a.png', permalink: 'https://chat.example/F1' };
  const bridge = {
    bot: { userId: 'UBOT', name: 'desk', team: 'T1' },
    chat: {
      file: () => {
        asked++;
        return away ? Promise.reject(new Error('chat is away')) : Promise.resolve({ file });
      },
    },
  } as unknown as Bridge;
  const message = (ts: string) =>
    ({
      team: 'T1',
      channel: 'D1',
      ts,
      text: 'look *here*',
      blocks: [],
      files: [{ id: 'F1', name: '', permalink: '' }],
    }) as unknown as Parameters<typeof messageText>[1];
  const one = message('1.1');
  await expect(messageText(bridge, one)).rejects.toThrow('chat is away');
  away = false;
  const texts = await Promise.all([messageText(bridge, one), messageText(bridge, one)]);
  texts.push(await messageText(bridge, one));
  expect(texts.map(({ words }) => words)).toEqual(['look here', 'look here', 'look here']);
  expect(asked).toBe(2);
  await messageText(bridge, message('2.2'));
  expect(asked).toBe(3);
});

/**
 * Texts that are too long for a ticket as Markdown, though not for Slack; the last has parts that cannot be shortened.
 */
const LONG_TEXTS: Record<string, object> = {
  words: { text: 'a word '.repeat(30_000) },
  'one word': { text: 'x'.repeat(250_000) },
  'signs that are escaped': { text: '*'.repeat(60_000) },
  'names of a channel': { text: '<#C1> '.repeat(6_000) },
  'mentions of the bot': { text: '<@UBOT> '.repeat(20_000) },
  'graphemes of several signs': { text: '👩‍👩‍👧‍👦'.repeat(12_000) },
  links: { text: '<https://acme.example/a/long/path|here> '.repeat(5_000) },
  code: { text: `\`\`\`\n${'a line of code\n'.repeat(10_000)}\`\`\`` },
  'many files': {
    text: 'a word '.repeat(15_000),
    files: Array.from({ length: 100 }, (_, at) => ({ id: `F${at}`, name: `${at}.png`, permalink: '' })),
  },
};

test.each(Object.entries(LONG_TEXTS))(
  'a message that is too long for a ticket is there with its beginning, and says so: %s',
  async (_, given) => {
    const name = 'Desk'.repeat(15);
    const bridge = {
      bot: { userId: 'UBOT', name, team: 'T1' },
      chat: {
        channelName: () => Promise.resolve('channel'.repeat(10)),
        file: (id: string) =>
          Promise.resolve({ file: { id, name: id, permalink: `https://chat.example/${id}` } }),
      },
    } as unknown as Bridge;
    const message = { team: 'T1', channel: 'D1', ts: '1.1', text: '', blocks: [], files: [], ...given };
    const { markdown, description } = await messageText(
      bridge,
      message as unknown as Parameters<typeof messageText>[1],
    );
    for (const text of [markdown, description]) {
      expect(text.length).toBeLessThan(LIMITS.messageContent);
      expect(text).toContain('*The rest of this message is in Slack only.*');
      expect(text.isWellFormed()).toBe(true);
    }
    expect(markdown.length).toBeGreaterThan(LIMITS.messageContent / 3);
  },
);

test('B19 a channel that the app cannot see is named by its id, but not while Slack’s rate limit is hit', async () => {
  const textWith = (next: 'retry' | 'give-up', code: string) => {
    const bridge = {
      bot: { userId: 'UBOT', name: 'desk', team: 'T1' },
      chat: { channelName: () => Promise.reject(new ChatError(code, { next, code, certain: true })) },
    } as unknown as Bridge;
    const message = { team: 'T1', channel: 'D1', ts: '1.1', text: 'see <#C2>', blocks: [], files: [] };
    return messageText(bridge, message as unknown as Parameters<typeof messageText>[1]);
  };
  expect((await textWith('give-up', 'channel_not_found')).words).toBe('see #C2');
  expect((await textWith('retry', 'missing_scope')).words).toBe('see #C2');
  await expect(textWith('retry', 'ratelimited')).rejects.toThrow('ratelimited');
});

test.each<[what: string, text: (id: (kind: string) => string) => object]>([
  ['in a text', (id) => ({ text: `<@${id('U')}> <#${id('C')}> <!subteam^${id('S')}>` })],
  [
    'in blocks',
    (id) => ({
      text: 'x',
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'user', user_id: id('U') },
                { type: 'channel', channel_id: id('C') },
                { type: 'usergroup', usergroup_id: id('S') },
              ],
            },
          ],
        },
      ],
    }),
  ],
])(
  'of people and channels that nobody knows, made up %s, at most twenty each are looked up',
  async (_, partOf) => {
    const { database } = await bridgeDatabase(1);
    const asked = { people: new Set<string>(), channels: new Set<string>() };
    const unknown = (code: string) =>
      Promise.reject(new ChatError(code, { next: 'give-up', code, certain: true }));
    const bridge = {
      database,
      clock: systemClock,
      bot: { userId: 'UBOT', name: 'desk', team: 'T1' },
      chat: {
        profile: (id: string) => {
          asked.people.add(id);
          return unknown('user_not_found');
        },
        channelName: (id: string) => {
          asked.channels.add(id);
          return unknown('channel_not_found');
        },
        groupHandle: () => Promise.resolve(undefined),
      },
    } as unknown as Bridge;
    const parts = Array.from(
      { length: 90 },
      (_each, at) => partOf((kind) => `${kind}MADEUP${at}`) as { text: string; blocks?: object[] },
    );
    const message = {
      team: 'T1',
      channel: 'D1',
      ts: '1.1',
      text: parts.map(({ text }) => text).join(' '),
      blocks: parts.flatMap(({ blocks = [] }) => blocks),
      files: [],
    };
    await messageText(bridge, message as unknown as Parameters<typeof messageText>[1]);
    expect([asked.people.size, asked.channels.size]).toEqual([20, 20]);
  },
);

test.each([
  ['a sentence', 'it is down'],
  ['a sentence with styles', '**it** is `down`'],
  ['two paragraphs', 'one\n\ntwo'],
  ['a sentence before a list', 'look:\n\n- one\n- two'],
  ['code', '```\nfirst\n\n# comment\n- dash\n```'],
  ['code with a language', '```sh\nls\n```'],
  ['indented code', '    ls\n    pwd'],
  ['a list', '- one\n- two'],
  ['a numbered list', '3. one\n4. two'],
  ['tasks', '- [ ] one\n- [x] two'],
  ['a quote', '> quoted\n> twice'],
  ['a heading', '## Deploy failed\n\nsee the log'],
  ['an underlined heading', 'Deploy failed\n---'],
  ['a table', '| a | b |\n| - | - |\n| 1 | 2 |'],
  ['a divider', '---\n\nbelow'],
  ['a list after white space', '\n\n- one'],
])('B10 the name of an app stands before %s without changing it', (_what, markdown) => {
  const alone = parseMarkdown(markdown).children;
  const [first, ...rest] = parseMarkdown(signed({ user_id: null, name: 'Pager *duty*' }, markdown)).children;
  const name = { type: 'strong', children: [{ type: 'text', value: 'Pager *duty*:' }] };
  if (first?.type !== 'paragraph') throw new Error('the name is not a paragraph');
  expect(first.children[0]).toEqual(name);
  if (alone[0]?.type !== 'paragraph') {
    expect(first.children).toHaveLength(1);
    expect(rest).toEqual(alone);
    return;
  }
  const [blank, ...others] = first.children.slice(1);
  const joined = blank?.type === 'text' ? blank.value.replace(/^ /, '') : undefined;
  const said = joined === '' ? others : [{ type: 'text', value: joined }, ...others];
  expect([{ type: 'paragraph', children: said }, ...rest]).toEqual(alone);
});

test('B10 a user’s own text has no name before it, a nameless app has one, and an empty text is the name alone', () => {
  expect(signed({ user_id: 'usr_1', name: 'Ada' }, '- one')).toBe('- one');
  expect(signed({ user_id: null, name: ' ' }, 'down')).toBe('**An app:** down');
  expect(signed({ user_id: null, name: 'Pager' }, '')).toBe('**Pager:**');
});

const BEN = { team_id: 'T1', chat_user_id: 'UBEN', name: 'Ben', user_id: 'usr_ben' };

/** A bridge that knows one person. */
function bridgeNamed(name: string): Bridge {
  const rows = { execute: () => Promise.resolve([BEN]) };
  const where = { where: () => ({ where: () => rows }) };
  const selectFrom = () => ({ selectAll: () => where });
  return {
    bot: { userId: 'UBOT', name, team: 'T1' },
    database: { db: { selectFrom } },
    chat: {
      channelName: () => Promise.resolve('general'),
      groupHandle: (id: string) => Promise.resolve(id === 'SIT' ? 'it-team' : undefined),
    },
  } as unknown as Bridge;
}

type Message = Parameters<typeof messageText>[1];
const written = (text: string, more: Partial<Message> = {}) =>
  ({
    team: 'T1',
    channel: 'C1',
    ts: '1.1',
    user: 'UADA',
    text,
    blocks: [],
    files: [],
    attachments: [],
    ...more,
  }) as unknown as Message;

test.each([
  ['<@UBOT>, my mouse died', 'my mouse died', 'my mouse died'],
  ['<@UBOT>: x', 'x', 'x'],
  ['<@UBOT> – the VPN', 'the VPN', 'the VPN'],
  ['<@UBOT> <@UBOT>, hi there', 'hi there', 'hi there'],
  ['hey <@UBOT>, my mouse died', 'hey, my mouse died', 'hey @deskbridge, my mouse died'],
  ['my mouse died <@UBOT>', 'my mouse died', 'my mouse died @deskbridge'],
  ['can you help, <@UBOT>?', 'can you help?', 'can you help, @deskbridge?'],
  [
    '<@UBOT> mail to help@deskbridge.example bounces',
    'mail to help@deskbridge.example bounces',
    'mail to help@deskbridge.example bounces',
  ],
  ['<@UBOT> @deskbridges are slow', '@deskbridges are slow', '@deskbridges are slow'],
  ['@deskbridge, typed by hand', '@deskbridge, typed by hand', '@deskbridge, typed by hand'],
  ['<@UBOT> # 1 is broken', '# 1 is broken', '\\# 1 is broken'],
  ['<@UBOT> 1. one', '1. one', '1\\. one'],
  ['<@UBOT> + one', '+ one', '\\+ one'],
  ['<@UBOT>\n• one\n• two', 'one two', '- one\n- two'],
  ['<@UBOT>\nsecond line', 'second line', 'second line'],
  ['<@UBOT> <@UBEN> cannot print', '@Ben cannot print', '[@Ben](user:usr_ben) cannot print'],
  ['<@UBOT> <@UBEN>', '@Ben', '[@Ben](user:usr_ben)'],
  ['<@UBOT> <#C2>', '#general', '#general'],
  ['<@UBOT> <@UBOT>', '@deskbridge @deskbridge', '@deskbridge @deskbridge'],
  ['<@UBOT>,', '@deskbridge,', '@deskbridge,'],
])('B6 %j has the title %j', async (text, words, description) => {
  const found = await messageText(bridgeNamed('deskbridge'), written(text));
  expect([found.words, found.description]).toEqual([words, description]);
});

const section = (text: string) => ({
  type: 'rich_text_section',
  elements: [{ type: 'text', text }],
});
const list = (style: string, ...items: string[]) => ({
  type: 'rich_text_list',
  style,
  indent: 0,
  elements: items.map(section),
});
const quote = (text: string) => ({ ...section(text), type: 'rich_text_quote' });

test.each<[what: string, elements: object[], markdown: string]>([
  ['a quote and words', [quote('it said'), section('what now?')], '> it said\n\nwhat now?'],
  ['a quote alone', [quote('it said')], '> it said'],
  ['a quote that names the bot', [quote('hey @deskbridge')], '> hey @deskbridge'],
  ['steps', [list('ordered', 'one', 'two')], '1. one\n2. two'],
  ['points', [list('bullet', 'one', 'two')], '- one\n- two'],
  ['code', [{ ...section('# one'), type: 'rich_text_preformatted' }], '```\n# one\n```'],
  ['words that look like a quote', [section('> one')], '\\> one'],
  ['words that look like a heading', [section('# one')], '\\# one'],
])('B6 a first message that begins with %s is described as it is', async (_, elements, markdown) => {
  const message = written('', { blocks: [{ type: 'rich_text', elements }] });
  const found = await messageText(bridgeNamed('deskbridge'), message);
  expect([found.description, found.markdown]).toEqual([markdown, markdown]);
});

test('B6 a first message of an app that begins with a heading is described as it is', async () => {
  const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'Deploy failed' } }];
  const found = await messageText(bridgeNamed('deskbridge'), written('', { blocks }));
  expect(found.description).toBe('## Deploy failed');
});

test('B6 a bot that is named like the company changes no e-mail address and no name', async () => {
  const text = '<@UBOT> ada@acme.example and @acme.support wrote to acme_help@acme';
  const { words, description } = await messageText(bridgeNamed('acme'), written(text));
  expect(words).toBe('ada@acme.example and @acme.support wrote to acme_help@acme');
  expect(description).toBe('ada@acme.example and @acme.support wrote to acme_help@acme');
  const named = await messageText(bridgeNamed('it*desk*'), written('ask <@UBOT> or <@UBEN>'));
  expect(named.markdown).toBe('ask @it\\*desk\\* or [@Ben](user:usr_ben)');
});

test.each([
  ['ping <!subteam^SIT>', 'ping @it-team'],
  ['ping <!subteam^SOTHER|@partners>', 'ping @partners'],
  ['ping <!subteam^SOTHER>', 'ping @user-group'],
])('B19 %j names the group', async (text, markdown) => {
  const group = /SIT|SOTHER/.exec(text)?.[0] ?? '';
  const elements = [
    { type: 'text', text: 'ping ' },
    { type: 'usergroup', usergroup_id: group },
  ];
  const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
  const bridge = bridgeNamed('desk');
  expect((await messageText(bridge, written(text))).markdown).toBe(markdown);
  expect((await messageText(bridge, written(text, { blocks }))).markdown).toBe(markdown);
  expect(await markdownOf(bridge, 'T1', text)).toBe(markdown);
});

test.each<[text: string, isHello: boolean]>([
  ['<@UBOT> hi', true],
  ['<@UBOT> hi <@UBEN>', true],
  ['hello <@UBEN>, <@UBEN>!', true],
  ['<@UBOT> :wave: <@UBEN>', true],
  ['<@UBOT> good morning <@UBEN|ben>', true],
  ['hello <!here>', true],
  ['hi <!subteam^SIT|@it-team>', true],
  ['hi <#C2|general>', true],
  ['<@UBOT> ?', true],
  ['<@UBOT> <@UBEN>', false],
  ['<@UBOT> , <@UBEN> .', false],
  ['<@UBOT> hi <@UBEN> my mouse died', false],
  ['<@UBOT> hi <@UBEN> 404', false],
  ['<@UBOT> hi <@UBEN> see <https://x.example>', false],
])('B8 %j greets: %s', async (text, isHello) => {
  expect(isGreeting(await greetingOf(bridgeNamed('deskbridge'), written(text)))).toBe(isHello);
});

test('B8 a greeting with a file is none', async () => {
  const files = [{ name: 'a.txt', mimetype: 'text/plain', bytes: 1, permalink: 'https://chat.example/F1' }];
  const message = written('hi', { files: files as unknown as Message['files'] });
  expect(isGreeting(await greetingOf(bridgeNamed('deskbridge'), message))).toBe(false);
});

test('B6 a message without words has the name of its file as its title', async () => {
  const file = {
    name: 'error log.txt',
    mimetype: 'text/plain',
    bytes: 1,
    permalink: 'https://chat.example/F1',
  };
  const files = [file] as unknown as Message['files'];
  expect((await messageText(bridgeNamed('desk'), written('<@UBOT>', { files }))).words).toBe('error log.txt');
});

test.each<[boolean, string]>([
  [true, '<@UBOT> <@UBEN>'],
  [true, '<@UBOT> <!here>'],
  [true, '<@UBOT>, <#C2|general>!'],
  [true, '<@UBOT|desk> <!subteam^S1|@it-team>'],
  [false, '<@UBOT> <@UBEN> help'],
  [false, '<@UBOT> :fire:'],
  [false, '<@UBOT> 🔥'],
  [false, '<@UBOT> <https://x.example>'],
  [false, ''],
])('B6 it is %j that %j only names somebody', (expected, text) => {
  expect(onlyNames(written(text))).toBe(expected);
  expect(onlyNames(written(text, { botId: 'B1' }))).toBe(false);
});
