import { Agent, type Dispatcher } from 'undici';

import { answeredError, parseJson, UnreachableError, UnreadableError } from './errors.ts';
import { neverSent } from './never-sent.ts';
import { retryAfterMs } from '../contract/index.ts';

export interface TransportOptions {
  /** Base URL with `/api`, without a trailing slash. */
  baseUrl: string;
  headers: Record<string, string>;
  /** Time limit of one attempt in milliseconds, from connecting to the last byte. */
  attemptTimeoutMs: number;
  /** Connections of the caller, which stay open. */
  connections: Connections | undefined;
}

/** A connection pool that clients can share. */
export type Connections = Pick<Agent, 'request' | 'close'>;

export interface Request {
  /** For error messages: `POST /tickets`. */
  what: string;
  method: Dispatcher.HttpMethod;
  path: string;
  body: unknown;
  /** In addition to the headers of every request. */
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
}

export interface Success {
  body: unknown;
  headers: Dispatcher.ResponseData['headers'];
}

/** Time limit of an attempt, unless the client's options set one. */
export const ATTEMPT_TIMEOUT_MS = 5_000;
/** Longer waits are cut to this: the service's clock or header is wrong. */
const LONGEST_WAIT_MS = 60 * 60 * 1000;
/** Maximum size of a response in bytes: several times 10,000 records. */
const ANSWER_BYTES = 256 * 1024 * 1024;

/** Opens a connection pool; `attemptTimeoutMs` limits the time to connect. */
export function openConnections(attemptTimeoutMs = ATTEMPT_TIMEOUT_MS): Connections {
  return new Agent({
    connections: 32,
    pipelining: 1,
    connect: { timeout: attemptTimeoutMs },
    maxResponseSize: ANSWER_BYTES,
  });
}

/** Sends a request once and reports the outcome. */
export class Transport {
  readonly #connections: Connections;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#connections = options.connections ?? openConnections(options.attemptTimeoutMs);
  }

  /** Returns the headers and the parsed JSON body of a success; throws a ServiceError for everything else. */
  async attempt({ what, method, path, body, headers: more, signal }: Request, now: Date): Promise<Success> {
    const { baseUrl, attemptTimeoutMs } = this.#options;
    const headers = { ...this.#options.headers, ...more };
    const timeout = AbortSignal.timeout(attemptTimeoutMs);
    let answer: { status: number; headers: Dispatcher.ResponseData['headers']; text: string };
    try {
      const response = await this.#connections.request({
        origin: new URL(baseUrl).origin,
        path: `${new URL(baseUrl).pathname.replace(/\/$/, '')}${path}`,
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      answer = { status: response.statusCode, headers: response.headers, text: await response.body.text() };
    } catch (error) {
      throw new UnreachableError(what, neverSent(error), error);
    }
    if (answer.status < 200 || answer.status > 299) {
      const asked = retryAfterMs(answer.headers['retry-after'], now);
      const wait = asked === undefined ? undefined : Math.min(asked, LONGEST_WAIT_MS);
      throw answeredError(what, answer.status, answer.text, wait);
    }
    const parsed = parseJson(answer.text);
    if (parsed === undefined) throw new UnreadableError(what, new Error('not JSON'));
    return { body: parsed, headers: answer.headers };
  }

  async close(): Promise<void> {
    if (!this.#options.connections) await this.#connections.close();
  }
}
