import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import fastify from 'fastify';
import { describe, expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import {
  codeOfPage,
  isGood,
  LINK_DAYS,
  pageKeyOf,
  ticketUrl,
} from '../../../src/bridge/tickets/ticket-facts.ts';
import { drawTicket, ticketPage } from '../../../src/bridge/features/ticket-page/plugin.ts';
import { markdownToHtml } from '../../../src/platform/text/to-html.ts';

const KEY = 'k'.repeat(32);
const NOW = new Date('2026-11-21T12:00:00.000Z');
const inDays = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60_000);

describe('links to a ticket’s page', () => {
  test('a link is valid for one reference and one secret', () => {
    const key = pageKeyOf(KEY, 'IT-42', NOW);
    expect(isGood(KEY, 'IT-42', key, NOW)).toBe(true);
    for (const [secret, code, given] of [
      [KEY, 'IT-43', key],
      ['j'.repeat(32), 'IT-42', key],
      [KEY, 'IT-42', key.slice(0, -1)],
      // A forged expiry.
      [KEY, 'IT-42', `z${key}`],
      [KEY, 'IT-42', key.slice(key.indexOf('.') + 1)],
      [KEY, 'IT-42', ''],
      [KEY, 'IT-42', undefined],
      [KEY, 'IT-42', [key]],
    ] as const)
      expect(isGood(secret, code, given, NOW)).toBe(false);
  });

  test('a link is valid for as long as the page says, whenever it was made, and expires at most a month later', () => {
    for (let made = 0; made <= 60; made++) {
      const key = pageKeyOf(KEY, 'IT-42', inDays(made));
      const after = (days: number) => isGood(KEY, 'IT-42', key, inDays(made + days));
      expect([made, after(0), after(LINK_DAYS), after(LINK_DAYS + 30)]).toEqual([made, true, true, false]);
    }
    expect(pageKeyOf(KEY, 'IT-42', inDays(0))).toBe(pageKeyOf(KEY, 'IT-42', inDays(1)));
  });

  test.each([
    [
      ticketUrl({ publicUrl: 'https://desk.example', pageKey: KEY, clock: { now: () => NOW } }, 'IT-42'),
      'IT-42',
    ],
    ['https://desk.example/tickets/it-42', 'IT-42'],
    ['https://desk.example/shared/IT-42', 'IT-42'],
    ['https://desk.example/tickets/IT-42/../../api', undefined],
    ['https://desk.example/tickets/', undefined],
    ['https://other.example/tickets/IT-42', undefined],
    ['https://desk.example.evil.example/tickets/IT-42', undefined],
    ['not an address', undefined],
  ])('B41 %s leads to %s', (address, code) => {
    expect(codeOfPage('https://desk.example', address)).toBe(code);
  });
});

test.each([
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
  ['[x](javascript:alert(1))', '<p>x'],
  ['[x](https://a.example/"onmouseover="y)', 'href="https://a.example/&quot;onmouseover=&quot;y"'],
  ['![x](https://a.example/pixel.png)', '<a href="https://a.example/pixel.png"'],
  ['[@Ada](user:usr_1) & `<b>`', '<p>@Ada &amp; <code>&lt;b&gt;</code></p>'],
  ['a **b** ~~c~~\n\n> d', '<p>a <strong>b</strong> <del>c</del></p>\n<blockquote><p>d</p></blockquote>'],
  ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
  ['hello\nsecond line', '<p>hello<br>second line</p>'],
  ['hello\\\nsecond line', '<p>hello<br>second line</p>'],
  [':smile: `:smile:` :ours:', '<p>😄 <code>:smile:</code> :ours:</p>'],
  ['|a|\n|-|\n|<i>|', '<td>&lt;i&gt;</td>'],
])('the page renders %j as text and its own elements', (markdown, html) => {
  const drawn = markdownToHtml(markdown);
  expect(drawn).toContain(html);
  expect(drawn).not.toMatch(/<(script|img|i|b)\b|javascript:[^<]*"/);
});

test('the page escapes every user text', async () => {
  const nasty = `"><script>x</script>'&`;
  const html = await drawTicket(
    {
      code: nasty,
      title: nasty,
      status: nasty,
      facts: [[nasty, nasty]],
      description: `${nasty}.`,
      files: [{ id: nasty, name: nasty, size: 1 }],
      messages: [{ author: nasty, at: new Date('2026-11-21T09:00:00.000Z'), content: nasty }],
      isCut: false,
    },
    { code: nasty, key: nasty },
  );
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).toContain('<time datetime="2026-11-21T09:00:00.000Z">21 Nov 2026, 09:00 UTC</time>');
});

