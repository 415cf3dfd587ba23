import { connect } from 'node:net';

import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

import { webhookEndpoint } from '../src/bridge/inbox/webhook.ts';
import { createBridgeMetrics } from '../src/bridge/metrics.ts';
import { HttpReceiver } from '../src/bridge/slack/http-receiver.ts';
import { createDesk } from '../src/desk/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createHttpServer } from '../src/platform/http/index.ts';
import { createIds } from '../src/platform/ids.ts';
import { createLog } from '../src/platform/log.ts';
import { createMetrics, createRegistry } from '../src/platform/metrics.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';
import { startTestService } from './service/harness.ts';

interface Listed {
  method: string;
  path: string;
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Collects the routes that take a body while they are registered. */
function collectRoutes(app: FastifyInstance): Listed[] {
  const routes: Listed[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (WITH_BODY.has(each)) routes.push({ method: each, path: url });
  });
  return routes;
}

/** All programs but the sandbox on one server, as `deskbridge start` mounts them. */
async function serveAll() {
  const { url, service } = await startTestService({ rateLimitPerMinute: 100_000 });
  const log = createLog({ level: 'silent', pretty: false });
  const http = createHttpServer({
    log,
    newId: createIds(systemClock),
    metrics: createMetrics(),
    host: '127.0.0.1',
    port: 0,
  });
  const routes = collectRoutes(http.app);
  await http.app.register(service.plugin, { prefix: '/api' });
  await http.app.register(service.signInPlugin, { prefix: '/auth' });
  const desks = [true, false].map((signIn) =>
    createDesk({
      service: { url, tokenHeader: 'x-service-api-token' },
      signIn,
      encryptionKeys: [Buffer.alloc(32, 'desk')],
      publicUrl: 'http://127.0.0.1',
      threadUrl: async () => undefined,
      chat: { channels: async () => undefined, members: async () => undefined },
      clock: systemClock,
      random: () => 0.5,
      log,
    }),
  );
  const [desk, keyDesk] = desks;
  if (desk) await http.app.register(desk.plugin);
  if (keyDesk) await http.app.register(keyDesk.plugin, { prefix: '/with-keys' });
  await http.app.register(webhookEndpoint(() => []));
  const receiver = new HttpReceiver({
    signingSecret: 'a-signing-secret-of-the-tests',
    intake: async () => undefined,
    reconnected: () => undefined,
    clock: systemClock,
    log,
    metrics: createBridgeMetrics(createRegistry()),
  });
  await http.app.register(receiver.plugin);
  const { port } = await http.listen();
  onTestFinished(async () => {
    await http.stop();
    await Promise.all(desks.map((each) => each.stop()));
  });
  return { routes, port };
}

/** Sends a request whose body lacks its last byte; returns the status of the answer. */
function statusOf(port: number, { method, path }: Listed, bytes: number) {
  return new Promise<number>((resolve, reject) => {
    const address = path.replaceAll(/:\w+|\*/g, 'x');
    const socket = connect(port, '127.0.0.1', () => {
      const head = [
        `${method} ${address} HTTP/1.1`,
        `host: 127.0.0.1:${port}`,
        `content-type: ${path === '/auth/link' ? 'application/x-www-form-urlencoded' : 'application/json'}`,
        // As forged by a program: a cookie that no service has given out.
        'cookie: deskbridge_session=dbs_forged',
        'sec-fetch-site: same-origin',
        `content-length: ${bytes}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${'a'.repeat(bytes - 1)}`);
    });
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(Number(answer.toString('latin1').slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${method} ${path} was cut off without an answer`)));
  });
}

/** Whoever has no key yet sends one in these; they take this many bytes. */
const KEYLESS = { paths: /^\/(auth\/link|(with-keys\/)?desk\/session)$/, bytes: 4_096 };

test('a request without a key is answered before its body is read, on every route of every program', async () => {
  const { routes, port } = await serveAll();
  expect(new Set(routes.map(({ path }) => path.split('/')[1]))).toEqual(
    new Set(['api', 'auth', 'desk', 'with-keys', 'webhooks', 'slack']),
  );
  expect(routes.length).toBeGreaterThan(200);
  const unknown = ['/', '/nothing', '/api/nothing', '/auth/nothing', '/desk/nothing', '/desk/assets/x'];
  const asked = [...routes, ...unknown.map((path) => ({ method: 'POST', path }))];
  for (const route of asked) {
    const isOpen = KEYLESS.paths.test(route.path);
    const status = await statusOf(port, route, isOpen ? KEYLESS.bytes + 2 : 600);
    expect([route.method, route.path, status >= 300 && status < 500]).toEqual([
      route.method,
      route.path,
      true,
    ]);
  }
});

test('the sandbox reads no large body of whom it does not know', async () => {
  const { port } = await openSandbox();
  const table: [path: string, bytes: number, status: number][] = [
    ['/nothing', 600, 404],
    ['/response/unknown', 300_000, 404],
    ['/upload/v1/unknown', 600, 404],
    ['/api/chat.postMessage', 300_000, 413],
  ];
  for (const [path, bytes, status] of table)
    expect([path, await statusOf(port, { method: 'POST', path }, bytes)]).toEqual([path, status]);
});
