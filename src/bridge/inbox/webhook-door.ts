import { timingSafeEqual } from 'node:crypto';

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { WEBHOOK_HEADERS } from '../../contract/index.ts';
import { isFresh, verifySignature } from '../../platform/signatures.ts';
import type { Bridge } from '../bridge.ts';
import { notePing } from '../health/ping.ts';
import { isOwnWords } from './own-words.ts';
import { echoIn, parseServiceEvent } from './service-event.ts';
import { storeServiceEvent } from './store.ts';
import { signsEvents } from './register-webhook.ts';

/** Path below the web server's root. */
const WEBHOOK_PATH = '/webhooks/service';

/**
 * Returns the URL that is registered with the service: it ends with a secret. Its start never changes, so our webhook
 * is recognised; with several Slack workspaces, each has its own.
 */
export function webhookUrlOf(
  { publicUrl, schema }: { publicUrl: string; schema?: string | undefined },
  pathToken: string,
): string {
  const workspace = schema === undefined ? '' : `/${schema}`;
  return `${publicUrl}${WEBHOOK_PATH}${workspace}/${pathToken}`;
}

const BODY_BYTES = 2 * 1024 * 1024;

/** The target of a registered webhook. */
export interface Door {
  bridge: Pick<Bridge, 'database' | 'clock' | 'newId' | 'log' | 'bot' | 'metrics'>;
  /** The secret end of the registered URL. */
  pathToken: string;
  /** The webhook's secrets, newest first. */
  secrets: readonly string[];
  /** Aborted when nothing is accepted any more. */
  closing: AbortSignal;
}

/**
 * The endpoint for the service's events: verified over the raw bytes, stored once, answered 200. Nothing else happens
 * here; the ticket's job reads the record. Events about messages that this bridge itself added to a ticket are not
 * stored: they have no effect, and in a lively thread most events are such. An unsigned event is accepted by its secret
 * path only if the service stores no secret, because every event is only a hint (docs/api.md, Webhooks).
 */
export function webhookDoor(doors: () => readonly Door[]): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    type Request = FastifyRequest<{ Params: { token: string } }>;
    const take = async (request: Request, reply: FastifyReply) => {
      const door = doors().find(({ pathToken }) => sameText(request.params.token, pathToken));
      if (!door) return reply.code(404).send({ code: 'NOT_FOUND', message: 'There is nothing here.' });
      // The service resends it to the next process.
      if (door.closing.aborted)
        return reply.code(503).send({ code: 'SERVICE_UNAVAILABLE', message: 'This process is stopping.' });
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const { bridge } = door;
      const refused = await refusal(request.headers, raw, door);
      if (refused) {
        bridge.log.warn({ event: 'webhook.refused', reason: refused }, 'an event of the service was refused');
        return reply.code(401).send({ code: 'UNAUTHORIZED', message: refused });
      }
      const body = parseJson(raw);
      if (body === undefined)
        return reply.code(400).send({ code: 'BAD_REQUEST', message: 'The body is not JSON.' });
      // Without that header every event is new: an `id` in the body may be the record's.
      const id = idOf(request.headers[WEBHOOK_HEADERS.id]) ?? bridge.newId('hnt');
      const hint = parseServiceEvent(id, bridge.bot.team, body);
      if (!hint) {
        await notePing(bridge, id, body);
        return reply.code(200).send({ stored: false });
      }
      const echo = echoIn(bridge.bot.team, body);
      const stored =
        echo && (await isOwnWords(bridge.database.db, echo))
          ? 'needless'
          : await storeServiceEvent(bridge, hint, body);
      // The service does not say whether it is a repetition.
      bridge.metrics.events.inc({ source: 'service', kind: 'ticket-changed', stored, retry: 'no' });
      bridge.log.info(
        {
          event: 'webhook.stored',
          webhookId: hint.id,
          ticket: hint.ticketId,
          message: hint.messageId,
          stored,
        },
        stored === 'needless' ? 'an echo of what came from chat' : 'event of the service stored',
      );
      return reply.code(200).send({ stored: stored === 'new' });
    };
    for (const path of [`${WEBHOOK_PATH}/:token`, `${WEBHOOK_PATH}/:workspace/:token`])
      app.post(path, { bodyLimit: BODY_BYTES }, take);
  };
}

/** Returns why an event is rejected; undefined if it is accepted. */
async function refusal(
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  { bridge, secrets }: Door,
): Promise<string | undefined> {
  const id = headers[WEBHOOK_HEADERS.id];
  const timestamp = headers[WEBHOOK_HEADERS.timestamp];
  const signature = headers[WEBHOOK_HEADERS.signature];
  if (signature === undefined)
    return (await signsEvents(bridge.database.db))
      ? 'webhook-signature is missing: this webhook was registered with a secret.'
      : undefined;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    return 'webhook-id and webhook-timestamp are needed beside webhook-signature.';
  if (!isFresh(timestamp, bridge.clock.now()))
    return 'webhook-timestamp is more than five minutes from this clock.';
  if (!verifySignature({ id, timestamp, body }, signature, secrets))
    return 'webhook-signature was not made with the webhook’s secret.';
  return undefined;
}

function idOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}
