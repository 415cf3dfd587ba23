import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Behaviour = (response: ServerResponse, received: Received) => void;

export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end();

/** A webhook receiver on a real port. Each call uses the next behaviour, and then the last one forever. */
export async function startReceiver(...behaviours: Behaviour[]) {
  const calls: Received[] = [];
  const waiting: { count: number; resolve: (calls: Received[]) => void }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const received = { path: request.url ?? '', headers: request.headers, body };
      calls.push(received);
      const behave = (behaviours.length > 1 ? behaviours.shift() : behaviours[0]) ?? answers(200);
      behave(response, received);
      for (const waiter of waiting) if (calls.length >= waiter.count) waiter.resolve(calls);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls,
    /** Resolves when this many calls have arrived in total. */
    received(count: number): Promise<Received[]> {
      if (calls.length >= count) return Promise.resolve(calls);
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    /** Ends every connection, so that waiting clients get an error. */
    hangUp: () => server.closeAllConnections(),
    behave: (...next: Behaviour[]) => void behaviours.splice(0, behaviours.length, ...next),
  };
}
