import { Agent, request } from 'undici';

import type { Clock } from '../../platform/clock.ts';
import { signSlack } from '../../platform/signatures.ts';
import { LIMITS } from '../limits.ts';
import type { EnvelopeKind } from '../store/tables.ts';
import type { RegisteredApp } from '../workspace/apps.ts';
import type { IdMaker } from '../workspace/ids.ts';
import type { Outcome } from '../workspace/workspace.ts';
import { storable } from '../values.ts';

/** `x-slack-retry-reason`: why a delivery has failed (docs.slack.dev/apis/events-api, "Error handling"). */
export type RetryReason =
  'http_timeout' | 'too_many_redirects' | 'connection_failed' | 'ssl_error' | 'http_error' | 'unknown_error';

export type Delivered =
  | { ok: true; payload: unknown }
  | {
      ok: false;
      reason: RetryReason;
      /** The error that a waiting person sees. */
      shown: Extract<Outcome, { error: string }>['error'];
      /** The app asked for no retry (`x-slack-no-retry: 1`). */
      noRetry: boolean;
    };

/** A request to an app's request URL. */
export interface Telling {
  kind: EnvelopeKind;
  body: Record<string, unknown>;
  /** Deliveries tried before this one. */
  attempt: number;
  /** The reason of the last failure. */
  reason: string;
}

/** A request URL failed the challenge; the message says how. */
export class RequestUrlRefused extends Error {
  override readonly name = 'RequestUrlRefused';
  readonly reason: RetryReason;

  constructor(reason: RetryReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

interface Answer {
  status: number;
  contentType: string;
  text: string;
  noRetry: boolean;
}

/**
 * Delivers to apps by HTTP: signed POSTs to its request URL (docs.slack.dev/apis/events-api/using-http-request-urls,
 * docs.slack.dev/authentication/verifying-requests-from-slack). One connection per request: a
 * kept connection that the app closes would look like a failure.
 */
export class HttpRequests {
  readonly #clock: Clock;
  readonly #ids: IdMaker;
  readonly #ackMs: number;
  readonly #verified: (app: RegisteredApp) => void;
  /** Pending challenges by app: other requests wait for them. */
  readonly #verifying = new Map<string, Promise<void>>();
  readonly #agent = new Agent({ pipelining: 0, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } });

  /** `verified` is called for an app whose request URL passed the challenge. */
  constructor(parts: {
    clock: Clock;
    ids: IdMaker;
    patienceMs: number | undefined;
    verified: (app: RegisteredApp) => void;
  }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
    this.#ackMs = parts.patienceMs ?? LIMITS.ackMs;
    this.#verified = parts.verified;
  }

  /**
   * Tells an app something once; never throws. Ends early by `signal`, as `http_timeout`. An address that has not
   * answered the challenge yet is asked for it first.
   */
  async tell(app: RegisteredApp, url: string, telling: Telling, signal: AbortSignal): Promise<Delivered> {
    try {
      if (!app.requestUrlVerified) await this.#verifyOnce(app, url);
      const answer = await this.#post(app, url, encodeBody(telling), {
        events: telling.kind === 'events_api',
        retry: telling.attempt > 0 ? { num: telling.attempt, reason: telling.reason } : undefined,
        signal,
      });
      // An event is taken by any 2xx, an interaction by 200 alone.
      const taken =
        telling.kind === 'events_api' ? answer.status >= 200 && answer.status < 300 : answer.status === 200;
      if (taken) return { ok: true, payload: payloadOf(answer) };
      return { ok: false, reason: 'http_error', shown: shownFor(answer.status), noRetry: answer.noRetry };
    } catch (error) {
      const reason = signal.aborted ? 'http_timeout' : reasonOf(error);
      const shown = reason === 'http_timeout' ? 'operation_timeout' : 'dispatch_failed';
      return { ok: false, reason, shown, noRetry: false };
    }
  }

