import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import path from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { servePrograms, statusIn } from './harness/serve-programs.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';

beforeAll(() => {
  const build = path.resolve(import.meta.dirname, '../.config/build-ui.js');
  execFileSync(process.execPath, [build, '--if-changed'], { stdio: 'inherit' });
});

/** Sends bytes as they are, which fetch would put right; returns the status, 0 for a connection that was closed. */
function statusOf(port: number, bytes: string | Buffer): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(statusIn(answer));
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(0));
  });
}

const head = (method: string, path: string, headers: Record<string, string> = {}) =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

interface Addresses {
  /** What stands in front of an odd path; some are of static files. */
  folders: string[];
  /** Are asked for with odd headers. */
  pages: string[];
  /** Are sent odd bodies. */
  takers: string[];
}

const OF_PROGRAMS: Addresses = {
  folders: ['/', '/desk/assets/', '/docs/', '/docs/js/', '/tickets/', '/api/', '/desk/api/', '/auth/link'],
  pages: ['/', '/desk/assets/x.js', '/desk/session', '/api/tickets', '/api/openapi.json', '/auth/link'],
  takers: [
    '/api/tickets',
    '/api/files',
    '/auth/link',
    '/desk/session',
    '/desk/api/tickets',
    '/mcp',
    '/oauth/token',
    '/oauth/register',
    '/nothing',
  ],
};
const OF_SANDBOX: Addresses = {
  folders: ['/', '/page/assets/', '/avatar/', '/emoji/', '/files-pri/', '/oauth/', '/response/', '/api/'],
  pages: ['/', '/page/assets/x.js'],
  takers: [
    '/_control/message',
    '/_control/upload',
    '/api/chat.postMessage',
    '/oauth/v2/authorize',
    '/response/x',
    '/nothing',
  ],
};

const ODD = [
  '../../package.json',
  '..%2f..%2fpackage.json',
  '%2e%2e/x',
  '%2e%2e%2f%2e%2e%2fx',
  '..\\..\\x',
  '..%5c..%5cx',
  './././x',
  '%00',
  '%00.css',
  'x%00y.js',
  '%0d%0aset-cookie:x',
  '%',
  '%zz',
  '%ff',
  '%c0%ae%c0%ae/x',
  '%f0%9f',
  '//x',
  '/etc/passwd',
  'C:%5cx',
  'x.js/',
  'x.js/y',
  `${'a'.repeat(255)}.js`,
  'a'.repeat(4_000),
  'a/'.repeat(1_000),
  '?%00',
  '?a=%zz&a[]=1&__proto__=1',
  '.',
  '..',
  '~',
  'constructor',
  '__proto__',
];
const HEADERS: Record<string, string>[] = [
  { range: 'bytes=99999999-' },
  { range: 'bytes=-' },
  { range: 'bytes=0-1,3-4,2-x' },
  { 'if-modified-since': 'never' },
  { 'if-none-match': '"' },
  { 'accept-encoding': 'br;q=x, *;q=-1,,' },
  { accept: '\u00ff/\u00ff;q' },
  { cookie: 'deskbridge_session=%zz; ;=;' },
  { 'x-forwarded-for': 'not an address' },
  { host: '[::' },
  { authorization: 'Basic \u00ff' },
  { traceparent: '00-x' },
];
const BODIES: [type: string, body: string][] = [
  ['application/json', '{'],
  ['application/json', ''],
  ['application/json', '\ufeff{}'],
  ['application/json', '{"__proto__":{"a":1}}'],
  ['application/json', '['.repeat(5_000)],
  ['application/json; charset=nonsense', '{}'],
  ['text/plain', 'x'],
  ['', 'x'],
  ['application/x-www-form-urlencoded', '%zz=%&&=='],
  ['multipart/form-data', 'x'],
  ['multipart/form-data; boundary=', 'x'],
  ['multipart/form-data; boundary=x', 'x'],
];

/** Returns the requests of a program: each odd path, header and body at each of its addresses. */
function oddRequests({ folders, pages, takers }: Addresses): string[] {
  return [
    ...folders.flatMap((folder) => ODD.map((odd) => head('GET', `${folder}${odd}`, { accept: 'text/html' }))),
    ...pages.flatMap((page) => HEADERS.map((headers) => head('GET', page, headers))),
    ...takers.flatMap((taker) => BODIES.map(([type, body]) => post(taker, type, body))),
  ];
}

function post(address: string, type: string, body: string): string {
  const headers = {
    ...(type !== '' && { 'content-type': type }),
    'content-length': String(body.length),
    'sec-fetch-site': 'same-origin',
  };
  return `${head('POST', address, headers)}${body}`;
}

test('no odd path, header or body is answered as a fault of the server', async () => {
  const programs = await servePrograms();
  const sandbox = await openSandbox();
  const requests = [
    ...oddRequests(OF_PROGRAMS).map((request) => ({ port: programs.port, request })),
    ...oddRequests(OF_SANDBOX).map((request) => ({ port: sandbox.port, request })),
  ];
  const faults: string[] = [];
  while (requests.length > 0)
    await Promise.all(
      requests.splice(0, 40).map(async ({ port, request }) => {
        const status = await statusOf(port, Buffer.from(request, 'latin1'));
        if (status >= 500 || status < 100) faults.push(`${status} ${request.slice(0, 120)}`);
      }),
    );
  expect(faults).toEqual([]);
});

test('a broken upload is refused with what is wrong, and stores nothing', async () => {
  const running = await servePrograms();
  const { body: ticket } = await running.call('POST', '/tickets', { body: { title: 'With files' } });
  const file = 'content-disposition: form-data; name="file"; filename="a.txt"';
  const form = (boundary: string, part: string) =>
    `--${boundary}\r\n${part}\r\n\r\nhello\r\n--${boundary}--\r\n`;
  const table: [type: string, body: string][] = [
    ['', form('x', file)],
    ['; boundary', form('x', file)],
    ['; boundary=', form('x', file)],
    ['; boundary=""', form('x', file)],
    ['; boundary=other', form('x', file)],
    [`; boundary=${'b'.repeat(257)}`, form('b'.repeat(257), file)],
    [`; boundary=${'b'.repeat(5_000)}`, form('b'.repeat(5_000), file)],
    ['; boundary=x', form('x', 'content-disposition: nonsense')],
    ['; boundary=x', form('x', '')],
    ['; boundary=x', form('x', `x-long: ${'h'.repeat(20_000)}\r\ncontent-disposition: form-data`)],
    ['; boundary=x', '--x\r\n'],
    ['; boundary=x', '--x--\r\n'],
    ['; boundary=x', ''],
    ['; boundary=x; boundary=y', form('z', file)],
    ["; boundary*=utf-8''%zz", form('x', file)],
    ['; boundary=x', `--x\r\n${file}\r\n\r\nhello`],
  ];
  for (const [parameters, body] of table) {
    const status = await statusOf(
      running.port,
      `${head('POST', `/api/tickets/${ticket.id}/files`, {
        'x-service-api-token': running.token,
        'content-type': `multipart/form-data${parameters}`,
        'content-length': String(Buffer.byteLength(body)),
      })}${body}`,
    );
    expect([parameters.slice(0, 40), body.slice(0, 40), [400, 415].includes(status)]).toEqual([
      parameters.slice(0, 40),
      body.slice(0, 40),
      true,
    ]);
  }
  const { body: files } = await running.call('GET', `/tickets/${ticket.id}/files`);
  expect(files.totalCount).toBe(0);
});
