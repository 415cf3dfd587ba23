import { expect, test } from 'vitest';

import { HELP, openSandbox, webClient } from './open-sandbox.ts';

const text = (length: number, type = 'mrkdwn') => ({ type, text: 'x'.repeat(length) });
const plain = (length: number) => text(length, 'plain_text');
const button = (more: object = {}) => ({ type: 'button', text: plain(5), ...more });
const url = (length: number) => `https://example.com/${'x'.repeat(length - 20)}`;
const cells = (count: number) => Array.from({ length: count }, () => ({ type: 'raw_text', text: 'x' }));
const rows = (count: number, width = 2) => Array.from({ length: count }, () => cells(width));
const rich = (...elements: object[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});
const select = (count: number) => ({
  type: 'static_select',
  options: Array.from({ length: count }, (_, index) => ({ text: plain(75), value: `${index}` })),
});
const feedback = { text: plain(2), value: 'v' };
const video = {
  type: 'video',
  alt_text: 'a film',
  title: plain(10),
  thumbnail_url: url(40),
  video_url: url(40),
};

/** Blocks that Slack accepts, at its limits. */
const TAKEN: Record<string, unknown[]> = {
  'fifty blocks': Array.from({ length: 50 }, () => ({ type: 'divider' })),
  'a long section': [{ type: 'section', text: text(3000) }],
  'ten fields': [{ type: 'section', fields: Array.from({ length: 10 }, () => text(1)) }],
  'long fields': [{ type: 'section', fields: Array.from({ length: 5 }, () => text(2000)) }],
  'a header': [{ type: 'header', text: plain(150) }],
  'many buttons': [
    {
      type: 'actions',
      elements: Array.from({ length: 25 }, (_, index) => button({ action_id: `a${index}` })),
    },
  ],
  'a button at its limits': [
    { type: 'actions', elements: [button({ text: plain(75), value: 'v'.repeat(2000), url: url(3000) })] },
  ],
  'a full menu': [{ type: 'actions', elements: [select(100)] }],
  'an image': [{ type: 'image', image_url: url(3000), alt_text: 'x'.repeat(1000) }],
  'rich text': [
    rich(
      { type: 'text', text: 'x', style: { bold: true } },
      { type: 'user', user_id: 'U1' },
      { type: 'link', url: 'https://example.com/' },
      { type: 'emoji', name: 'eyes' },
      { type: 'broadcast', range: 'here' },
      { type: 'date', timestamp: 1, format: '{date}' },
    ),
  ],
  'a table': [{ type: 'table', rows: rows(100, 20), column_settings: [{ align: 'right' }] }],
  'a data table': [{ type: 'data_table', caption: 'Tickets', rows: rows(101) }],
  'a video': [video],
  'context actions': [
    {
      type: 'context_actions',
      elements: [{ type: 'feedback_buttons', positive_button: feedback, negative_button: feedback }],
    },
  ],
  markdown: [{ type: 'markdown', text: 'x'.repeat(12_000) }],
};

