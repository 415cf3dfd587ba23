import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

import { describe, expect, onTestFinished, test } from 'vitest';

import {
  AnsweredError,
  createClient,
  createFileClient,
  ProxyError,
  UnreachableError,
  UnreadableError,
} from '../../src/client/index.ts';
import { NEEDED_NODE } from '../../src/client/needed-node.ts';

/** An answer that comes may take its time: on a busy machine, the server in this process may be held up for long. */
const PATIENT_MS = 120_000;

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A real server with responses that the test sets, and a record of the requests. */
async function serve(handler: Handler, { attemptTimeoutMs = PATIENT_MS } = {}) {
  const seen: { method: string; url: string; body: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', body, headers: request.headers });
      handler(request, response, body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  const client = createClient({
    baseUrl,
    token: 'secret-token-secret',
    now: () => new Date(),
    random: () => 0,
    attemptTimeoutMs,
    // For what comes before the last attempt: less than the half minute for which a rejected key waits.
    totalTimeoutMs: attemptTimeoutMs + 20_000,
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await client.close();
  });
  return { client, seen, baseUrl };
}

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
async function* bytesOf(text: string) {
  yield Buffer.from(text);
}
const caught = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
const user = {
  id: 'usr_1',
  firstName: 'Ada',
  createdAt: '2026-11-20T09:00:00.000Z',
  updatedAt: '2026-11-20T09:00:00.000Z',
};

describe('errors of a failed call', () => {
  test.each([
    [400, 'give-up', true],
    [401, 'retry', true],
    [404, 'give-up', true],
    [409, 'give-up', true],
    [422, 'give-up', true],
    [429, 'retry', true],
    [500, 'retry', false],
    [503, 'retry', false],
  ])('%i: %s, certain %s', async (status, next, certain) => {
    const { client } = await serve((_, response) =>
      json(response, status, { code: 'X', message: 'no', requestId: 'r1' }),
    );
    const error = await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } }));
    expect(error).toBeInstanceOf(AnsweredError);
    expect(error).toMatchObject({ status, next, certain, code: 'X', requestId: 'r1' });
  });

  test('a refused connection certainly had no effect', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1:1/api',
      token: 'secret-token-secret',
      now: () => new Date(),
      random: () => 0,
    });
    expect(await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } }))).toMatchObject(
      { name: 'UnreachableError', certain: true, next: 'retry' },
    );
    await client.close();
  });

  test('a connection cut after the request was sent may have had an effect', async () => {
    const { client } = await serve((request) => request.socket.destroy());
    expect(await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } }))).toMatchObject(
      { certain: false },
    );
  });

  test('a response that never comes ends with the timeout of the attempt', async () => {
    const { client } = await serve(() => undefined, { attemptTimeoutMs: 300 });
    const error = await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } }));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).toMatchObject({ certain: false });
  });

  test('a response of an unknown shape is an error', async () => {
    const { client } = await serve((_, response) => json(response, 200, { nonsense: true }));
    expect(
      await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } })),
    ).toBeInstanceOf(UnreadableError);
  });

  test('a nested error body is parsed, and no part of the error contains the key', async () => {
    const { client } = await serve((_, response) =>
      json(response, 422, { error: { code: 'NOPE', message: 'because' } }),
    );
    const error = await caught(client.listUsers({}));
    expect(error).toMatchObject({ code: 'NOPE', detail: 'because' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-token');
  });
});

const PAGE = '<html><body>Not the service</body></html>';
const page = (response: ServerResponse, status: number, body = PAGE) => {
  response.writeHead(status, { 'content-type': 'text/html', location: '/sorry' }).end(body);
};

