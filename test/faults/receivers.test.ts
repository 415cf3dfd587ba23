import { createServer as createPlainServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';

import { describe, expect, onTestFinished, test } from 'vitest';

import { createEgress, type Egress, EGRESS_LIMITS, type EgressOutcome } from '../../src/platform/egress.ts';
import { attemptResult } from '../../src/service/delivery/result.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';
/** Expired in 2021, for localhost; no client trusts it. */
const CERTIFICATE = readFileSync(new URL('./expired-certificate.pem', import.meta.url), 'utf8');

/** An answer that comes may take its time: on a busy machine, the receiver in this process may be held up for long. */
const PATIENT_MS = 120_000;

function egress(timeoutMs = PATIENT_MS): Egress {
  const made = createEgress({ allowPrivate: true, isExempt: () => false, timeoutMs });
  onTestFinished(() => made.stop());
  return made;
}

/** A receiver that sends raw bytes, so that it can send invalid HTTP. */
async function receiver(
  behave: (socket: Socket) => void,
  create: (
    onConnection: (socket: Socket) => void,
  ) => ReturnType<typeof createPlainServer> = createPlainServer,
): Promise<number> {
  const open = new Set<Socket>();
  const server = create((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** Sends these pieces after the first data of the request. */
const says = (...pieces: (string | Buffer)[]) => {
  return (socket: Socket) =>
    void socket.once('data', () => {
      for (const piece of pieces) socket.write(piece);
      socket.end();
    });
};
const post = (made: Egress, url: string) =>
  made.post({ url, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') });
const short = (outcome: EgressOutcome) =>
  outcome.kind === 'answered' ? `answered ${outcome.status}` : `${outcome.kind}: ${outcome.reason}`;

describe('F5 misbehaving receivers', () => {
  test.each<
    [what: string, behave: (socket: Socket) => void, outcome: RegExp, result: string, made?: () => Egress]
  >([
    ['answers 204', says('HTTP/1.1 204 No Content\r\n\r\n'), /^answered 204$/, 'delivered'],
    ['answers 410', says('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'), /^answered 410$/, 'gone'],
    ['closes the connection at once', (socket) => void socket.destroy(), /^failed: /, 'failed'],
    ['resets the connection in the middle of the status line', says('HTTP/1.1 2'), /^failed: /, 'failed'],
    [
      'accepts the request and never answers',
      () => undefined,
      /^failed: no answer in time$/,
      'failed',
      () => egress(500),
    ],
    ['does not speak HTTP', says('SSH-2.0-OpenSSH_9.2\r\n'), /^failed: /, 'failed'],
    ['sends endless headers', says(`${HEAD}x-long: ${'x'.repeat(100_000)}`), /^failed: /, 'failed'],
    ['sends invalid headers', says(`${HEAD}con tent\0-length: 3\r\n\r\nabc`), /^failed: /, 'failed'],
    [
      'sends two content lengths',
      says(`${HEAD}content-length: 3\r\ncontent-length: 5\r\n\r\nabcde`),
      /^failed: /,
      'failed',
    ],
    [
      'sends a small compression bomb',
      says(
        `${HEAD}content-encoding: gzip\r\n\r\n`,
        gzipSync(Buffer.alloc(EGRESS_LIMITS.answerBytes * 1_000)),
      ),
      /^answered 200$/,
      'delivered',
    ],
    [
      'answers 200 and aborts its body',
      says(`${HEAD}content-length: 100\r\n\r\nhalf`),
      /^answered 200$/,
      'delivered',
    ],
  ])(
    'F5 a receiver that %s is classified correctly and throws no exception',
    async (_, behave, outcome, result, made = egress) => {
      const port = await receiver(behave);
      const came = await post(made(), `http://127.0.0.1:${port}/`);
      expect(short(came)).toMatch(outcome);
      expect(attemptResult(came).kind).toBe(result);
      if (came.kind === 'answered') expect(came.body.length).toBeLessThanOrEqual(EGRESS_LIMITS.answerBytes);
    },
  );

  test('F5 a receiver that sends its headers byte by byte is cut off at the timeout of the whole response, not of each byte', async () => {
    const port = await receiver((socket) => {
      const text = `${HEAD}x: ${'y'.repeat(10_000)}`;
      let sent = 0;
      const drip = setInterval(() => socket.write(text[sent++] ?? 'y'), 30);
      socket.on('close', () => clearInterval(drip));
    });
    expect(short(await post(egress(500), `http://127.0.0.1:${port}/`))).toBe('failed: no answer in time');
  });

  test('F5 a receiver that answers 200 after the timeout has failed: the delivery is repeated', async () => {
    const given = Promise.withResolvers<undefined>();
    const port = await receiver((socket) => {
      socket.once('data', () => void given.promise.then(() => socket.end(`${HEAD}\r\n`)));
    });
    const came = await post(egress(300), `http://127.0.0.1:${port}/`);
    given.resolve(undefined);
    expect(attemptResult(came)).toMatchObject({ kind: 'failed', error: 'no answer in time' });
  });

  test('F5 a receiver without TLS, or with an expired or wrong certificate, gets no data', async () => {
    const heard: string[] = [];
    const tls = await receiver(
      (socket) => void socket.on('data', (data) => heard.push(data.toString())),
      (onConnection) => createTlsServer({ key: CERTIFICATE, cert: CERTIFICATE }, onConnection),
    );
    const plain = await receiver(says(`${HEAD}\r\n`));
    const made = egress();
    expect(short(await post(made, `https://127.0.0.1:${plain}/`))).toMatch(/^failed: ERR_SSL_/);
    expect(short(await post(made, `https://localhost:${tls}/`))).toMatch(
      /^failed: (DEPTH_ZERO_SELF_SIGNED_CERT|CERT_HAS_EXPIRED)$/,
    );
    expect(heard).toEqual([]);
  });

  test('F5 a receiver with an unresolvable name gets no data, and the delivery is retried', async () => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const made = createEgress({
      allowPrivate: false,
      isExempt: () => false,
      timeoutMs: PATIENT_MS,
      lookup: (_name, _options, callback) => callback(unknown, []),
    });
    onTestFinished(() => made.stop());
    const came = await post(made, 'https://receiver.example/');
    expect([short(came), attemptResult(came).kind]).toEqual(['failed: ENOTFOUND', 'failed']);
  });
});
