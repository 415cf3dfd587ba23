import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { createWebClient } from '../../../src/bridge/slack/client.ts';
import { ChatError, unreachedBecause } from '../../../src/bridge/slack/errors.ts';
import { ChatReader } from '../../../src/bridge/slack/reader.ts';
import { systemClock } from '../../../src/platform/clock.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const says =
  (body: string, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

const NOT_SLACK = 'what answers is not Slack';

test.for<[what: string, listener: RequestListener, reason: string]>([
  ['a web page', says('<html>Please log in</html>'), NOT_SLACK],
  ['nothing', says(''), NOT_SLACK],
  ['null', says('null'), NOT_SLACK],
  ['a list', says('[]'), NOT_SLACK],
  ['a text', says('"ok"'), NOT_SLACK],
  ['a number', says('1'), NOT_SLACK],
  ['an empty object', says('{}'), NOT_SLACK],
  ['yes without an identity', says('{"ok":true}'), NOT_SLACK],
  ['an identity of other types', says('{"ok":true,"team_id":1,"user_id":{},"bot_id":[]}'), NOT_SLACK],
  ['no without an error', says('{"ok":false}'), NOT_SLACK],
  ['an error that is no text', says('{"ok":false,"error":{"code":1}}'), NOT_SLACK],
  ['a sentence as its error', says('{"ok":false,"error":"Please log in."}'), NOT_SLACK],
  [
    'half of its answer',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"ok":');
      setImmediate(() => response.destroy());
    },
    'UND_ERR_SOCKET',
  ],
  ['by hanging up', ({ socket }) => void socket.destroy(), 'UND_ERR_SOCKET'],
  ['403, as a proxy does', says('denied', 403), 'HTTP 403'],
  ['500', says('', 500), 'HTTP 500'],
  ['502', says('<html>', 502), 'HTTP 502'],
  ['429', says('', 429, { 'retry-after': '30' }), 'ratelimited'],
  ['429 without a time', says('', 429), 'ratelimited'],
  ['429 with a text as its time', says('', 429, { 'retry-after': 'soon' }), 'ratelimited'],
  ['that it failed', says('{"ok":false,"error":"internal_error"}'), 'internal_error'],
])('Slack that answers %s is tried again, and the reason is said', async ([, listener, reason]) => {
  expect(await identityAt(`http://${await serve(listener)}/api/`)).toEqual(['retry', reason]);
});

test('a port without TLS is a reason', async () => {
  const [next, reason] = await identityAt(`https://${await serve(says('{}'))}/api/`);
  expect([next, reason]).toEqual(['retry', 'ERR_SSL_WRONG_VERSION_NUMBER']);
});

async function identityAt(apiUrl: string) {
  const chat = new ChatReader(createWebClient('xoxb-test', apiUrl), systemClock);
  const error: unknown = await chat.identity().catch((thrown: unknown) => thrown);
  return [error instanceof ChatError ? error.next : String(error), unreachedBecause(error)];
}