describe('something in front of the service answers in its place', () => {
  /** Statuses, bodies, and what is next. */
  const ANSWERS: [number, string, 'retry' | 'give-up'][] = [
    [301, PAGE, 'retry'],
    [302, '', 'retry'],
    [307, '{"code":"MOVED","message":"over there"}', 'retry'],
    [400, PAGE, 'give-up'],
    [401, PAGE, 'retry'],
    [403, PAGE, 'retry'],
    [404, PAGE, 'retry'],
    [404, '', 'retry'],
    [404, '"Not found"', 'retry'],
    [404, '[]', 'retry'],
    [405, PAGE, 'retry'],
    [407, PAGE, 'retry'],
    [409, PAGE, 'retry'],
    [410, PAGE, 'retry'],
    [413, PAGE, 'give-up'],
    [414, PAGE, 'give-up'],
    [422, PAGE, 'give-up'],
    [431, PAGE, 'give-up'],
    [502, PAGE, 'retry'],
  ];

  test.each(ANSWERS)('%i %j: %s', async (status, body, next) => {
    const { client, baseUrl } = await serve((_, response) => page(response, status, body));
    const isProxys = next === 'retry' && status < 500;
    const error = await caught(client.deleteTicketMessage({ params: { id: 'msg_1' } }));
    expect(error).toBeInstanceOf(isProxys ? ProxyError : AnsweredError);
    expect(error).toMatchObject({ status, next, certain: status < 500 });
    const files = createFileClient({ baseUrl, token: 'secret-token-secret' });
    onTestFinished(() => files.close());
    const upload = { ticketId: 'tkt_1', name: 'a.txt', bytes: bytesOf('text') };
    expect(await caught(files.upload(upload))).toMatchObject({ status, next });
  });

  test('an uploaded file that is answered with a page of success is an error that passes', async () => {
    const { baseUrl } = await serve((_, response) => page(response, 200));
    const files = createFileClient({ baseUrl, token: 'secret-token-secret' });
    onTestFinished(() => files.close());
    const upload = { ticketId: 'tkt_1', name: 'a.txt', bytes: bytesOf('text') };
    expect(await caught(files.upload(upload))).toBeInstanceOf(UnreadableError);
  });

  test.each([401, 403, 407])(
    '%i: a closed door is tried again as seldom as a refused key',
    async (status) => {
      const { client, seen } = await serve((_, response) => page(response, status));
      expect(await caught(client.listUsers({}))).toMatchObject({ retryAfterMs: 30_000 });
      expect(seen).toHaveLength(1);
    },
  );

  test('a page lasts until the service answers itself', async () => {
    let calls = 0;
    const { client } = await serve((_, response) =>
      ++calls < 3 ? page(response, 404) : json(response, 404, { code: 'NOT_FOUND', message: 'gone' }),
    );
    const error = await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } }));
    expect(error).toBeInstanceOf(AnsweredError);
    expect(error).toMatchObject({ next: 'give-up', missing: true, code: 'NOT_FOUND' });
    expect(calls).toBe(3);
  });

  /** Operations that another implementation may lack. */
  const OPTIONAL = [
    [
      'an extension',
      'answerChatRequest',
      { params: { id: 'req_1' }, body: { messageTs: null, error: null } },
    ],
    ['an optional operation', 'semanticSearch', { query: { query: 'words' } }],
  ] as const;

  describe.each(OPTIONAL)('%s', (_, name, input) => {
    test.each([
      [404, PAGE],
      [405, PAGE],
      [404, ''],
    ])('%i %j: the service lacks it if it answers the operations that it has', async (status, body) => {
      const { client, seen } = await serve((request, response) =>
        request.url === '/api/statuses?limit=1' ? json(response, 200, []) : page(response, status, body),
      );
      const error = await caught(client[name](input as never));
      expect(error).toBeInstanceOf(AnsweredError);
      expect(error).toMatchObject({ status, next: 'give-up', missing: true });
      // Once more after the service has proved to be there.
      expect(seen).toHaveLength(3);
    });

    test('nothing is known of it while a proxy answers everything', async () => {
      const { client } = await serve((_request, response) => page(response, 404));
      expect(await caught(client[name](input as never))).toBeInstanceOf(ProxyError);
    });

    test('it is not lacking if the service comes back while that is found out', async () => {
      let calls = 0;
      const { client } = await serve((request, response) => {
        if (++calls === 1) page(response, 404);
        else if (request.url === '/api/statuses?limit=1') json(response, 200, []);
        else json(response, 404, { code: 'NOT_FOUND', message: 'gone' });
      });
      expect(await caught(client[name](input as never))).toMatchObject({ code: 'NOT_FOUND' });
    });
  });
});

describe('retries', () => {
  test('a read is retried until it succeeds', async () => {
    let calls = 0;
    const { client } = await serve((_, response) =>
      ++calls < 3
        ? json(response, 503, {})
        : json(response, 200, { items: [user], totalCount: 1, nextCursor: null }),
    );
    expect((await client.listUsers({})).items[0]?.firstName).toBe('Ada');
    expect(calls).toBe(3);
  });

  test('a read by post is retried as well: it changes nothing', async () => {
    const { client, seen } = await serve((_, response) => json(response, 503, {}));
    await caught(
      client.countTickets({ body: { filters: [{ key: 'open', query: { openFilter: 'true' } }] } }),
    );
    expect(seen).toHaveLength(3);
  });

  test('a post is not retried: the first may have been accepted', async () => {
    const { client, seen } = await serve((_, response) => json(response, 503, {}));
    await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } }));
    expect(seen).toHaveLength(1);
  });

  test('a post with a chat pair is not retried either: not every service returns the existing record', async () => {
    const { client, seen } = await serve((_, response) => json(response, 503, {}));
    const body = { content: 'x', ticketId: 't', chatChannelId: 'C1', chatTimestamp: '1.1' };
    await caught(client.createTicketMessage({ body }));
    expect(seen).toHaveLength(1);
  });

  test('a post that certainly had no effect is retried', async () => {
    const { client, seen } = await serve((_, response) => json(response, 429, {}));
    await caught(client.createTicketMessage({ body: { content: 'x', ticketId: 't' } }));
    expect(seen).toHaveLength(3);
  });

  test('nothing is retried if the service asks for more time than is left', async () => {
    const { client, seen } = await serve((_, response) => json(response, 429, {}, { 'retry-after': '60' }));
    expect(await caught(client.listUsers({}))).toMatchObject({ retryAfterMs: 60_000 });
    expect(seen).toHaveLength(1);
  });
});

