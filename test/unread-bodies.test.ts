import { connect } from 'node:net';

import { expect, test } from 'vitest';

import { type BodyRoute, servePrograms, statusIn } from './harness/serve-programs.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';

/** Sends a request whose body lacks its last byte; returns the status of the answer. */
function statusOf(port: number, { method, path }: BodyRoute, bytes: number) {
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
      resolve(statusIn(answer));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${method} ${path} was cut off without an answer`)));
  });
}

/** People without a session send their key to these routes, and programs without a token ask for one; they take this many bytes. */
const KEYLESS = {
  paths: /^\/(auth\/link|oauth\/(register|token|revoke)|(with-keys\/)?desk\/session)$/,
  bytes: 4_096,
};

test('a request without a key is answered before its body is read, on every route of every program', async () => {
  const { routes, port } = await servePrograms();
  expect(new Set(routes.map(({ path }) => path.split('/')[1]))).toEqual(
    new Set(['api', 'auth', 'desk', 'mcp', 'oauth', 'with-keys', 'webhooks', 'slack']),
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
