import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import type { Clock } from '../../platform/clock.ts';
import { receiveRawBodies } from '../../platform/http/index.ts';
import type { Log } from '../../platform/log.ts';
import { isFresh, verifySlack } from '../../platform/signatures.ts';
import type { BridgeMetrics } from '../metrics.ts';
import { EVENTS_PATH } from '../paths.ts';
import { type ChatReceiver, type Intake, type Retry, take, type Taken, timeAck } from './receiver.ts';

const BODY_BYTES = 2 * 1024 * 1024;
/** Slack waits three seconds: a later response does not count, so we give up earlier and say so. */
const DEADLINE_MS = 2_000;

/**
 * Bolt's receiver for signed HTTP, which stores first and acknowledges then (B46). Bolt's own receiver acknowledges
 * before any listener runs, and accepts a request with a future timestamp.
 */
export class HttpReceiver implements ChatReceiver {
  readonly #signingSecret: string;
  readonly #intake: Intake;
  readonly #reconnected: () => void;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: BridgeMetrics;
  readonly #storing = new Set<Promise<Taken>>();
  /** The last request could not be stored. */
  #failing = false;
  #stopped = false;

  constructor(options: {
    signingSecret: string;
    intake: Intake;
    /** Called when storing works again: Slack may have given up on an event. */
    reconnected: () => void;
    clock: Clock;
    log: Log;
    metrics: BridgeMetrics;
  }) {
    this.#signingSecret = options.signingSecret;
    this.#intake = options.intake;
    this.#reconnected = options.reconnected;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#metrics = options.metrics;
  }

  get connected(): boolean {
    return !this.#stopped;
  }

  readonly plugin: FastifyPluginAsync = async (app) => {
    receiveRawBodies(app);
    app.post(EVENTS_PATH, { bodyLimit: BODY_BYTES }, (request, reply) => this.#answer(request, reply));
  };

  async start(): Promise<void> {
    // The HTTP server is already listening; earlier requests are stored.
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#storing);
  }

  async #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const refused = this.#refusal(request, raw);
    if (refused !== undefined) {
      this.#log.warn({ event: 'chat.refused', reason: refused }, 'a request in the name of chat was refused');
      return reply.code(401).send({ code: 'UNAUTHORIZED', message: refused });
    }
    const arrived = read(request.headers['content-type'] ?? '', raw.toString('utf8'));
    if (!arrived) return reply.code(400).send({ code: 'BAD_REQUEST', message: 'The body cannot be read.' });
    const { type, body } = arrived;
    const { challenge } = body;
    if (body['type'] === 'url_verification' && typeof challenge === 'string')
      return reply.type('text/plain').send(challenge);
    // Slack's check of the certificate.
    if (body['ssl_check'] === '1') return reply.send();
    if (this.#stopped) return unavailable(reply);
    const ended = timeAck(this.#metrics, type);
    const taken = await this.#takeInTime(type, body, retryOf(request));
    ended(taken ? (taken.stored || taken.body ? 'acked' : 'refused') : 'late');
    if (taken?.body) return reply.send(taken.body);
    return taken?.stored === true ? reply.send() : unavailable(reply);
  }

  /** Undefined if time ran out: it may be stored later, and the repetition is then recognised. */
  async #takeInTime(type: string, body: Record<string, unknown>, retry: Retry): Promise<Taken | undefined> {
    const storing = take(this.#intake, this.#log, { type, body, retry });
    this.#storing.add(storing);
    void storing.finally(() => this.#storing.delete(storing));
    const done = new AbortController();
    const late = wait(DEADLINE_MS, undefined, { signal: done.signal }).catch(() => undefined);
    const taken = await Promise.race([storing, late]);
    done.abort();
    if (taken?.stored && this.#failing) this.#reconnected();
    this.#failing = taken?.stored !== true;
    if (!taken)
      this.#log.error(
        { event: 'envelope.late', type },
        'an envelope was not stored in time and is not acknowledged',
      );
    return taken;
  }

  /** Returns why a request is not Slack's; undefined if it is. Unlike Bolt, rejects future timestamps, too. */
  #refusal(request: FastifyRequest, body: Buffer): string | undefined {
    const timestamp = request.headers['x-slack-request-timestamp'];
    const signature = request.headers['x-slack-signature'];
    if (typeof timestamp !== 'string' || typeof signature !== 'string')
      return 'x-slack-request-timestamp and x-slack-signature are needed.';
    if (!isFresh(timestamp, this.#clock.now()))
      return 'x-slack-request-timestamp is more than five minutes from this clock.';
    if (!verifySlack(timestamp, body, signature, this.#signingSecret))
      return 'x-slack-signature was not made with the signing secret.';
    return undefined;
  }
}

/** Parses a body: events are JSON, a command is a form, an interaction is JSON in the field `payload`. */
function read(
  contentType: string,
  text: string,
): { type: string; body: Record<string, unknown> } | undefined {
  if (!/x-www-form-urlencoded/i.test(contentType)) return typed('events_api', parseJson(text));
  const fields = new URLSearchParams(text);
  const payload = fields.get('payload');
  return payload === null
    ? typed('slash_commands', Object.fromEntries(fields))
    : typed('interactive', parseJson(payload));
}

function typed(type: string, body: unknown): { type: string; body: Record<string, unknown> } | undefined {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? { type, body: body as Record<string, unknown> }
    : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryOf({ headers }: FastifyRequest): Retry {
  const attempt = Number(headers['x-slack-retry-num'] ?? 0);
  const reason = headers['x-slack-retry-reason'];
  return {
    attempt: Number.isInteger(attempt) ? attempt : 0,
    reason: typeof reason === 'string' ? reason.slice(0, 100) : undefined,
  };
}

/** Slack resends it: immediately, after one and after five minutes. */
function unavailable(reply: FastifyReply): FastifyReply {
  return reply.code(503).send({ code: 'SERVICE_UNAVAILABLE', message: 'Not stored; please send it again.' });
}
