/**
 * Preloaded into a program (`watched.ts`): tells over the socket WATCH_SOCKET which routes it has, how long its event
 * loop was held by one turn, and how much its heap grew.
 *
 * A turn is measured in CPU time of its thread, while `monitorEventLoopDelay` measures time on the wall: on a busy
 * machine the thread waits for a core, which is not the program's fault.
 */
import { subscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import v8 from 'node:v8';
import vm from 'node:vm';

import type { FastifyInstance } from 'fastify';

import type { Held, ServedRoute } from './watched.ts';

const LOOK_EVERY_MS = 5;

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

const servers: { app: FastifyInstance; routes: ServedRoute[] }[] = [];
// Fastify names its servers there when they are made.
subscribe('fastify.initialization', (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance };
  const routes: ServedRoute[] = [];
  servers.push({ app, routes });
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, url });
  });
});

let cpuBefore = process.threadCpuUsage();
/** What was in use when garbage was collected last. Nothing grows until the watch begins. */
let inUse = Infinity;
let heapBefore = Infinity;
let collectedAt = 0;
let held: Held = { turnMs: 0, heapBytes: 0 };

/**
 * To collect garbage takes longer than most requests, and a program that is kept busy by it looks slower than it is. So
 * the heap may grow by some garbage: what is in use is looked at only where it could be over the limit of the drill (64
 * MB), and some times a second.
 */
const MAYBE_GARBAGE_BYTES = 60 * 1024 * 1024;
const MORE_GARBAGE_BYTES = 12 * 1024 * 1024;
const COLLECT_EVERY_MS = 250;

/** With the memory outside of the heap that belongs to its objects. */
function heapNow(): number {
  const { used_heap_size: used, external_memory: external } = v8.getHeapStatistics();
  return used + external;
}

function collect(): void {
  collectGarbage();
  inUse = heapNow();
  collectedAt = performance.now();
}

function look(): void {
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const now = heapNow();
  let grown = now - heapBefore;
  if (grown > MAYBE_GARBAGE_BYTES) {
    const isDue = performance.now() - collectedAt > COLLECT_EVERY_MS;
    if (isDue && now - inUse > MORE_GARBAGE_BYTES) collect();
    grown = inUse - heapBefore;
  }
  held = {
    turnMs: Math.max(held.turnMs, (user + system) / 1_000),
    heapBytes: Math.max(held.heapBytes, grown),
  };
  // The look itself is nobody's turn.
  cpuBefore = process.threadCpuUsage();
}
setInterval(look, LOOK_EVERY_MS).unref();

/**
 * The garbage of earlier requests is not collected before each one: what is in use after a collection changes little.
 */
function begin(): void {
  if (heapNow() - inUse > MORE_GARBAGE_BYTES || inUse === Infinity) collect();
  heapBefore = inUse;
  cpuBefore = process.threadCpuUsage();
  held = { turnMs: 0, heapBytes: 0 };
}

function routesOf(port: number): ServedRoute[] {
  const served = servers.find(({ app }) => (app.server.address() as AddressInfo | null)?.port === port);
  return served?.routes ?? [];
}

async function answerTo(path: string, port: string | undefined): Promise<unknown> {
  switch (path) {
    case '/begin':
      begin();
      return held;
    case '/routes':
      return routesOf(Number(port));
    case '/slowness':
      // Only where it is asked for: the library's code is in the heap then.
      return (await import('../../harness/machine.ts')).slownessNow();
    default:
      look();
      return held;
  }
}

createServer((request, response) => {
  const [path = '', port] = (request.url ?? '').split('?');
  void answerTo(path, port).then((answer) => response.end(JSON.stringify(answer)));
})
  // Processes that the program starts, to build its sources for example, have its environment: it is the one that is
  // watched, and listens already.
  .on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
  })
  .listen(process.env['WATCH_SOCKET'])
  .unref();
