import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';

import type { File } from '../../src/contract/index.ts';
import { startTestService } from '../service/harness.ts';
import { openDesk } from './open-desk.ts';

async function start() {
  const running = await startTestService({ files: { file: 2 * 1024 ** 2 } });
  const desk = await openDesk(running.url);
  const { body: ticket } = await running.call('POST', '/tickets', { body: { title: 'At the desk' } });
  const { body: person } = await running.call('POST', '/users', {
    body: { firstName: 'Ada', email: 'ada@acme.example' },
  });
  const signed = await desk.ask('POST', '/desk/session', { key: running.token });
  expect(signed.status).toBe(200);
  const chosen = await desk.ask('PUT', '/desk/session', { userId: person.id });
  const cookie =
    (chosen.headers.get('set-cookie') ?? signed.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const ask = (path: string, init: RequestInit = {}, site = 'same-origin') =>
    fetch(`${desk.url}${path}`, {
      ...init,
      headers: { cookie, 'sec-fetch-site': site, ...(init.headers as Record<string, string>) },
    });
  const upload = async (bytes: Uint8Array, query = '', site?: string) => {
    const body = new FormData();
    body.append('file', new Blob([Buffer.from(bytes)]), 'shot.png');
    return ask(`/desk/tickets/${ticket.id}/files${query}`, { method: 'POST', body }, site);
  };
  return { running, desk, ask, upload, ticket };
}

test('the desk uploads, downloads and shows files with the token of the session', async () => {
  const { ask, upload } = await start();
  const bytes = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#c33' } })
    .png()
    .toBuffer();
  const uploaded = await upload(bytes, '?attach=true');
  expect(uploaded.status).toBe(200);
  const file = (await uploaded.json()) as File;
  expect(file).toMatchObject({ name: 'shot.png', type: 'image/png', width: 900 });
  const download = await ask(`/desk/files/${file.id}`);
  expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(download.headers)).toMatchObject({
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'content-disposition': expect.stringMatching(/^attachment;/) as unknown,
  });
  const small = await ask(`/desk/files/${file.id}/thumbnail`);
  expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp']);
});

test('another page and another session get nothing, and a refusal says why', async () => {
  const { ask, upload, desk } = await start();
  expect((await upload(randomBytes(10), '', 'cross-site')).status).toBe(403);
  expect((await fetch(`${desk.url}/desk/files/fil_1`)).status).toBe(401);
  expect((await ask('/desk/files/fil_nothing')).status).toBe(404);
  const large = await upload(randomBytes(4 * 1024 ** 2));
  expect([large.status, ((await large.json()) as { message: string }).message]).toEqual([
    413,
    expect.stringContaining('2 MB'),
  ]);
});

/** A desk, signed in with a key, of a service that then answers every request of a file like this. */
async function deskBefore(status: number, body: string) {
  const server = createServer((request, response) => {
    const isFile = request.url?.includes('/files');
    response.writeHead(isFile ? status : 200, {
      'content-type': body.startsWith('{') || !isFile ? 'application/json' : 'text/html',
      ...(isFile && status < 400 && { location: 'https://login.example/' }),
    });
    response.end(isFile ? body : '{"items":[],"totalCount":0,"nextCursor":null}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const desk = await openDesk(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
  expect((await desk.ask('POST', '/desk/session', { key: 'key_1' })).status).toBe(200);
  return desk;
}

const PAGE = '<html>nginx</html>';
const OWN = (code: string) => JSON.stringify({ code, message: 'No.' });

test.each<[string, number, string, { status: number; ends: boolean }]>([
  ['the service takes the token no more', 401, OWN('UNAUTHORIZED'), { status: 401, ends: true }],
  ['a proxy lets nobody through', 401, PAGE, { status: 503, ends: false }],
  ['a proxy forbids it', 403, PAGE, { status: 503, ends: false }],
  ['a proxy sends to its own sign-in', 302, PAGE, { status: 503, ends: false }],
  ['the service has no such file', 404, OWN('NOT_FOUND'), { status: 404, ends: false }],
  ['a proxy knows no way to the service', 404, PAGE, { status: 503, ends: false }],
  ['a proxy finds no service', 502, PAGE, { status: 503, ends: false }],
  ['a proxy takes no body of that size', 413, PAGE, { status: 413, ends: false }],
  ['the browser has the file already', 304, '', { status: 304, ends: false }],
])('a page of a proxy is not the word of the service on a file: %s', async (_, status, body, expected) => {
  const desk = await deskBefore(status, body);
  const download = await desk.ask('GET', '/desk/files/fil_1');
  expect({ status: download.status, ends: download.headers.has('set-cookie') }).toEqual(expected);
});
