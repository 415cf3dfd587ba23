import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give away by themselves (Linux from 32768, macOS from 49152): a program takes seconds
 * to listen on the port that it was given, and meanwhile no other connection may get it.
 */
const FIRST = 12_000;
/** Each of the workers that run at the same time (at most ten of them) draws from ports of its own. */
const PER_WORKER = 2_000;

const first = FIRST + (Number(process.env.VITEST_POOL_ID ?? '0') % 10) * PER_WORKER;
/** Not at the first: another run may be under way on this machine. */
let drawn = randomInt(PER_WORKER);

/** Ports that nothing listens on now, and that nobody else is given until they have all been drawn. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries++) {
    if (tries >= PER_WORKER) throw new Error(`no port from ${first} on is free`);
    const port = first + (drawn++ % PER_WORKER);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
