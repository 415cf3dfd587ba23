import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { checkChat } from '../../../src/bridge/health/check-chat.ts';
import { createWebClient } from '../../../src/bridge/slack/client.ts';
import { ChatError } from '../../../src/bridge/slack/errors.ts';
import { METHODS } from '../../../src/bridge/slack/methods.ts';
import { MissingMethods, readMissingMethods } from '../../../src/bridge/slack/missing-methods.ts';
import { createLog } from '../../../src/platform/log.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { HEALTHY_CHAT } from '../health/chat-facts.ts';

/** How the server answers the next calls; `auth.test` only where `isUp` is false. */
let answer: { status: number; body: string } = { status: 200, body: '' };
let isUp = true;
const server = createServer((request, response) => {
  const isOther = request.url?.endsWith('/auth.test') === true && isUp;
  response.writeHead(isOther ? 200 : answer.status).end(isOther ? '{"ok":true}' : answer.body);
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function call(method: string) {
  const told: string[] = [];
  const news = {
    offered: (name: string) => void told.push(`${name} is offered`),
    notOffered: (name: string, how: string) => void told.push(`${name}: ${how}`),
  };
  const { port } = server.address() as AddressInfo;
  const client = createWebClient('xoxb-test', `http://127.0.0.1:${port}/api/`, { news });
  const error: unknown = await client.apiCall(method).catch((thrown: unknown) => thrown);
  return { next: error instanceof ChatError ? error.next : 'answered', told };
}

const platform = (error: string) => ({ status: 200, body: JSON.stringify({ ok: false, error }) });

test('every method that the bridge calls is said to be required or optional, and no other', async () => {
  const folder = path.resolve(import.meta.dirname, '../../../src/bridge');
  const called = new Set<string>(['apps.connections.open']);
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const source = await readFile(path.join(folder, file), 'utf8');
    for (const [, method = ''] of source.matchAll(
      /(?:client|createWebClient\([^()]*\))\s*\.(\w+(?:\s*\.\w+)+)\(/g,
    ))
      called.add(method.replaceAll(/\s/g, ''));
  }
  expect([...called].filter((method) => method !== 'websocket.isActive').toSorted()).toEqual(
    Object.keys(METHODS).toSorted(),
  );
});

test.each([
  ['HTTP 404', { status: 404, body: '<html>not found</html>' }],
  ['HTTP 404', { status: 404, body: '{"ok":false,"error":"unknown_method"}' }],
  ['HTTP 405', { status: 405, body: '' }],
  ['HTTP 501', { status: 501, body: '' }],
  ['unknown_method', platform('unknown_method')],
  ['method_deprecated', platform('method_deprecated')],
  ['deprecated_endpoint', platform('deprecated_endpoint')],
])('a method answered by %s is waited for if it is required, else done without', async (how, given) => {
  answer = given;
  isUp = true;
  for (const [method, { required }] of Object.entries(METHODS)) {
    if (method === 'auth.test') continue;
    expect([method, await call(method)]).toEqual([
      method,
      { next: required ? 'retry' : 'give-up', told: [`${method}: ${how}`] },
    ]);
  }
});

test('a missing scope is waited for, and told; who can do without the method goes on', async () => {
  answer = platform('missing_scope');
  for (const method of Object.keys(METHODS).filter((name) => name !== 'auth.test'))
    expect(await call(method)).toEqual({ next: 'retry', told: [`${method}: missing_scope`] });
});

test.each([404, 405, 501])(
  'while every method is answered HTTP %i, it is not the method: all wait, nothing is told',
  async (status) => {
    answer = { status, body: '' };
    isUp = false;
    for (const method of Object.keys(METHODS).filter((name) => name !== 'auth.test'))
      expect([method, await call(method)]).toEqual([method, { next: 'retry', told: [] }]);
  },
);

test('a missing method is logged once, kept for the doctor for a day, and taken back when it is answered', async () => {
  const { database } = await bridgeDatabase(2);
  const lines: { event?: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as { event?: string }) };
  const log = createLog({ level: 'warn', pretty: false, destination });
  let now = new Date('2026-01-05T09:00:00.000Z');
  const open = async () => {
    const missing = new MissingMethods({ db: database.db, clock: { now: () => now }, log });
    await missing.load();
    return missing;
  };
  const stored = () => readMissingMethods(database.db, now);

  const first = await open();
  for (let times = 0; times < 3; times++) first.notOffered('users.conversations', 'HTTP 404');
  first.notOffered('chat.update', 'unknown_method');
  await first.stored();
  expect(lines.map(({ event }) => event)).toEqual(['chat.method_missing', 'chat.method_missing']);
  expect(await stored()).toEqual([
    { method: 'chat.update', answer: 'unknown_method' },
    { method: 'users.conversations', answer: 'HTTP 404' },
  ]);
  const second = await open();
  second.offered('users.conversations');
  second.offered('users.info');
  await second.stored();
  expect(await stored()).toEqual([{ method: 'chat.update', answer: 'unknown_method' }]);
  now = new Date('2026-01-06T09:00:00.000Z');
  expect(await stored()).toEqual([]);
});

test.each([
  [[], 'ok', 'Slack offers every method that was called.'],
  [
    [{ method: 'users.conversations', answer: 'HTTP 404' }],
    'warn',
    'Slack does not offer users.conversations (HTTP 404): lost messages are only looked for in linked channels and in threads of tickets.',
  ],
  [
    [{ method: 'chat.postMessage', answer: 'unknown_method' }],
    'bad',
    'Slack does not offer chat.postMessage (unknown_method): nothing is posted.',
  ],
])('the doctor says of %j that it is %s', (missing, state, says) => {
  const findings = checkChat({ ...HEALTHY_CHAT, missing });
  expect(findings.find(({ id }) => id === 'chat.methods')).toMatchObject({ state, says });
});
