import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished } from 'vitest';

/** One pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The service with a picture next to its API, at the one private address that the desk may call. */
export async function serviceWithFiles(target: string, files: Record<string, [type: string, body: Buffer]>) {
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const file = files[path];
    if (file) {
      asked.push(path);
      expect(request.headers['x-service-api-token']).toBeUndefined();
      response.writeHead(200, { 'content-type': file[0] }).end(file[1]);
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { 'x-service-api-token': token = '' } = request.headers;
    const passed = await fetch(`${target}${path}`, {
      method: request.method ?? 'GET',
      headers: { 'x-service-api-token': String(token), 'content-type': 'application/json' },
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    });
    response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
