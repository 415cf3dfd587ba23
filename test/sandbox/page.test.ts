import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { openSandbox } from './open-sandbox.ts';

beforeAll(() => {
  const build = path.resolve(import.meta.dirname, '../../.config/build-ui.js');
  execFileSync(process.execPath, [build, '--if-changed'], { stdio: 'inherit' });
});

test('the page has a policy that allows its own files alone, which browsers keep for ever, compressed', async () => {
  const { url } = await openSandbox();
  const page = await fetch(url);
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(\/page\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
  expect(new Set(files.map((file) => path.extname(file)))).toEqual(new Set(['.css', '.js']));
  for (const file of files) {
    const { headers } = await fetch(`${url}${file}`, { headers: { 'accept-encoding': 'br' } });
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('br');
  }
  for (const address of ['/page/icon.svg', '/favicon.ico'])
    expect((await fetch(`${url}${address}`)).headers.get('content-type')).toBe('image/svg+xml');
});

test.each([
  '/page/assets/../../package.json',
  '/page/assets/%2e%2e/x',
  '/page/assets/a%00.css',
  '/page/none',
])('%s is refused', async (address) => {
  const { url } = await openSandbox();
  // A raw request: a client would normalise the path.
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${address} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  let answer = '';
  for await (const part of socket) answer += String(part);
  expect(answer).toMatch(/^HTTP\/1.1 40[034] /);
});
