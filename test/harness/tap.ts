import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { onTestFinished } from 'vitest';

/**
 * A step of an exchange: the request has arrived and is not forwarded yet, the response has arrived and is
 * not forwarded yet, or the exchange is over.
 */
export interface TapPoint {
  tap: string;
  when: 'arrived' | 'answered' | 'passed';
  request: string;
  /** Bytes of the request's body, or, from `answered` on, the response's. */
  bytes: number;
}

export interface Tap {
  url: string;
  /** The URL that requests are forwarded to. */
  target: string;
  /** Headers that requests are forwarded with, beside their own. */
  headers: Record<string, string>;
}

/**
 * What becomes of an exchange: `drop` closes the connection, `cut` closes it in the middle of the response, `fail` answers
 * 500 and `lack` 404 instead of forwarding the request, and `spoil` changes a byte in the middle of the request.
 */
export type TapAction = 'go on' | 'drop' | 'cut' | 'fail' | 'lack' | 'spoil';

/**
 * An HTTP proxy between two of our programs that calls `onStep` at each step of each exchange, which may also kill the
 * process on either side.
 */
export async function startTap(
  name: string,
  target: string,
  onStep: (point: TapPoint) => Promise<TapAction>,
): Promise<Tap> {
  const tap: Tap = { url: '', target, headers: {} };
  const server = createServer((incoming, outgoing) => {
    exchange(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function exchange(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const summary = `${incoming.method ?? ''} ${(incoming.url ?? '').replace(/\?.*/, '')}`;
    const body = await bytesOf(incoming);
    const point = { tap: name, request: summary };
    const action = await onStep({ ...point, when: 'arrived', bytes: body.length });
    if (action === 'drop') return void outgoing.destroy();
    if (action === 'fail') return void outgoing.writeHead(500).end();
    if (action === 'lack') return void outgoing.writeHead(404).end();
    const middle = body.length >> 1;
    if (action === 'spoil') body[middle] = (body[middle] ?? 0) ^ 1;
    const { host } = new URL(tap.target);
    const onward = request(`${tap.target}${incoming.url ?? ''}`, {
      method: incoming.method,
      headers: { ...incoming.headers, host, ...tap.headers },
    });
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const answered = await bytesOf(answer);
    const back = await onStep({ ...point, when: 'answered', bytes: answered.length });
    if (back === 'drop') return void outgoing.destroy();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (back === 'cut')
      return void outgoing.write(answered.subarray(0, answered.length >> 1), () => outgoing.destroy());
    outgoing.end(answered);
    await once(outgoing, 'close');
    await onStep({ ...point, when: 'passed', bytes: answered.length });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  tap.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close').catch(() => undefined);
  });
  return tap;
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Delays each request by the `pace` at its arrival. */
export function delayedBy(pace: { ms: number }): (point: TapPoint) => Promise<'go on'> {
  return async ({ when }) => {
    if (when === 'arrived') await pause(pace.ms);
    return 'go on';
  };
}
