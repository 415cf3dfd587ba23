import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

import { expect, test } from 'vitest';

import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { HELP, openSandbox, SEED, stopAfterTest } from './open-sandbox.ts';

/** A request with the headers of a browser, which fetch would not allow. */
async function statusOf(
  { port }: Sandbox,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number | undefined> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    headers,
    method: body === undefined ? 'GET' : 'POST',
  });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.destroy();
  return answer.statusCode;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const MESSAGE = JSON.stringify({ channel: 'it-help', user: 'ada', text: 'said by whom?' });

test('a foreign host name that resolves to this machine is rejected on every path', async () => {
  const sandbox = await openSandbox();
  for (const host of [
    'evil.example',
    `evil.example:${sandbox.port}`,
    '127.0.0.1.evil.example',
    'localhost.evil.example',
  ])
    for (const path of [
      '/_control/state',
      '/_control/calls?limit=1',
      '/_live',
      '/_live?log=1',
      // The router decodes before it matches.
      '/%5Fcontrol/state',
      '/%5flive',
      '/%6fauth/v2/authorize',
      '/openid/connect/authorize',
    ])
      expect([host, path, await statusOf(sandbox, path, { host })]).toEqual([host, path, 403]);
  const posted = await statusOf(
    sandbox,
    '/_control/message',
    { host: 'evil.example', ...JSON_TYPE },
    MESSAGE,
  );
  expect(posted).toBe(403);
  expect(await sandbox.control.messages('it-help')).toEqual([]);
});

test('an IP address, localhost and the configured host are accepted', async () => {
  const sandbox = await openSandbox();
  for (const host of [
    `127.0.0.1:${sandbox.port}`,
    'localhost:1',
    'desk.localhost',
    '[::1]:3000',
    '192.168.1.7:3000',
  ])
    expect([host, await statusOf(sandbox, '/_control/state', { host })]).toEqual([host, 200]);
});

test('another page is rejected by its origin, the sandbox’s own page is not', async () => {
  const sandbox = await openSandbox();
  const from = (origin: string) => statusOf(sandbox, '/_control/message', { origin, ...JSON_TYPE }, MESSAGE);
  for (const origin of [
    'https://evil.example',
    'null',
    'http://127.0.0.1.evil.example',
    'http://192.168.1.7:3000',
  ])
    expect([origin, await from(origin)]).toEqual([origin, 403]);
  expect(await sandbox.control.messages('it-help')).toEqual([]);
  for (const origin of [sandbox.url, 'http://localhost:5173'])
    expect([origin, await from(origin)]).toEqual([origin, 200]);
});

test('a form, which any page may send, is rejected', async () => {
  const sandbox = await openSandbox();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect(
      await statusOf(sandbox, '/_control/reset', { 'content-type': type }, MESSAGE),
    ).toBeGreaterThanOrEqual(400);
});

test('the page is outside of the guard: it has no data', async () => {
  const sandbox = await openSandbox();
  // 503 where the pages are not built.
  expect([200, 503]).toContain(await statusOf(sandbox, '/', { host: 'desk.example' }));
});

test.for<[path: string, body: string | undefined]>([
  ['/api/chat.postMessage', `token=${SEED.app.botToken}&channel=${HELP}&text=by%20whom%3F`],
  ['/api/conversations.history', `token=${SEED.app.botToken}&channel=${HELP}`],
  ['/api/apps.connections.open', `token=${SEED.app.appToken}`],
  [`/api/auth.test?token=${SEED.app.botToken}`, undefined],
  ['/%61pi/auth.test', ''],
  ['/response/x', '{}'],
  ['/upload/v1/x', 'x'],
  ['/files-pri/T0-F0/x', undefined],
])(
  'no other page acts as an app at %s; apps do, by an address or by the name of a container',
  async ([path, body]) => {
    const sandbox = await openSandbox();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const ask = (headers: Record<string, string>) => statusOf(sandbox, path, { ...form, ...headers }, body);
    for (const origin of ['https://evil.example', 'null', 'http://192.168.1.7:3000'])
      expect([origin, await ask({ origin })]).toEqual([origin, 403]);
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'sandbox.evil.example:3000'])
      expect([host, await ask({ host })]).toEqual([host, 403]);
    expect(await sandbox.control.messages('it-help')).toEqual([]);
    for (const host of ['127.0.0.1', 'localhost:3000', 'sandbox:3000', 'host.docker.internal:3000'])
      expect([host, await ask({ host })]).not.toEqual([host, 403]);
  },
);

test.each([
  ['127.0.0.1', false],
  ['localhost', false],
  // An unusual spelling of 127.0.0.1, which the sandbox does not recognize as loopback: the test stays on
  // this machine.
  ['0x7f000001', true],
])('on %s, the sandbox warns that its control API needs no key: %s', async (host, isWarned) => {
  const lines: string[] = [];
  const sandbox = await startSandbox({
    file: ':memory:',
    host,
    port: 0,
    seed: SEED,
    log: createLog({ level: 'warn', pretty: false, destination: { write: (line) => lines.push(line) } }),
    clock: systemClock,
    newId: createIds(systemClock),
    random: Math.random,
  });
  stopAfterTest(sandbox);
  expect(lines.some((line) => line.includes('anyone who reaches it can act as any user'))).toBe(isWarned);
});
