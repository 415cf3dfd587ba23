import { once } from 'node:events';
import { createServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { dateAnswers } from './time.ts';

test('an answer is dated by the simulated clock, not by the machine’s, so that a trace is the same on any day', async () => {
  const before = Object.getOwnPropertyDescriptors(ServerResponse.prototype);
  onTestFinished(() => void Object.defineProperties(ServerResponse.prototype, before));
  dateAnswers(() => Date.parse('2026-03-02T09:00:00.700Z'));
  const server = createServer((request, response) => {
    if (request.url === '/raw') response.writeHead(200, { 'content-type': 'text/plain' });
    if (request.url === '/own') response.setHeader('date', 'Sun, 01 Mar 2026 00:00:00 GMT');
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dateOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).headers.get(
      'date',
    );
  expect(await dateOf('/')).toBe('Mon, 02 Mar 2026 09:00:00 GMT');
  expect(await dateOf('/raw')).toBe('Mon, 02 Mar 2026 09:00:00 GMT');
  expect(await dateOf('/own')).toBe('Sun, 01 Mar 2026 00:00:00 GMT');
});
