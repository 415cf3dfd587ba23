import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

import { SocketReceiver } from '../../../src/bridge/slack/socket-receiver.ts';
import { createBridgeMetrics } from '../../../src/bridge/metrics.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createRegistry } from '../../../src/platform/metrics.ts';
import { until } from '../../harness/until.ts';
import { openSandbox } from '../../sandbox/open-sandbox.ts';
import { SEED } from '../../sandbox/seed.ts';

test('the rate limit notice, which has no event, is accepted like the events around it', async () => {
  const sandbox = await openSandbox({ seed: { ...SEED, app: { ...SEED.app, eventsPerHour: 2 } } });
  const heard: string[] = [];
  const receiver = new SocketReceiver({
    appToken: SEED.app.appToken,
    apiUrl: sandbox.apiUrl,
    intake: async (body) => {
      heard.push(JSON.stringify(body));
    },
    reconnected: () => undefined,
    log: createLog({ level: 'silent', pretty: false }),
    metrics: createBridgeMetrics(createRegistry()),
  });
  onTestFinished(() => receiver.stop());
  await receiver.start();
  for (const text of ['one', 'two', 'three', 'four'])
    await sandbox.control.message({ channel: 'it-help', user: 'ada', text });
  await until('everything to be acknowledged', async () => sandbox.control.state().undelivered === 0);
  expect(heard.map((body) => /one|two|three|four|app_rate_limited/.exec(body)?.[0])).toEqual([
    'one',
    'two',
    'app_rate_limited',
  ]);
  expect(receiver.connected).toBe(true);
});

const envelope = (id: string, event: unknown) =>
  JSON.stringify({ type: 'events_api', envelope_id: id, payload: { event } });

test('what is larger or deeper than any envelope, or not JSON, is neither parsed nor acknowledged, and the events around it are', async () => {
  const told = Promise.withResolvers<WebSocket>();
  const server = createServer((_, response) => {
    const { port } = server.address() as AddressInfo;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => told.resolve(socket));
  const heard: unknown[] = [];
  const lines: string[] = [];
  const receiver = new SocketReceiver({
    appToken: SEED.app.appToken,
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    intake: async (body) => {
      heard.push(body);
    },
    reconnected: () => undefined,
    log: createLog({ level: 'warn', pretty: false, destination: { write: (line) => lines.push(line) } }),
    metrics: createBridgeMetrics(createRegistry()),
  });
  onTestFinished(async () => {
    await receiver.stop();
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  const started = receiver.start();
  const socket = await told.promise;
  const acknowledged: string[] = [];
  const last = Promise.withResolvers<undefined>();
  socket.on('message', (data) => {
    const { envelope_id: id } = JSON.parse((data as Buffer).toString()) as { envelope_id: string };
    acknowledged.push(id);
    if (id === 'after') last.resolve(undefined);
  });
  socket.send(JSON.stringify({ type: 'hello' }));
  await started;
  const message = { type: 'message', text: 'hello' };
  for (const text of [
    envelope('before', message),
    envelope('large', { ...message, text: 'x'.repeat(2 * 1024 * 1024) }),
    envelope('many', { ...message, blocks: Array.from({ length: 60_000 }, () => 0) }),
    `{"type":"events_api","envelope_id":"deep","payload":{"event":${'['.repeat(500)}${']'.repeat(500)}}}`,
    'not JSON',
    envelope('after', message),
  ])
    socket.send(text);
  await last.promise;
  expect(acknowledged).toEqual(['before', 'after']);
  expect(heard).toHaveLength(2);
  expect(lines.filter((line) => line.includes('envelope.refused'))).toHaveLength(4);
  expect(receiver.connected).toBe(true);
});