  /**
   * Sends the challenge to a URL (docs.slack.dev/reference/events/url_verification): as text, form or JSON.
   * @throws RequestUrlRefused when it does not come back in three seconds.
   */
  async verify(app: RegisteredApp, url: string, signal = AbortSignal.timeout(this.#ackMs)): Promise<void> {
    const challenge = this.#ids.secret();
    const body = json({ token: 'sandbox-verification-token', challenge, type: 'url_verification' });
    let answer: Answer;
    try {
      answer = await this.#post(app, url, body, { events: true, signal });
    } catch (error) {
      const reason = signal.aborted ? 'http_timeout' : reasonOf(error);
      throw new RequestUrlRefused(reason, `the request URL ${url} did not answer (${reason})`, error);
    }
    if (answer.status !== 200)
      throw new RequestUrlRefused(
        'http_error',
        `the request URL ${url} answered the challenge with HTTP ${answer.status}`,
      );
    if (challengeIn(answer) !== challenge)
      throw new RequestUrlRefused(
        'http_error',
        `the request URL ${url} did not answer with the value of the challenge parameter`,
      );
  }

  #verifyOnce(app: RegisteredApp, url: string): Promise<void> {
    const known = this.#verifying.get(app.id);
    if (known) return known;
    const asking = this.verify(app, url)
      .then(() => this.#verified(app))
      .finally(() => this.#verifying.delete(app.id));
    this.#verifying.set(app.id, asking);
    return asking;
  }

  async stop(): Promise<void> {
    await this.#agent.destroy();
  }

  async #post(
    app: RegisteredApp,
    url: string,
    body: { type: string; bytes: Buffer },
    options: { events: boolean; retry?: { num: number; reason: string } | undefined; signal: AbortSignal },
  ): Promise<Answer> {
    const timestamp = String(Math.floor(this.#clock.now().getTime() / 1000));
    const headers = {
      accept: '*/*',
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'content-type': body.type,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signSlack(timestamp, body.bytes, app.signingSecret),
      ...(options.retry
        ? { 'x-slack-retry-num': String(options.retry.num), 'x-slack-retry-reason': options.retry.reason }
        : {}),
    };
    let target = url;
    for (let redirects = 0; ; redirects += 1) {
      const {
        statusCode,
        headers: said,
        body: content,
      } = await request(target, {
        method: 'POST',
        headers,
        body: body.bytes,
        dispatcher: this.#agent,
        signal: options.signal,
      });
      const location = firstValue(said['location']);
      if (options.events && (statusCode === 301 || statusCode === 302) && location !== undefined) {
        await readText(content);
        if (redirects === LIMITS.redirects) throw new TooManyRedirects();
        target = new URL(location, target).href;
        continue;
      }
      return {
        status: statusCode,
        contentType: firstValue(said['content-type']) ?? '',
        text: await readText(content),
        noRetry: firstValue(said['x-slack-no-retry']) === '1',
      };
    }
  }
}

class TooManyRedirects extends Error {
  override readonly name = 'TooManyRedirects';
}

/** Events as JSON, a command as a form, an interaction as JSON in the form field `payload`. */
function encodeBody({ kind, body }: Telling): { type: string; bytes: Buffer } {
  if (kind === 'events_api') return json(body);
  const fields =
    kind === 'interactive'
      ? { payload: JSON.stringify(body) }
      : Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
  return {
    type: 'application/x-www-form-urlencoded',
    bytes: Buffer.from(new URLSearchParams(fields).toString()),
  };
}

function json(value: unknown): { type: string; bytes: Buffer } {
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(value)) };
}

/** The body of an acknowledgement: JSON, or any other body as text. */
function payloadOf({ contentType, text }: Answer): unknown {
  if (text.trim() === '') return undefined;
  if (/json/i.test(contentType) || text.trimStart().startsWith('{')) {
    try {
      return storable(JSON.parse(text));
    } catch {
      // Not JSON: it is shown unchanged.
    }
  }
  return storable({ text });
}

function challengeIn({ contentType, text }: Answer): string | undefined {
  if (/json/i.test(contentType)) {
    const payload = payloadOf({ contentType, text, status: 200, noRetry: false });
    return typeof payload === 'object' && payload !== null && 'challenge' in payload
      ? String(payload.challenge)
      : undefined;
  }
  if (/x-www-form-urlencoded/i.test(contentType))
    return new URLSearchParams(text).get('challenge') ?? undefined;
  return text.trim();
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    // Leaving the loop ends the connection.
    if (length > LIMITS.answerBytes) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The class of a transport failure, by its code. */
function reasonOf(error: unknown): RetryReason {
  if (error instanceof RequestUrlRefused) return error.reason;
  if (error instanceof TooManyRedirects) return 'too_many_redirects';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return 'unknown_error';
  const ofTls = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/.test(code);
  return ofTls ? 'ssl_error' : 'connection_failed';
}

function shownFor(status: number): Extract<Outcome, { error: string }>['error'] {
  return status >= 500 ? 'http_service_error' : 'http_client_error';
}

function firstValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
