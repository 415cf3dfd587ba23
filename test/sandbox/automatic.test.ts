import { describe, expect, test } from 'vitest';

import {
  parseAutomatically,
  parseBlocks,
  PARSING,
  parsingOf,
} from '../../src/sandbox/rich-text/automatic.ts';
import type { Reading } from '../../src/sandbox/rich-text/inline.ts';
import type { Block } from '../../src/sandbox/workspace/content.ts';
import { growth } from '../harness/growth.ts';
import { ADA, HELP, openSandbox, webClient } from './open-sandbox.ts';

const READING: Reading = {
  typed: false,
  userId: (name) => (name === 'ada' ? 'U0ADAAA' : undefined),
  groupId: (handle) => (handle === 'it-team' ? 'S0TEAMM' : undefined),
  channelId: (name) => (name === 'it-help' ? 'C0HELPP' : undefined),
  channelName: () => undefined,
};
const POST = PARSING['chat.postMessage'];

describe('what Slack finds in an app’s text by itself', () => {
  const found = (text: string, parsing = { ...POST, names: true }) =>
    parseAutomatically(text, parsing, READING);

  test.each([
    ['@here printer is dead', '<!here> printer is dead'],
    ['@channel, look', '<!channel>, look'],
    ['all: (@everyone)', 'all: (<!everyone>)'],
    ['@Here and @CHANNEL', '<!here> and <!channel>'],
    ['*@here*', '*<!here>*'],
    ['first\n@here.', 'first\n<!here>.'],
    ['ask @it-team', 'ask <!subteam^S0TEAMM>'],
    ['in #it-help: look', 'in <#C0HELPP|it-help>: look'],
    ['see https://x.example/a_b?c=1&amp;d, ok', 'see <https://x.example/a_b?c=1&amp;d>, ok'],
    ['(http://x.example/)', '(<http://x.example/>)'],
  ])('%j becomes %j', (text, expected) => {
    expect(found(text)).toBe(expected);
  });

  test.each([
    '@ada and @nobody',
    'help@here.example and #1 and #other',
    'ftp://x.example/@here is no address that is found',
    '`@here` and ```\n@channel https://x.example\n```',
    '<https://x.example|@here> <@U0ADAAA|@channel>',
    '&lt;!here&gt; @hereafter @channels',
  ])('%j stays', (text) => {
    expect(found(text)).toBe(text);
  });

  test.each<[what: string, parsing: Parameters<typeof parsingOf>[0], expected: string]>([
    ['nothing said', {}, '*a* @here #it-help <https://x.example> <!everyone>'],
    ['parse: none', { parse: 'none' }, '*a* @here #it-help https://x.example <!everyone>'],
    ['link_names', { link_names: true }, '*a* <!here> <#C0HELPP|it-help> <https://x.example> <!everyone>'],
    [
      'parse: none with link_names',
      { parse: 'none', link_names: true },
      '*a* <!here> <#C0HELPP|it-help> https://x.example <!everyone>',
    ],
    [
      'parse: full',
      { parse: 'full' },
      '*a* <!here> <#C0HELPP|it-help> <https://x.example> &lt;!everyone&gt;',
    ],
  ])('a post with %s', (_, parsing, expected) => {
    const text = '*a* @here #it-help https://x.example <!everyone>';
    expect(parseAutomatically(text, parsingOf(parsing, POST), READING)).toBe(expected);
  });

  test('in a block, unless it is verbatim or plain text', () => {
    const said = '@here #it-help https://x.example';
    const marked = '<!here> <#C0HELPP|it-help> <https://x.example>';
    const texts = (text: string) => [
      { type: 'mrkdwn', text },
      { type: 'mrkdwn', text: said, verbatim: true },
      { type: 'plain_text', text: said },
    ];
    const blocks = (text: string): Block[] => [
      { type: 'section', text: { type: 'mrkdwn', text } },
      { type: 'section', fields: texts(text) },
      { type: 'context', elements: texts(text) },
      { type: 'header', text: { type: 'plain_text', text: said } },
    ];
    expect(parseBlocks(blocks(said), READING)).toEqual(blocks(marked));
  });

  test.each([
    ['mentions of nobody', (length: number) => '@a.'.repeat(length / 3)],
    ['signs behind a name', (length: number) => `@a${'.'.repeat(length)}`],
    ['names without a space', (length: number) => '-#a'.repeat(length / 3)],
    ['addresses of signs alone', (length: number) => 'http://..'.repeat(length / 9)],
    ['fences without an end', (length: number) => '``` '.repeat(length / 4)],
    ['brackets without an end', (length: number) => '<a'.repeat(length / 2)],
  ])('the work grows as the text does, for %s', (_, textOf) => {
    expect(growth((text) => found(text), textOf, 40_000)).toBeUndefined();
  });
});

test('posts, updates, views and answers show what Slack found in them', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  await sandbox.control.userGroup({ user: 'ada', handle: 'it-team', name: 'IT', users: ['ada'] });
  const elementsOf = async (ts: string) =>
    JSON.stringify((await sandbox.control.messages(HELP)).find((one) => one.ts === ts)?.blocks);
  const post = async (more: object) =>
    (await client.chat.postMessage({ channel: HELP, text: '@here https://x.example', ...more })).ts ?? '';

  const plain = await post({});
  expect(await elementsOf(plain)).not.toContain('broadcast');
  expect(await elementsOf(plain)).toContain('"type":"link"');
  expect(await elementsOf(await post({ parse: 'none' }))).not.toContain('"type":"link"');
  expect(await elementsOf(await post({ link_names: true }))).toContain('"broadcast"');
  const full = await elementsOf(await post({ parse: 'full', text: '*x* `@here` <!channel>' }));
  expect(full).toContain('"range":"here"');
  expect(full).not.toContain('"range":"channel"');
  expect(full).not.toContain('bold');

  // An update is read as if a person had typed it, unless it says otherwise.
  await client.chat.update({ channel: HELP, ts: plain, text: '@here again', parse: 'none' });
  expect(await elementsOf(plain)).not.toContain('broadcast');
  await client.chat.update({ channel: HELP, ts: plain, text: '@here again' });
  expect(await elementsOf(plain)).toContain('broadcast');

  const section = (verbatim: boolean) => ({
    type: 'section' as const,
    text: {
      type: 'mrkdwn' as const,
      text: 'ask @it-team',
      verbatim,
    },
  });
  const both = await elementsOf(await post({ blocks: [section(false), section(true)] }));
  expect(both.match(/<!subteam\^/g)).toHaveLength(1);
  const { view } = await client.views.publish({
    user_id: ADA,
    view: { type: 'home', blocks: [section(false)] },
  });
  expect(JSON.stringify(view?.blocks)).toContain('<!subteam^');
});
