import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { createEgress, type Egress, EGRESS_LIMITS, type EgressOptions } from '../../src/platform/egress.ts';

/** An answer that comes may take its time: on a busy machine, the receiver in this process may be held up for long. */
const PATIENT = { timeoutMs: 120_000 };
/** For an answer that never comes. */
const IMPATIENT = { timeoutMs: 300 };

const started: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0).reverse()) await stop();
});

async function receiver(
  listener: RequestListener,
): Promise<{ port: number; server: Server; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, server, calls };
}

function egress(options: Partial<EgressOptions> = {}): Egress {
  const made = createEgress({ allowPrivate: false, isExempt: () => false, ...PATIENT, ...options });
  started.push(() => made.stop());
  return made;
}

const call = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
});

/** A resolver that returns these answers, one after the other. */
function resolver(...answers: string[][]): LookupFunction {
  return (_hostname, options, callback) => {
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

describe('egress: allowed targets', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    'localhost',
  ])('rejects %s without opening a connection', async (host) => {
    const { port, calls } = await receiver((_request, response) => response.end());
    expect(await egress().post(call(`http://${host}:${port}/`))).toMatchObject({ kind: 'refused' });
    expect(calls).toEqual([]);
  });

  it('rejects a name that resolves to a private address; with several addresses, uses only public ones', async () => {
    const { port, calls } = await receiver((_request, response) => response.end());
    const private_ = egress({ lookup: resolver(['10.0.0.1', '127.0.0.1', '64:ff9b::7f00:1']) });
    expect(await private_.post(call(`http://receiver.example:${port}/`))).toMatchObject({ kind: 'refused' });
    const mixed = egress({ lookup: resolver(['127.0.0.1', '203.0.113.1']) });
    expect(await mixed.post(call(`http://receiver.example:${port}/`))).toMatchObject({ kind: 'refused' });
    expect(calls).toEqual([]);
  });

  it('never calls a name that changes to 127.0.0.1 after the first lookup', async () => {
    const { port, calls } = await receiver((_request, response) => response.end());
    const rebinding = egress({ lookup: resolver(['192.0.2.1'], ['127.0.0.1']) });
    for (let tries = 0; tries < 3; tries++)
      expect(await rebinding.post(call(`http://receiver.example:${port}/`))).toMatchObject({
        kind: 'refused',
      });
    expect(calls).toEqual([]);
  });

  it('allows an exempt URL exactly, and no similar one', async () => {
    const { port, calls } = await receiver((_request, response) => response.end());
    const own = `http://127.0.0.1:${port}/webhooks/service?token=abc`;
    const made = egress({ isExempt: (url) => url === own });
    expect(await made.post(call(own))).toMatchObject({ kind: 'answered', status: 200 });
    expect(await made.post(call(`${own}d`))).toMatchObject({ kind: 'refused' });
    expect(calls).toEqual(['/webhooks/service?token=abc']);
  });

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'nonsense', ''])('rejects %j', async (url) => {
    expect(await egress({ allowPrivate: true }).post(call(url))).toMatchObject({ kind: 'refused' });
  });
});

