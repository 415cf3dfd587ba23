import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';

import { Agent, errors, request } from 'undici';

import { isPublicAddress, literalAddress } from './address-guard.ts';
import type { Running } from './lifecycle.ts';

/** Limits of an outgoing call to a user-supplied URL (docs/api.md, Webhooks). */
export const EGRESS_LIMITS = {
  /** For the whole exchange, from the DNS lookup to the last byte. */
  timeoutMs: 15_000,
  /** Bytes read of a response; the connection is then closed. */
  answerBytes: 16 * 1024,
  /** Concurrent connections per origin. */
  connectionsPerOrigin: 8,
  /** For a whole download, including redirects. */
  downloadMs: 60_000,
  /** Redirects followed by a download. */
  redirects: 3,
} as const;

export interface EgressRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Ends the call early, with the outcome `failed`. */
  signal?: AbortSignal;
}

/** Outcome of a call. `refused`: never sent; `failed`: it is unknown whether it arrived. */
export type EgressOutcome =
  | { kind: 'answered'; status: number; retryAfter: string | null; body: Buffer }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

/** Outcome of a download. `refused` and `too-large` are permanent, `failed` may be temporary. */
export type DownloadOutcome =
  | { kind: 'answered'; status: number; contentType: string; body: Buffer<ArrayBuffer> }
  | { kind: 'too-large' }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

/** A response whose body is read as it arrives. */
export interface OpenDownload {
  kind: 'answered';
  status: number;
  contentType: string;
  retryAfter: string | null;
  /** What the sender says of the body's length; undefined if it does not. */
  bytes: number | undefined;
  /** Which part of the whole the body is, of a partial answer. */
  contentRange: string | null;
  etag: string | null;
  /** To be read to its end, or destroyed. */
  body: Readable;
}

export interface Egress extends Running {
  /**
   * Sends one GET and leaves its body to the caller; follows redirects and checks each target like the first URL. Every
   * wait has a time limit, the whole exchange has none. Never throws; the body may fail while it is read.
   * @param headersFor the headers for a target, the first or one of a redirect; undefined refuses it.
   */
  open(call: {
    url: string;
    headersFor: (target: URL) => Record<string, string> | undefined;
    signal: AbortSignal;
  }): Promise<OpenDownload | Exclude<EgressOutcome, { kind: 'answered' }>>;
  /** Sends one GET; follows redirects and checks each target like the first URL. Never throws. */
  download(call: { url: string; maxBytes: number }): Promise<DownloadOutcome>;
  /** Sends one POST: no redirects, no retries. Never throws. */
  post(call: EgressRequest): Promise<EgressOutcome>;
}

export interface EgressOptions {
  /** Allows all addresses; for networks whose receivers are private by design. */
  allowPrivate: boolean;
  /** Returns whether a URL, compared exactly, may be private. */
  isExempt: (url: string) => boolean;
  timeoutMs?: number;
  /** The resolver behind the guard; default the system's. */
  lookup?: LookupFunction;
}

class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * Makes HTTP calls to user-supplied URLs. Two checks keep it out of private networks: the URL's host if it is an IP
 * address, and the resolver's answer if it is a name. The connection then uses that very answer, so a DNS record that
 * changes between check and connect has no effect. Ignores the environment's proxy settings.
 */