describe('who may read a ticket’s page', () => {
  const ticket = {
    id: 'tkt_1',
    code: 'IT-42',
    title: 'A broken door',
    description: 'It squeaks',
    private: false,
    published: true,
    priority: 'HIGH',
    status: { label: 'Open' },
    queue: { workspaceId: 'wsp_1', name: 'IT' },
    requesterId: null,
    assigneeId: null,
    createdAt: '2026-11-21T09:00:00.000Z',
    dueAt: null,
  };
  const message = (content: string, more: object = {}) => ({
    ticketId: 'tkt_1',
    author: { firstName: 'Sam', lastName: 'Parks', email: 'sam@acme.example' },
    createdAt: '2026-11-21T10:00:00.000Z',
    content,
    private: false,
    deleted: false,
    ...more,
  });

  const files = (id: string) => ({ files: [{ id, name: `${id}.txt`, size: 5 }] });

  async function page(
    changes: object,
    query = `?k=${pageKeyOf(KEY, 'IT-42', NOW)}`,
    deskUrl?: string,
    path = '',
  ) {
    const asked: string[] = [];
    const bridge = {
      pageKey: KEY,
      clock: { now: () => NOW },
      command: '/ticket',
      deskUrl,
      log: { warn: () => undefined },
      channels: {
        isOffered: () => Promise.resolve(true),
        isForEveryone: (one: { private: boolean }) => Promise.resolve(!one.private),
      },
      service: {
        readTicket: ({ params }: { params: { id: string } }) => {
          asked.push(params.id);
          return Promise.resolve({ ...ticket, ...changes });
        },
        // A service that does not know the filter returns everything.
        all: async function* all() {
          yield message('an answer', files('fil_answer'));
          yield message('a note of the team', { private: true, ...files('fil_note') });
          yield message('taken back', { deleted: true, ...files('fil_gone') });
        },
      },
      serviceFiles: { download: () => Promise.resolve(Readable.from([Buffer.from('bytes')])) },
    } as unknown as Bridge;
    const server = fastify();
    await server.register(ticketPage(() => [bridge], bridge));
    const answer = await server.inject(`/shared/IT-42${path}${query}`);
    await server.close();
    return { ...answer, html: answer.body, asked };
  }

  test('B14 the full link of a public ticket shows its public conversation and no note', async () => {
    const { statusCode, html, headers } = await page({});
    expect(statusCode).toBe(200);
    expect(html).toContain('A broken door');
    expect(html).toContain('an answer');
    for (const hidden of ['a note of the team', 'taken back', 'sam@acme.example'])
      expect(html).not.toContain(hidden);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(html) ?? [];
    const digest = createHash('sha256').update(script).digest('base64');
    expect(headers['content-security-policy']).toContain(`; script-src 'sha256-${digest}';`);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  test('B14 B18 the page links the files of the ticket and of its public messages, as downloads; no other file is sent', async () => {
    const key = pageKeyOf(KEY, 'IT-42', NOW);
    const { html } = await page(files('fil_own'));
    for (const id of ['fil_own', 'fil_answer'])
      expect(html).toContain(`<a href="IT-42/files/${id}?k=${key}" download>${id}.txt</a>`);
    expect(html).not.toMatch(/fil_note|fil_gone/);
    const sent = await page(files('fil_own'), undefined, undefined, '/files/fil_answer');
    expect([sent.statusCode, sent.body]).toEqual([200, 'bytes']);
    expect(sent.headers).toMatchObject({
      'content-disposition': `attachment; filename="fil_answer.txt"; filename*=UTF-8''fil_answer.txt`,
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    });
    for (const id of ['fil_note', 'fil_gone', 'fil_of_another_ticket'])
      expect((await page({}, undefined, undefined, `/files/${id}`)).statusCode).toBe(404);
    expect((await page({ private: true }, undefined, undefined, '/files/fil_answer')).statusCode).toBe(404);
    expect((await page({}, '?k=x', undefined, '/files/fil_answer')).asked).toEqual([]);
  });

  test('the page renews no link: those of its files expire with its own', async () => {
    const key = pageKeyOf(KEY, 'IT-42', inDays(-60));
    const { html } = await page(files('fil_own'), `?k=${key}`);
    expect(html).toContain(`<a href="IT-42/files/fil_own?k=${key}" download>`);
    expect(html).not.toContain(pageKeyOf(KEY, 'IT-42', NOW));
  });

  test('a ticket’s page links agents to the same ticket in the desk, if the desk’s URL is known', async () => {
    const { html } = await page({}, undefined, 'https://desk.example');
    expect(html).toContain('<a href="https://desk.example/tickets/IT-42">Open in the desk</a>');
    expect((await page({})).html).not.toContain('desk</a>');
  });

  test('a ticket’s page links who asked to their page of it at the desk, if there is one', async () => {
    const { html } = await page({ code: `IT-42"/?` }, undefined, 'https://desk.example');
    expect(html).toContain(
      'Is it your request? <a href="https://desk.example/requests/IT-42%22%2F%3F">Reply, close it, or see all your requests</a>.',
    );
    expect((await page({})).html).not.toContain('your request');
  });

  test('B0 nobody reads a private ticket, whatever the link', async () => {
    const { statusCode, html } = await page({ private: true });
    expect(statusCode).toBe(404);
    expect(html).not.toMatch(/IT-42|broken door|squeaks|answer<|note of/);
    expect((await page({ published: false })).html).toBe(html);
  });

  test('an archived ticket and its files are shown to nobody, as if it were private', async () => {
    const archived = { archivedAt: '2026-11-21T10:00:00.000Z' };
    const { statusCode, html } = await page(archived);
    expect(statusCode).toBe(404);
    expect(html).toBe((await page({ private: true })).html);
    expect((await page(archived, undefined, undefined, '/files/fil_answer')).statusCode).toBe(404);
  });

  test.each([
    '',
    '?k=',
    '?k=gu.AAAAAAAAAAAAAAAAAAAAAA',
    '?k[]=x',
    `?k=${pageKeyOf(KEY, 'IT-42', inDays(-150))}`,
  ])(
    'B0 a link with %j shows nothing and makes no request to the service; the page says how to get a new one',
    async (query) => {
      const { statusCode, html, asked } = await page({}, query);
      expect(statusCode).toBe(404);
      expect(asked).toEqual([]);
      expect(html).not.toMatch(/IT-42|broken door/);
      expect(html).toContain('/ticket show');
    },
  );
});