describe('egress: misbehaving receivers', () => {
  it('a redirect is the result and is not followed', async () => {
    const target = await receiver((_request, response) => response.end());
    const { port } = await receiver((_request, response) =>
      response.writeHead(301, { location: `http://127.0.0.1:${target.port}/` }).end(),
    );
    expect(await egress({ allowPrivate: true }).post(call(`http://127.0.0.1:${port}/`))).toMatchObject({
      status: 301,
    });
    expect(target.calls).toEqual([]);
  });

  it('a response that never comes fails in time', async () => {
    const { port } = await receiver(() => undefined);
    const outcome = await egress({ allowPrivate: true, ...IMPATIENT }).post(
      call(`http://127.0.0.1:${port}/`),
    );
    expect(outcome).toEqual({ kind: 'failed', reason: 'no answer in time' });
  });

  it('an endless body is cut off and the status counts', async () => {
    const { port } = await receiver((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(8_192)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const outcome = await egress({ allowPrivate: true }).post(call(`http://127.0.0.1:${port}/`));
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect(outcome.kind === 'answered' && outcome.body.length).toBe(EGRESS_LIMITS.answerBytes);
  });

  it('a body that is aborted after the status keeps the status', async () => {
    const { port } = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    expect(await egress({ allowPrivate: true }).post(call(`http://127.0.0.1:${port}/`))).toMatchObject({
      status: 200,
    });
  });

  it('a refused and a broken connection are reported as such, without the address', async () => {
    const { port, server } = await receiver((request) => request.socket.destroy());
    const made = egress({ allowPrivate: true });
    expect((await made.post(call(`http://127.0.0.1:${port}/`))).kind).toBe('failed');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await made.post(call(`http://127.0.0.1:${port}/`))).toEqual({
      kind: 'failed',
      reason: 'ECONNREFUSED',
    });
  });

  it('Retry-After is returned', async () => {
    const { port } = await receiver((_request, response) =>
      response.writeHead(429, { 'retry-after': '7' }).end(),
    );
    expect(await egress({ allowPrivate: true }).post(call(`http://127.0.0.1:${port}/`))).toMatchObject({
      status: 429,
      retryAfter: '7',
    });
  });
});

describe('egress: downloads', () => {
  const get = (port: number, path = '/') => ({ url: `http://127.0.0.1:${port}${path}`, maxBytes: 1_000 });
  const answering = (body: string | Buffer, headers: Record<string, string> = {}) =>
    receiver((_request, response) => response.writeHead(200, headers).end(body));

  it('B18 returns the bytes, the status and the content type', async () => {
    const { port } = await answering('picture', { 'content-type': 'image/png' });
    expect(await egress({ allowPrivate: true }).download(get(port))).toEqual({
      kind: 'answered',
      status: 200,
      contentType: 'image/png',
      body: Buffer.from('picture'),
    });
  });

  it('B18 a body above the limit is not read, with or without a content length', async () => {
    const told = await answering(Buffer.alloc(1_001));
    const untold = await receiver((_request, response) => {
      response.write(Buffer.alloc(600));
      response.end(Buffer.alloc(600));
    });
    const made = egress({ allowPrivate: true });
    expect(await made.download(get(told.port))).toEqual({ kind: 'too-large' });
    expect(await made.download(get(untold.port))).toEqual({ kind: 'too-large' });
  });

  it('B18 a redirect is followed, but only to allowed targets and a limited number of times', async () => {
    const { port, calls } = await receiver((request, response) => {
      const { url = '' } = request;
      if (url === '/here') response.end('here');
      else response.writeHead(302, { location: url === '/start' ? '/here' : url }).end();
    });
    const made = egress({ isExempt: (url) => !url.endsWith('/here') });
    expect(await made.download(get(port, '/start'))).toMatchObject({ kind: 'refused' });
    expect(calls).toEqual(['/start']);
    expect(await made.download(get(port, '/round'))).toEqual({
      kind: 'refused',
      reason: 'too many redirects',
    });
    expect(await egress({ allowPrivate: true }).download(get(port, '/start'))).toMatchObject({
      body: Buffer.from('here'),
    });
  });

  it('B18 an aborted body fails, and a body that never comes fails in time', async () => {
    const half = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const silent = await receiver(() => undefined);
    expect(await egress({ allowPrivate: true }).download(get(half.port))).toMatchObject({ kind: 'failed' });
    expect(await egress({ allowPrivate: true, ...IMPATIENT }).download(get(silent.port))).toEqual({
      kind: 'failed',
      reason: 'no answer in time',
    });
  });

  it('B18 a private address is rejected', async () => {
    const { port, calls } = await answering('secret');
    expect(await egress({}).download(get(port))).toMatchObject({ kind: 'refused' });
    expect(calls).toEqual([]);
  });
});

describe('egress: streams', () => {
  it('asks for the headers of each target, and calls none that is refused', async () => {
    const { port, calls } = await receiver((request, response) => {
      if (request.url === '/file') return void response.end(request.headers.authorization);
      const location = request.url === '/away' ? 'http://example.com/x' : '/file';
      response.writeHead(302, { location }).end();
    });
    const open = (path: string) =>
      egress({ allowPrivate: true }).open({
        url: `http://127.0.0.1:${port}${path}`,
        headersFor: ({ hostname }) => (hostname === '127.0.0.1' ? { authorization: 'Bearer x' } : undefined),
        signal: new AbortController().signal,
      });
    const answer = await open('/start');
    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
    if (answer.kind === 'answered') expect(await answer.body.toArray()).toEqual([Buffer.from('Bearer x')]);
    expect(await open('/away')).toEqual({ kind: 'refused', reason: 'example.com is not allowed' });
    expect(calls).toEqual(['/start', '/file', '/away']);
  });

  it('refuses a private address', async () => {
    const { port, calls } = await receiver((_request, response) => void response.end());
    const outcome = await egress().open({
      url: `http://127.0.0.1:${port}/`,
      headersFor: () => ({}),
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ kind: 'refused' });
    expect(calls).toEqual([]);
  });
});
