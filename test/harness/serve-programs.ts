import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';

import { webhookEndpoint } from '../../src/bridge/entry/webhook.ts';
import { createBridgeMetrics } from '../../src/bridge/metrics.ts';
import { HttpReceiver } from '../../src/bridge/slack/http-receiver.ts';
import { createDesk, type Desk } from '../../src/desk/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createHttpServer } from '../../src/platform/http/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics, createRegistry } from '../../src/platform/metrics.ts';
import { docsPlugin } from '../../src/service/index.ts';
import { type Running, startTestService } from '../service/harness.ts';

/** A route that takes a body. */
export interface BodyRoute {
  method: string;
  path: string;
}

export interface ServedPrograms extends Running {
  port: number;
  routes: BodyRoute[];
}

/**
 * All programs but the sandbox on one server, as `deskbridge start` mounts them, and a desk that takes API keys below
 * `/with-keys`; until the end of the test.
 */
export async function servePrograms(): Promise<ServedPrograms> {
  const running = await startTestService();
  const { service, url } = running;
  const log = createLog({ level: 'silent', pretty: false });
  const http = createHttpServer({
    log,
    newId: createIds(systemClock),
    metrics: createMetrics(),
    host: '127.0.0.1',
    port: 0,
  });
  const openDesk = (signIn: boolean): Desk =>
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
    });
  const receiver = new HttpReceiver({
    signingSecret: 'a-signing-secret-of-the-tests',
    intake: async () => undefined,
    reconnected: () => undefined,
    clock: systemClock,
    log,
    metrics: createBridgeMetrics(createRegistry()),
  });
  const desk = openDesk(true);
  const deskWithKeys = openDesk(false);
  const routes = collectBodyRoutes(http.app);
  await http.app.register(service.plugin, { prefix: '/api' });
  await http.app.register(service.mcpPlugin, { prefix: '/mcp' });
  await http.app.register(service.oauthPlugin);
  await http.app.register(service.signInPlugin, { prefix: '/auth' });
  await http.app.register(docsPlugin('1.2.3'));
  await http.app.register(desk.plugin);
  await http.app.register(deskWithKeys.plugin, { prefix: '/with-keys' });
  await http.app.register(webhookEndpoint(() => []));
  await http.app.register(receiver.plugin);
  http.setNotFoundPage(desk.notFoundPage);
  const { port } = await http.listen();
  onTestFinished(async () => {
    await http.stop();
    await desk.stop();
    await deskWithKeys.stop();
  });
  return { ...running, port, routes };
}

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Collects the routes that take a body while they are registered. */
function collectBodyRoutes(app: FastifyInstance): BodyRoute[] {
  const routes: BodyRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat())
      if (METHODS_WITH_BODY.has(each)) routes.push({ method: each, path: url });
  });
  return routes;
}

/** Returns the status in the first bytes of an answer. */
export function statusIn(answer: Buffer): number {
  return Number(answer.toString('latin1').slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
}
