import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { parseEventJson } from '../../platform/bounded-json.ts';
import type { Clock } from '../../platform/clock.ts';
import { receiveRawBodies } from '../../platform/http/index.ts';
import { inTime } from '../../platform/in-time.ts';
import { isFresh, verifySlack } from '../../platform/signatures.ts';
import { EVENTS_PATH } from '../paths.ts';
import {
  type ChatReceiver,
  ENVELOPE_BYTES,
  type ReceiverParts,
  type Retry,
  acceptEnvelope,
  type Taken,
  timeAck,
} from './receiver.ts';

/**
 * A body must be read before its signature can be checked: of larger ones, or of unknown size, few are read at once.
 */
const LARGE_BYTES = 128 * 1024;
const LARGE_AT_ONCE = 16;
/** Slack sends a body at once. A sender that holds one back is not Slack, and must not make us hold it for long. */
const BODY_MS = 5_000;
/** Slack waits three seconds: a later response does not count, so we give up earlier and say so. */
const DEADLINE_MS = 2_000;

/**
 * Bolt's receiver for signed HTTP, which stores first and acknowledges then (B46). Bolt's own receiver acknowledges
 * before any listener runs, and accepts a request with a future timestamp.
 */
export class HttpReceiver implements ChatReceiver {
  readonly #parts: ReceiverParts & { signingSecret: string; clock: Clock };
  readonly #storing = new Set<Promise<Taken>>();
  /** The last request could not be stored. */
  #failing = false;
  #stopped = false;
  /** Large bodies that are being read. */
  #large = 0;

  constructor(parts: ReceiverParts & { signingSecret: string; clock: Clock }) {
    this.#parts = parts;
  }

  get connected(): boolean {
    return !this.#stopped;
  }

  readonly plugin: FastifyPluginAsync = async (app) => {
    receiveRawBodies(app);
    app.post(EVENTS_PATH, {
      bodyLimit: ENVELOPE_BYTES,
      config: { bodyTimeoutMs: BODY_MS },
      // Runs before the body is read: a request without fresh headers of Slack's cannot have a valid signature.
      onRequest: async (request, reply) => {
        const refused = this.#headersRefusal(request);
        if (refused !== undefined) return this.#refuse(reply, refused);
        return this.#hasRoomFor(request, reply) ? undefined : unavailable(reply);
      },
      handler: (request, reply) => this.#answer(request, reply),
    });
  };

  init(): void {
    // The engine hands the envelopes to the app.
  }

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
    if (refused !== undefined) return this.#refuse(reply, refused);
    const arrived = read(request.headers['content-type'] ?? '', raw);
    if (!arrived) return reply.code(400).send({ code: 'BAD_REQUEST', message: 'The body cannot be read.' });
    const { type, body } = arrived;
    const { challenge } = body;
    if (body['type'] === 'url_verification' && typeof challenge === 'string')
      return reply.type('text/plain').send(challenge);
    // Slack's check of the certificate.
    if (body['ssl_check'] === '1') return reply.send();
    if (this.#stopped) return unavailable(reply);
    const ended = timeAck(this.#parts.metrics, type);
    const taken = await this.#takeInTime(type, body, retryOf(request));
    ended(taken ? (taken.stored || taken.body ? 'acked' : 'refused') : 'late');
    if (taken?.body) return reply.send(taken.body);
    return taken?.stored === true ? reply.send() : unavailable(reply);
  }

  /** Takes a place for a large body until it is answered. */
  #hasRoomFor({ headers }: FastifyRequest, reply: FastifyReply): boolean {
    const bytes = Number(headers['content-length'] ?? Infinity);
    if (bytes <= LARGE_BYTES) return true;
    if (this.#large >= LARGE_AT_ONCE) return false;
    this.#large += 1;
    reply.raw.once('close', () => (this.#large -= 1));
    return true;
  }

  /** Undefined if time ran out: it may be stored later, and the repetition is then recognised. */
  async #takeInTime(type: string, body: Record<string, unknown>, retry: Retry): Promise<Taken | undefined> {
    const storing = acceptEnvelope(this.#parts.intake, this.#parts.log, { type, body, retry });
    this.#storing.add(storing);
    void storing.finally(() => this.#storing.delete(storing));
    const taken = await inTime(DEADLINE_MS, storing);
    if (taken?.stored && this.#failing) this.#parts.reconnected();
    this.#failing = taken?.stored !== true;
    if (!taken)
      this.#parts.log.error(
        { event: 'envelope.late', type },
        'an envelope was not stored in time and is not acknowledged',
      );
    return taken;
  }

  #refuse(reply: FastifyReply, reason: string): FastifyReply {
    this.#parts.log.warn({ event: 'chat.refused', reason }, 'a request in the name of chat was refused');
    return reply.code(401).send({ code: 'UNAUTHORIZED', message: reason });
  }

  /**
   * Returns why the headers of a request are not Slack's; undefined if they may be. Unlike Bolt, rejects future
   * timestamps, too.
   */
  #headersRefusal({ headers }: FastifyRequest): string | undefined {
    const { timestamp, signature } = signedHeaders(headers);
    if (timestamp === undefined || signature === undefined)
      return 'x-slack-request-timestamp and x-slack-signature are needed.';
    if (!isFresh(timestamp, this.#parts.clock.now()))
      return 'x-slack-request-timestamp is more than five minutes from this clock.';
    return undefined;
  }

  /** Returns why a request is not Slack's; undefined if it is. */
  #refusal(request: FastifyRequest, body: Buffer): string | undefined {
    const { timestamp = '', signature = '' } = signedHeaders(request.headers);
    if (!verifySlack(timestamp, body, signature, this.#parts.signingSecret))
      return 'x-slack-signature was not made with the signing secret.';
    return undefined;
  }
}

function signedHeaders({
  'x-slack-request-timestamp': timestamp,
  'x-slack-signature': signature,
}: IncomingHttpHeaders): { timestamp: string | undefined; signature: string | undefined } {
  return {
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
    signature: typeof signature === 'string' ? signature : undefined,
  };
}

/**
 * Parses a body: events are JSON, a command is a form, an interaction is JSON in the field `payload`. Undefined for
 * what Slack does not send.
 */
function read(contentType: string, raw: Buffer): { type: string; body: Record<string, unknown> } | undefined {
  if (!/x-www-form-urlencoded/i.test(contentType)) return typed('events_api', parseEventJson(raw));
  const fields = new URLSearchParams(raw.toString('utf8'));
  const payload = fields.get('payload');
  return payload === null
    ? typed('slash_commands', Object.fromEntries(fields))
    : typed('interactive', parseEventJson(Buffer.from(payload)));
}

function typed(type: string, body: unknown): { type: string; body: Record<string, unknown> } | undefined {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? { type, body: body as Record<string, unknown> }
    : undefined;
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
