import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

/** What a program held since the watch began. */
export interface Held {
  /** The longest turn of its event loop, in milliseconds of CPU time. */
  turnMs: number;
  /** The most by which its heap was larger. */
  heapBytes: number;
}

export interface ServedRoute {
  method: string;
  /** In Fastify's syntax. */
  url: string;
}

export interface Watch {
  /** The environment of the program that is watched. */
  environment: Record<string, string>;
  /** Collects its garbage, and begins to measure. */
  begin(): Promise<void>;
  held(): Promise<Held>;
  /** How many times slower than stated the program is at the moment (`machine.ts`). */
  slowness(): Promise<number>;
  /** All routes of its server on this port. */
  routes(port: number): Promise<ServedRoute[]>;
}

/** A watch over a program that is started in a process of its own with its environment (`watched-process.ts`). */
export async function createWatch(): Promise<Watch> {
  const folder = await mkdtemp(path.join(tmpdir(), 'watch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const socketPath = path.join(folder, 'socket');
  const ask = (question: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // A connection that was kept may be closed at that moment.
      request(
        { socketPath, path: question, agent: false },
        (answer) => void json(answer).then(resolve, reject),
      )
        .on('error', reject)
        .end();
    });
  return {
    environment: {
      NODE_OPTIONS: `--import ${path.join(import.meta.dirname, 'watched-process.ts')}`,
      WATCH_SOCKET: socketPath,
    },
    begin: async () => void (await ask('/begin')),
    held: () => ask('/held') as Promise<Held>,
    slowness: () => ask('/slowness') as Promise<number>,
    routes: (port) => ask(`/routes?${port}`) as Promise<ServedRoute[]>,
  };
}