/** Blocks that Slack rejects, each with the place and reason. */
const REFUSED: Record<string, [blocks: unknown[], complaint: string]> = {
  'fifty-one blocks': [
    Array.from({ length: 51 }, () => ({ type: 'divider' })),
    '[ERROR] no more than 50 items allowed [json-pointer:/blocks]',
  ],
  'a section too long': [
    [{ type: 'section', text: text(3001) }],
    '[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
  ],
  'eleven fields': [
    [{ type: 'section', fields: Array.from({ length: 11 }, () => text(1)) }],
    '/blocks/0/fields]',
  ],
  'a field too long': [[{ type: 'section', fields: [text(2001)] }], '/blocks/0/fields/0/text]'],
  'a section of nothing': [[{ type: 'section' }], 'missing required field: text'],
  'a header too long': [[{ type: 'header', text: plain(151) }], '/blocks/0/text/text]'],
  'a header in mrkdwn': [[{ type: 'header', text: text(3) }], '/blocks/0/text/type]'],
  'twenty-six buttons': [
    [{ type: 'actions', elements: Array.from({ length: 26 }, () => button()) }],
    '/blocks/0/elements]',
  ],
  'a button too long': [
    [{ type: 'actions', elements: [button({ text: plain(76) })] }],
    '/elements/0/text/text]',
  ],
  'a value too long': [
    [{ type: 'actions', elements: [button({ value: 'v'.repeat(2001) })] }],
    '/elements/0/value]',
  ],
  'an address too long': [[{ type: 'actions', elements: [button({ url: url(3001) })] }], '/elements/0/url]'],
  'a question too long': [
    [{ type: 'actions', elements: [button({ confirm: { title: plain(101) } })] }],
    '/elements/0/confirm/title/text]',
  ],
  'a menu too full': [[{ type: 'actions', elements: [select(101)] }], '/elements/0/options]'],
  'eleven in a context': [
    [{ type: 'context', elements: Array.from({ length: 11 }, () => text(1)) }],
    '/blocks/0/elements]',
  ],
  'an image from nowhere': [[{ type: 'image', alt_text: 'x' }], 'image_url'],
  'an image without words': [[{ type: 'image', image_url: url(40) }], 'missing required field: alt_text'],
  'a block id too long': [[{ type: 'divider', block_id: 'x'.repeat(256) }], '/blocks/0/block_id]'],
  'a block id twice': [
    [
      { type: 'divider', block_id: 'same' },
      { type: 'divider', block_id: 'same' },
    ],
    '`block_id` already exists',
  ],
  'an unknown kind': [[{ type: 'nonsense' }], '/blocks/0'],
  'rich text of an unknown kind': [[rich({ type: 'nonsense' })], '/blocks/0/elements/0/elements/0'],
  'rich text without its words': [[rich({ type: 'text' })], 'missing required field: text'],
  'a table too long': [[{ type: 'table', rows: rows(101) }], '/blocks/0/rows]'],
  'a table too wide': [[{ type: 'table', rows: rows(2, 21) }], '/blocks/0/rows/0]'],
  'a data table with gaps': [
    [{ type: 'data_table', caption: 'x', rows: [cells(2), cells(1)] }],
    'all rows must have the same number of cells',
  ],
  'a video without a title': [[{ ...video, title: undefined }], 'missing required field: title'],
  'six context actions': [
    [
      {
        type: 'context_actions',
        elements: Array.from({ length: 6 }, () => ({ type: 'icon_button', icon: 'trash', text: plain(3) })),
      },
    ],
    '/blocks/0/elements]',
  ],
  'markdown too long': [[{ type: 'markdown', text: 'x'.repeat(12_001) }], '/blocks/0/text]'],
};

test('blocks at their limits are posted', async () => {
  const client = webClient(await openSandbox());
  for (const [name, blocks] of Object.entries(TAKEN)) {
    const answer = await client
      .apiCall('chat.postMessage', { channel: HELP, text: name, blocks })
      .catch((error: unknown) => (error as { data?: unknown }).data);
    expect([name, answer]).toMatchObject([name, { ok: true }]);
  }
});

test('blocks beyond a limit are rejected with the place and the reason', async () => {
  const client = webClient(await openSandbox());
  for (const [name, [blocks, complaint]] of Object.entries(REFUSED)) {
    const refused: unknown = await client
      .apiCall('chat.postMessage', { channel: HELP, text: name, blocks })
      .catch((error: unknown) => (error as { data?: unknown }).data);
    expect([name, refused]).toMatchObject([name, { error: 'invalid_blocks' }]);
    const { messages } = (refused as { response_metadata: { messages: string[] } }).response_metadata;
    expect([name, messages.join('\n')]).toEqual([name, expect.stringContaining(complaint)]);
  }
});
