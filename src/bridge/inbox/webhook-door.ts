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

/** Below the web server's root. */
const WEBHOOK_PATH = '/webhooks/service';

/**
 * The URL that is registered with the service: it ends unguessably. What stands before that is the same for ever, so a
 * webhook of ours is known again; where several chat workspaces are served, each has one of its own.
 */
export function webhookUrlOf(
  { publicUrl, schema }: { publicUrl: string; schema?: string | undefined },
  pathToken: string,
): string {
  const workspace = schema === undefined ? '' : `/${schema}`;
  return `${publicUrl}${WEBHOOK_PATH}${workspace}/${pathToken}`;
}

const BODY_BYTES = 2 * 1024 * 1024;

/** What a registered webhook leads to. */
export interface Door {
  bridge: Pick<Bridge, 'database' | 'clock' | 'newId' | 'log' | 'bot' | 'metrics'>;
  /** The unguessable end of the registered URL. */
  pathToken: string;
  /** The webhook's secrets, newest first. */
  secrets: readonly string[];
  /** Aborted once nothing is taken any more. */
  closing: AbortSignal;
}

/**
 * The door for the service's events: verified over the raw bytes, stored once, answered 200. Nothing is done here; the
 * ticket's lane reads the record. Not stored is what tells of a message that this bridge itself put on its ticket:
 * nothing follows from it, and of a lively thread most events are such. An unsigned event is taken under the path token
 * only where the service keeps no secret, as the hint that every event is (docs/api.md, Webhooks).
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
      // The service sends it again, to the process that comes next.
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
      // Without that header each event is one of its own: an `id` in the body may be the record's.
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
      // The service does not say whether it repeats itself.
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

/** Why an event is not taken; undefined when it is. */
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
