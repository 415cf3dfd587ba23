import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';

import { afterEach, describe, expect, it } from 'vitest';

import { errorEnvelope } from '../../src/contract/errors.ts';
import { systemClock } from '../../src/platform/clock.ts';
import {
  createHttpServer,
  frameworkProblem,
  type HttpServer,
  ListenError,
  NotReady,
  receiveJsonBodies,
  receiveRawBodies,
} from '../../src/platform/http/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { until } from '../harness/until.ts';

const started: HttpServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

interface Line {
  msg: string;
  [key: string]: unknown;
}

async function start(
  register: (server: HttpServer) => void = () => undefined,
  { port = 0, ...more }: { port?: number; slowReaderMs?: number } = {},
) {
  const lines: Line[] = [];
  const log = createLog({
    level: 'info',
    pretty: false,
    destination: { write: (line) => void lines.push(JSON.parse(line) as Line) },
  });
  const server = createHttpServer({
    log,
    newId: createIds(systemClock),
    metrics: createMetrics(),
    host: '127.0.0.1',
    port,
    ...more,
  });
  register(server);
  const address = await server.listen();
  started.push(server);
  return { url: `http://127.0.0.1:${address.port}`, lines, server, port: address.port };
}

describe('the HTTP server', () => {
  it('gives every request an id, accepts a valid one, and logs one line without the query', async () => {
    const { url, lines } = await start((server) => server.app.get('/things/:id', () => ({ ok: true })));
    const own = await fetch(`${url}/things/private-words?apiKey=planted-secret`, {
      headers: { 'x-request-id': 'caller-1' },
    });
    expect(own.headers.get('x-request-id')).toBe('caller-1');
    expect(own.headers.get('x-content-type-options')).toBe('nosniff');
    for (const bad of ['has space', 'x'.repeat(65)]) {
      const made = await fetch(`${url}/things/1`, { headers: { 'x-request-id': bad } });
      expect(made.headers.get('x-request-id')).toMatch(/^req_/);
    }
    const requests = lines.filter((line) => line.msg === 'request');
    expect(requests).toHaveLength(3);
    expect(requests[0]).toMatchObject({
      method: 'GET',
      route: '/things/:id',
      status: 200,
      requestId: 'caller-1',
    });
    expect(Object.keys(requests[0] ?? {}).sort()).toEqual([
      'level',
      'method',
      'ms',
      'msg',
      'requestId',
      'route',
      'status',
      'time',
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/planted-secret|private-words/);
  });

  it('sends all of its own errors in the error envelope', async () => {
    const { url, port } = await start((server) => {
      server.app.post('/echo', (request) => request.body);
      server.app.get('/boom', () => {
        throw new Error('a secret cause');
      });
    });
    const json = { 'content-type': 'application/json' };
    const answers = {
      NOT_FOUND: await fetch(`${url}/api/nothing`),
      BAD_REQUEST: await fetch(`${url}/echo`, { method: 'POST', body: '{', headers: json }),
      PAYLOAD_TOO_LARGE: await fetch(`${url}/echo`, {
        method: 'POST',
        body: JSON.stringify('x'.repeat(1024 * 1024)),
        headers: json,
      }),
      UNSUPPORTED_MEDIA_TYPE: await fetch(`${url}/echo`, {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': 'text/csv' },
      }),
      INTERNAL_SERVER_ERROR: await fetch(`${url}/boom`),
    };
    for (const [code, answer] of Object.entries(answers)) {
      const body = errorEnvelope.parse(await answer.json());
      expect(body.code).toBe(code);
      expect(body.requestId).toBe(answer.headers.get('x-request-id'));
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
    expect(
      errorEnvelope.parse(
        JSON.parse((await raw(port, 'GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).body),
      ).code,
    ).toBe('BAD_REQUEST');
    expect(errorEnvelope.parse(JSON.parse((await raw(port, 'NONSENSE\r\n\r\n')).body)).code).toBe(
      'BAD_REQUEST',
    );
  });

  it.for<[error: object, status: number]>([
    [{ code: 'FST_ERR_CTP_EMPTY_JSON_BODY', statusCode: 400 }, 400],
    [{ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }, 413],
    [{ code: 'FST_STATIC_FORBIDDEN_PATH', statusCode: 403 }, 404],
    [{ code: 'FST_A_CODE_OF_TOMORROW', statusCode: 405 }, 405],
    [{ code: 'FST_ERR_HOOK_INVALID_TYPE', statusCode: 500 }, 500],
    [{ expose: true, statusCode: 404 }, 404],
    [{ expose: true, statusCode: 412 }, 400],
    [{ code: 'ECONNRESET', statusCode: 400 }, 400],
    // Of outgoing calls.
    [{ code: 'slack_webapi_http_error', statusCode: 404 }, 500],
    [{ code: 'UND_ERR_RESPONSE', statusCode: 429 }, 500],
    [{ code: 'ECONNRESET' }, 500],
    [new Error('boom'), 500],
  ])('answers the error %j with status %i, whatever its message', ([error, status]) => {
    expect(frameworkProblem(error).status).toBe(status);
  });

  it('limits a body while reading it, whatever its content-length', async () => {
    const { port } = await start((server) => server.app.post('/echo', () => ({})));
    const chunk = 'a'.repeat(64 * 1024);
    const chunked = Array.from({ length: 20 }, () => `10000\r\n${chunk}\r\n`).join('');
    const answer = await raw(
      port,
      `POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunked}0\r\n\r\n`,
    );
    expect(answer.head).toMatch(/^HTTP\/1.1 413/);
  });

  it('passes raw bytes to a scope that asks for them, and parsed JSON to others', async () => {
    const { url } = await start((server) => {
      server.app.register(async (scope) => {
        receiveRawBodies(scope);
        scope.post('/raw', (request) => ({ bytes: (request.body as Buffer).toString('base64') }));
      });
      server.app.post('/parsed', (request) => request.body);
    });
    const body = Buffer.from([0xff, 0x7b, 0x20]);
    const got = await fetch(`${url}/raw`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(await got.json()).toEqual({ bytes: body.toString('base64') });
    const parsed = await fetch(`${url}/parsed`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await parsed.json()).toEqual({ a: 1 });
  });

  it('counts the fields and items of a JSON body before it parses it, and nothing inside its texts', async () => {
    const { url } = await start((server) => {
      void server.app.register(async (scope) => {
        receiveJsonBodies(scope);
        scope.post('/things', ({ body }) => ({ taken: body !== undefined }));
      });
    });
    const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(',')}]`;
    const tooMany = 'The body has more than 20000 fields and items';
    const table: [what: string, body: string, answer: string | true][] = [
      ['as many items as may be', list(20_000, '0'), true],
      ['one more', list(20_001, '0'), tooMany],
      ['one more field', `{${Array.from({ length: 20_001 }, (_, at) => `"${at}":0`).join(',')}}`, tooMany],
      ['one more, in two levels', `[${list(10_000, '0')},${list(10_000, '0')}]`, tooMany],
      ['empty objects', list(20_001, '{}'), tooMany],
      ['what is not even JSON', `${list(20_001, '0')}]`, tooMany],
      ['what begins like many lists', '['.repeat(20_001), tooMany],
      ['a text of commas', JSON.stringify(',[{'.repeat(10_000)), true],
      ['a text of quotes', JSON.stringify('",'.repeat(20_001)), true],
      ['a text of backslashes', JSON.stringify('\\,'.repeat(20_001)), true],
      ['a text that ends with a backslash', `["\\\\",${list(20_000, '0')}]`, tooMany],
      ['a text that does not end', `"${','.repeat(20_001)}`, 'The body is not JSON'],
      ['a text that ends with an escape', `"${','.repeat(20_001)}\\"`, 'The body is not JSON'],
    ];
    for (const [what, body, expected] of table) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/things`, { method: 'POST', headers, body });
      const { taken, message } = (await answer.json()) as { taken?: boolean; message?: string };
      expect([what, taken ?? message]).toEqual([what, expected]);
    }
  });

  it('cuts off a client that does not take its answer, has little of it in memory, and lets others wait for theirs', async () => {
    const MEGABYTES = 200;
    let made = 0;
    const long = function* () {
      for (; made < MEGABYTES; made++) yield Buffer.alloc(1024 * 1024, 'x');
    };
    const quiet = new PassThrough();
    const { port, server } = await start(
      ({ app }) => {
        app.get('/long', (_request, reply) => reply.send(Readable.from(long())));
        app.get('/text', (_request, reply) => reply.send('x'.repeat(64 * 1024 * 1024)));
        app.get('/quiet', (_request, reply) => {
          quiet.write('event');
          return reply.send(quiet);
        });
      },
      { slowReaderMs: 200 },
    );
    /** Reads the beginning of an answer, and then no more. */
    const beginReading = (path: string) =>
      new Promise<Socket>((resolve) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`),
        );
        // As it was cut off.
        socket.on('error', () => undefined);
        socket.once('data', () => {
          socket.pause();
          resolve(socket);
        });
      });
    const connections = () =>
      new Promise<number>((resolve) => server.app.server.getConnections((_error, count) => resolve(count)));
    const waits = await beginReading('/quiet');
    for (const path of ['/long', '/text']) {
      const socket = await beginReading(path);
      const closed = once(socket, 'close');
      // The server has closed it when what is left in the network's buffers is read.
      await until(`${path} to be cut off`, async () => (await connections()) === 1);
      socket.resume();
      await closed;
    }
    expect(made).toBeLessThan(MEGABYTES / 4);
    // Nothing was there to be read: it is still open.
    const next = once(waits, 'data');
    waits.resume();
    quiet.write('another');
    const [text] = (await next) as [Buffer];
    expect(text.toString()).toContain('another');
    waits.destroy();
  });

  it('is live at once, ready when all checks pass, and serves its metrics', async () => {
    let reachable = false;
    const { url } = await start((server) => {
      server.addCheck('database', async () => {
        if (!reachable) throw new Error('away');
      });
      server.addCheck('chat', async () => 'away');
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const before = await fetch(`${url}/readyz`);
    expect([before.status, await before.json()]).toEqual([
      503,
      { status: 'not ready', checks: { database: 'failed', chat: 'away' } },
    ]);
    reachable = true;
    // A failure of another system is shown, and does not fail readiness.
    const after = await fetch(`${url}/readyz`);
    expect([after.status, await after.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', chat: 'away' } },
    ]);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'http_request_duration_seconds_count{method="GET",route="/readyz",status="503"} 1',
    );
  });

  it('says why it is not ready where everybody may know', async () => {
    const { url, lines } = await start((server) => {
      server.addCheck('chat', async () => {
        throw new NotReady('slack.com cannot be reached (ENOTFOUND)');
      });
    });
    const answer = await fetch(`${url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: 'not ready', checks: { chat: 'slack.com cannot be reached (ENOTFOUND)' } },
    ]);
    expect(lines.filter(({ msg }) => msg === 'not ready')).toEqual([]);
  });

  it('says what to do about a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const attempt = start(undefined, { port });
    await expect(attempt).rejects.toThrow(ListenError);
    await expect(attempt).rejects.toThrow(/PORT/);
    other.close();
  });

  it('stops with open keep-alive connections, and lets a running request finish', async () => {
    const reached = Promise.withResolvers<undefined>();
    const finish = Promise.withResolvers<undefined>();
    const { url, server } = await start(({ app }) => {
      app.get('/slow', async () => {
        reached.resolve(undefined);
        await finish.promise;
        return { ok: true };
      });
    });
    await (await fetch(`${url}/healthz`)).text();
    const slow = fetch(`${url}/slow`);
    await reached.promise;
    started.splice(0);
    const stopped = server.stop();
    // As long as the request runs, it has not stopped.
    const asked = () => 'asked';
    expect(
      await Promise.race([stopped.then(() => 'stopped'), fetch(`${url}/healthz`).then(asked, asked)]),
    ).toBe('asked');
    finish.resolve(undefined);
    expect((await slow).status).toBe(200);
    await stopped;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});

function raw(port: number, text: string): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let got = '';
    const finish = (): void => {
      const [head = '', body = ''] = got.split('\r\n\r\n');
      resolve({ head, body });
    };
    socket.setEncoding('utf8').on('data', (part: string) => (got += part));
    socket.on('close', finish).on('error', () => (got === '' ? reject(new Error('no answer')) : finish()));
  });
}
