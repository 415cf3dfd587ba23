import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';

import { Agent, errors, request } from 'undici';

import { isPublicAddress, literalAddress } from './address-guard.ts';
import type { Running } from './lifecycle.ts';

/** Limits of an outgoing call to an address that somebody else chose (docs/api.md, Webhooks). */
export const EGRESS_LIMITS = {
  /** For the whole exchange, from the lookup to the last byte read. */
  timeoutMs: 15_000,
  /** Bytes of an answer that are read; the connection is then closed. */
  answerBytes: 16 * 1024,
  /** Connections to one origin at the same time. */
  connectionsPerOrigin: 8,
  /** For all of a download, redirects included. */
  downloadMs: 60_000,
  /** Redirects of a download that are followed. */
  redirects: 3,
} as const;

export interface EgressRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Ends the call early; its outcome is then `failed`. */
  signal?: AbortSignal;
}

/** What came of a call. `refused`: never sent; `failed`: whether it arrived is not known. */
export type EgressOutcome =
  | { kind: 'answered'; status: number; retryAfter: string | null; body: Buffer }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

/** What came of a download. `refused` and `too-large` stay so, `failed` may pass. */
export type DownloadOutcome =
  | { kind: 'answered'; status: number; contentType: string; body: Buffer<ArrayBuffer> }
  | { kind: 'too-large' }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

export interface Egress extends Running {
  /** GETs once; redirects are followed, each checked like the first address. Never throws. */
  download(call: { url: string; maxBytes: number }): Promise<DownloadOutcome>;
  /** POSTs once: no redirects, no retries. Never throws. */
  post(call: EgressRequest): Promise<EgressOutcome>;
}

export interface EgressOptions {
  /** Lets every address be called; for networks where receivers are private by design. */
  allowPrivate: boolean;
  /** URLs, compared exactly, that may be private. */
  isExempt: (url: string) => boolean;
  timeoutMs?: number;
  /** The resolver behind the guard; the system's when absent. */
  lookup?: LookupFunction;
}

class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * HTTP to addresses that others name. Two gates keep it out of private networks: the host of the URL where it is
 * an address itself, and the resolver's answer where it is a name; the connection then goes to that very answer, so a
 * name that changes between check and connect changes nothing. No proxy is taken from the environment.
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

  /** Where a call may go, and by which connections. */
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

/** The first bytes of an answer. The status is already known, so a body that breaks or drips changes nothing. */
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
    // What was read until then is what there is.
  }
  body.destroy();
  return Buffer.concat(parts).subarray(0, EGRESS_LIMITS.answerBytes);
}

/** All of a body; undefined where it is larger. What its sender says of its length is believed only where it is too much. */
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

/** Reads no further. A body that nobody reads tells of its end by an error that nobody hears, which would end the process. */
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
  // System and TLS errors carry a code (ECONNREFUSED, CERT_HAS_EXPIRED, …), which says enough and holds no address.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { kind: 'failed', reason: typeof code === 'string' ? code : 'the connection failed' };
}

function firstValue(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
