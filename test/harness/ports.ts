import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the ephemeral ports (Linux from 32768, macOS from 49152): a program takes seconds to listen on its
 * port, and meanwhile no outgoing connection may get it.
 */
const FIRST = 12_000;
const END = 32_000;
/** Ports per process; they are reused once all were drawn. */
export const BLOCK = 250;

let claimed: Promise<number> | undefined;
let nextPort = 0;

/** Free ports that no other test gets, in this run or another one on this machine. */
export async function freePorts(count: number): Promise<number[]> {
  const first = await (claimed ??= claimBlock());
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries++) {
    if (tries >= BLOCK) throw new Error(`no port from ${first} on is free`);
    const port = first + 1 + (nextPort++ % (BLOCK - 1));
    const server = await tryListen(port);
    if (!server) continue;
    server.close();
    await once(server, 'close');
    ports.push(port);
  }
  return ports;
}

/** Claims a block by listening on its first port for as long as this process lives. */
async function claimBlock(): Promise<number> {
  const blocks = (END - FIRST) / BLOCK;
  for (let tries = 0; tries < blocks; tries++) {
    // By process id, so that concurrent processes seldom collide.
    const first = FIRST + ((process.pid + tries) % blocks) * BLOCK;
    const server = await tryListen(first);
    if (server) {
      server.unref();
      return first;
    }
  }
  throw new Error(`every block of ports from ${FIRST} on is taken`);
}

async function tryListen(port: number): Promise<Server | undefined> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