describe('requests and responses', () => {
  test('the key is sent in its header, ids are escaped in the path, empty parameters are left out', async () => {
    const { client, seen } = await serve((_, response) =>
      json(response, 200, { items: [], totalCount: 0, nextCursor: null }),
    );
    await client.listUsers({ query: { search: 'a&b', email: '', cursor: null, limit: 5 } });
    await caught(client.readTicket({ params: { id: '../users?x' } }));
    expect(seen[0]).toMatchObject({
      url: '/api/users?search=a%26b&limit=5',
      headers: { 'x-service-api-token': 'secret-token-secret' },
    });
    expect(seen[1]?.url).toBe('/api/tickets/..%2Fusers%3Fx');
  });

  test('a creation returns whether the record is new, if the service says so', async () => {
    const headers = [{ 'x-created': 'true' }, { 'x-created': 'false' }, {}];
    const { client } = await serve((_request, response) =>
      json(response, 200, { ...user, ticketId: 'tkt_1', content: 'Text' }, headers.shift()),
    );
    const create = async () =>
      (await client.createOrFind('createTicketMessage', { body: { ticketId: 'tkt_1', content: 'Text' } }))
        .created;
    expect([await create(), await create(), await create()]).toEqual([true, false, undefined]);
  });

  test('a list is read to its end by cursor', async () => {
    const { client, seen } = await serve((request, response) => {
      const last = request.url?.includes('cursor=next');
      json(response, 200, {
        items: [{ ...user, id: last ? 'usr_2' : 'usr_1' }],
        totalCount: 2,
        nextCursor: last ? null : 'next',
      });
    });
    const ids: string[] = [];
    for await (const { id } of client.all('listUsers', { query: { search: 'a' } })) ids.push(id);
    expect(ids).toEqual(['usr_1', 'usr_2']);
    expect(seen[1]?.url).toContain('search=a');
  });

  test.each([
    ['which supports offset', true],
    ['which supports no offset either', false],
  ])('a list is read to its end from a service without cursors, %s', async (_, knows) => {
    const all = Array.from({ length: 5 }, (_unused, n) => ({ ...user, id: `usr_${n}` }));
    const { client, seen } = await serve((request, response) => {
      const offset = Number(new URL(request.url ?? '', 'http://x').searchParams.get('offset'));
      json(response, 200, all.slice(knows ? offset : 0).slice(0, 2));
    });
    const ids: string[] = [];
    for await (const { id } of client.all('listUsers', { query: { limit: 2 } })) ids.push(id);
    expect(ids).toEqual(all.slice(0, knows ? 5 : 2).map(({ id }) => id));
    expect(seen).toHaveLength(knows ? 3 : 2);
  });

  test('another implementation’s bare array and missing fields are read', async () => {
    const { client } = await serve((_, response) => json(response, 200, [user]));
    const { items, totalCount } = await client.listUsers({});
    expect(totalCount).toBe(1);
    expect(items[0]).toMatchObject({ lastName: null, chatUsers: [], isBot: false });
  });
});

test('on a Node version that is too old, the client first of all says which one it needs', async () => {
  const manifest = new URL('../../node_modules/undici/package.json', import.meta.url);
  const { engines } = JSON.parse(readFileSync(manifest, 'utf8')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${NEEDED_NODE}`);
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
  const client = new URL('../../src/client/index.ts', import.meta.url).href;
  const failed = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--import',
    `data:text/javascript,${encodeURIComponent(old)}`,
    '--eval',
    `await import('${client}')`,
  ]).catch((error: unknown) => error as { stderr: string });
  expect(failed.stderr).toContain('deskbridge/client needs Node 22.19.0 or newer. This is Node 20.20.2.');
});
