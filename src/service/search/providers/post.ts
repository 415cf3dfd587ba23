import { setTimeout as wait } from 'node:timers/promises';

import { type Dispatcher, request } from 'undici';
import { z } from 'zod';

import { retryAfterMs } from '../../../contract/index.ts';
import { ProviderError } from './provider.ts';

const TIMEOUT_MS = 10_000;
/** A response of 64 vectors takes a tenth of it. */
const ANSWER_BYTES = 4 * 1024 * 1024;
const TRIES = 3;
const FIRST_WAIT_MS = 200;
/** Longer waits are left to the job, because a user waits for this request. */
const LONGEST_WAIT_MS = 2_000;

export interface Post {
  /** For messages. */
  provider: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  signal?: AbortSignal | undefined;
  /** Time limit of the whole exchange; default 10 s. */
  timeoutMs?: number;
  /** Default 3; in the background, the job retries instead. */
  tries?: number;
}

/** Posts JSON and reads JSON; retries temporary failures. Repeating the request is harmless. */
export async function postJson<T>(
  { dispatcher, now }: { dispatcher: Dispatcher; now: () => Date },
  post: Post,
  schema: z.ZodType<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await postOnce(dispatcher, now, post, schema);
    } catch (error) {
      post.signal?.throwIfAborted();
      const pause = FIRST_WAIT_MS * 2 ** (attempt - 1);
      const failure = error instanceof ProviderError ? error : unreachable(post.provider, error);
      const ms = Math.max(pause, failure.afterMs ?? 0);
      if (failure.kind !== 'unavailable' || attempt >= (post.tries ?? TRIES) || ms > LONGEST_WAIT_MS)
        throw failure;
      await wait(ms, undefined, { signal: post.signal });
    }
  }
}

async function postOnce<T>(
  dispatcher: Dispatcher,
  now: () => Date,
  { provider, url, headers, body, signal, timeoutMs = TIMEOUT_MS }: Post,
  schema: z.ZodType<T>,
): Promise<T> {
  const answer = await request(url, {
    method: 'POST',
    dispatcher,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
  });
  const text = await readText(provider, answer.body);
  const status = answer.statusCode;
  if (status === 200) {
    const read = schema.safeParse(parse(text));
    if (read.success) return read.data;
    throw new ProviderError('unavailable', `${provider} sent an unexpected response`);
  }
  if (status === 401 || status === 403)
    throw new ProviderError('unauthorized', `${provider} rejected the API key (${status})`);
  if (status === 408 || status === 429 || status >= 500) {
    const header = answer.headers['retry-after'];
    throw new ProviderError('unavailable', `${provider} answered ${status}`, {
      afterMs: retryAfterMs(typeof header === 'string' ? header : undefined, now()),
    });
  }
  throw new ProviderError('invalid_input', `${provider} answered ${status}`);
}

/** A body of any length would be read into memory. */
async function readText(
  provider: string,
  body: AsyncIterable<Buffer> & { destroy(): unknown },
): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > ANSWER_BYTES) {
      body.destroy();
      throw new ProviderError('invalid_input', `${provider} answered more than ${ANSWER_BYTES} bytes`);
    }
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(provider: string, cause: unknown): ProviderError {
  return new ProviderError('unavailable', `${provider} cannot be reached`, { cause });
}