export function createEgress(options: EgressOptions): Egress {
  const timeoutMs = options.timeoutMs ?? EGRESS_LIMITS.timeoutMs;
  const resolve = options.lookup ?? systemLookup;
  const agent = (lookup: LookupFunction) =>
    new Agent({
      connections: EGRESS_LIMITS.connectionsPerOrigin,
      pipelining: 1,
      connect: { lookup, timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  const open = agent(resolve);
  const guarded = agent(guardedLookup(resolve));

  /** Returns the target of a call and the dispatcher for it. */
  const routeTo = (url: string): { target: URL; dispatcher: Agent } | { kind: 'refused'; reason: string } => {
    const target = URL.parse(url);
    if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:'))
      return { kind: 'refused', reason: 'not an http or https address' };
    const mayBePrivate = options.allowPrivate || options.isExempt(url);
    const literal = literalAddress(target);
    if (!mayBePrivate && literal !== undefined && !isPublicAddress(literal))
      return { kind: 'refused', reason: 'the address is not public' };
    return { target, dispatcher: mayBePrivate ? open : guarded };
  };

  return {
    async open({ url, headersFor, signal }) {
      let next = url;
      for (let hop = 0; hop <= EGRESS_LIMITS.redirects; hop++) {
        const route = routeTo(next);
        if ('kind' in route) return route;
        const headers = headersFor(route.target);
        if (!headers) return { kind: 'refused', reason: `${route.target.host} is not allowed` };
        try {
          const answer = await request(route.target, { dispatcher: route.dispatcher, signal, headers });
          const location = firstValue(answer.headers.location);
          if (answer.statusCode >= 300 && answer.statusCode < 400 && location !== null) {
            leave(answer.body);
            next = URL.parse(location, next)?.href ?? '';
            continue;
          }
          const length = firstValue(answer.headers['content-length']);
          return {
            kind: 'answered',
            status: answer.statusCode,
            contentType: firstValue(answer.headers['content-type']) ?? '',
            retryAfter: firstValue(answer.headers['retry-after']),
            bytes: length === null ? undefined : Number(length),
            contentRange: firstValue(answer.headers['content-range']),
            etag: firstValue(answer.headers.etag),
            body: answer.body,
          };
        } catch (error) {
          return outcomeOf(error);
        }
      }
      return { kind: 'refused', reason: 'too many redirects' };
    },
    async download({ url, maxBytes }) {
      const signal = AbortSignal.timeout(options.timeoutMs ?? EGRESS_LIMITS.downloadMs);
      let next = url;
      for (let hop = 0; hop <= EGRESS_LIMITS.redirects; hop++) {
        const route = routeTo(next);
        if ('kind' in route) return route;
        try {
          const answer = await request(route.target, { dispatcher: route.dispatcher, signal });
          const location = firstValue(answer.headers.location);
          if (answer.statusCode >= 300 && answer.statusCode < 400 && location !== null) {
            leave(answer.body);
            next = URL.parse(location, next)?.href ?? '';
            continue;
          }
          const body = await readUpTo(answer.body, maxBytes, firstValue(answer.headers['content-length']));
          if (!body) return { kind: 'too-large' };
          const contentType = firstValue(answer.headers['content-type']) ?? '';
          return { kind: 'answered', status: answer.statusCode, contentType, body };
        } catch (error) {
          return outcomeOf(error);
        }
      }
      return { kind: 'refused', reason: 'too many redirects' };
    },
    async post({ url, headers, body, signal }) {
      const route = routeTo(url);
      if ('kind' in route) return route;
      try {
        const answer = await request(route.target, {
          method: 'POST',
          headers,
          body,
          dispatcher: route.dispatcher,
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
        });
        return {
          kind: 'answered',
          status: answer.statusCode,
          retryAfter: firstValue(answer.headers['retry-after']),
          body: await readStart(answer.body),
        };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    async stop() {
      await Promise.all([open.destroy(), guarded.destroy()]);
    },
  };
}

function guardedLookup(resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, []);
        return;
      }
      const addresses = (found as LookupAddress[]).filter(({ address }) => isPublicAddress(address));
      const [first] = addresses;
      if (!first) {
        callback(new RefusedAddress(`${hostname} has no public address`), []);
        return;
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Returns the first bytes of a response. The status is already known, so a body that breaks off or drips changes
 * nothing.
 */
async function readStart(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      length += part.length;
      if (length >= EGRESS_LIMITS.answerBytes) break;
    }
  } catch {
    // Keep what was read so far.
  }
  body.destroy();
  return Buffer.concat(parts).subarray(0, EGRESS_LIMITS.answerBytes);
}

/**
 * Returns a whole body, or undefined if it is too large. The sender's content-length is trusted only if it is too
 * large.
 */
async function readUpTo(
  body: Readable,
  maxBytes: number,
  announced: string | null,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  if (Number(announced ?? 0) <= maxBytes)
    for await (const part of body as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > maxBytes) break;
      parts.push(part);
    }
  else length = Number(announced);
  leave(body);
  return length > maxBytes ? undefined : Buffer.concat(parts);
}

/** Stops reading. An unread body emits an error that nothing handles, which would end the process. */
function leave(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function outcomeOf(error: unknown): { kind: 'refused' | 'failed'; reason: string } {
  if (error instanceof RefusedAddress) return { kind: 'refused', reason: 'the name has no public address' };
  if (error instanceof Error && error.name === 'TimeoutError')
    return { kind: 'failed', reason: 'no answer in time' };
  if (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  )
    return { kind: 'failed', reason: 'no answer in time' };
  // System and TLS errors carry a code (ECONNREFUSED, CERT_HAS_EXPIRED, …), which says enough and contains no address.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { kind: 'failed', reason: typeof code === 'string' ? code : 'the connection failed' };
}

function firstValue(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
