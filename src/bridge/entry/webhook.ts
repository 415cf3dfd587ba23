import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { timingSafeEqual } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { AnsweredError, ServiceError } from '../../client/index.ts';
import { parseEventJson } from '../../platform/bounded-json.ts';
import type { Db } from '../../platform/database/open.ts';
import { StartError } from '../../platform/lifecycle.ts';
import type { Bridge } from '../bridge.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { WEBHOOK_HEADERS } from '../../contract/index.ts';
import { isFresh, verifySignature } from '../../platform/signatures.ts';
import { recordPing } from './ping.ts';
import { isEcho, parseServiceEvent } from './service-event.ts';

/** `signed`: the service has our secret, so its events are signed. */
const Stored = z.object({ id: z.string(), signed: z.boolean().default(false) });

/** Returns the id of the registered webhook, or undefined. */
export async function registeredWebhook(db: Db<BridgeTables>): Promise<string | undefined> {
  return (await readSetting(db, 'webhook', Stored))?.id;
}

/**
 * Returns whether the service has the secret of the registered webhook: then an unsigned event is not the service's.
 */
async function signsEvents(db: Db<BridgeTables>): Promise<boolean> {
  return (await readSetting(db, 'webhook', Stored))?.signed ?? false;
}

/**
 * Registers the webhook with the service: corrects and enables the stored one, or creates it again (docs/api.md,
 * Another service). Throws ServiceError.
 */
async function registerWebhook(
  { database, service, webhook, log }: Pick<Bridge, 'database' | 'service' | 'webhook' | 'log'>,
  url: string,
  secret: string,
): Promise<void> {
  const wanted = {
    url,
    secret,
    active: true,
    eventTypes: ['Ticket' as const, 'Message' as const],
    servesChat: true,
  };
  for (const id of await candidates(service, database, url)) {
    try {
      const updated = await service.updateWebhook({ params: { id }, body: wanted });
      await writeSetting(database.db, 'webhook', { id, signed: updated.secret === secret });
      webhook.id = id;
      return;
    } catch (error) {
      if (!(error instanceof AnsweredError && error.status === 404)) throw error;
    }
  }
  const created = await service.createWebhook({ body: { ...wanted, name: 'deskbridge' } });
  const { id } = created;
  await writeSetting(database.db, 'webhook', { id, signed: created.secret === secret });
  webhook.id = id;
  log.info({ event: 'webhook.registered', webhook: id }, 'webhook registered with the service');
}

const Refused = z.object({ reason: z.string().nullable() });
const REFUSED_KEY = 'webhook-refused';

/** Returns why the service rejected the webhook; undefined if it did not. */
export async function webhookRefusal(db: Db<BridgeTables>): Promise<string | undefined> {
  return (await readSetting(db, REFUSED_KEY, Refused))?.reason ?? undefined;
}

/**
 * Repairs the webhook if the service disabled or lost it. A service that permanently rejects it still serves its
 * records: that is logged, recorded for the doctor, and does not fail the caller. Throws ServiceError for temporary
 * errors.
 */
export async function keepWebhook(
  bridge: Pick<Bridge, 'database' | 'service' | 'webhook' | 'log'>,
  url: string,
  secret: string,
): Promise<void> {
  const { db } = bridge.database;
  try {
    await repairWebhook(bridge, url, secret);
    if (await webhookRefusal(db)) await writeSetting(db, REFUSED_KEY, { reason: null });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.next !== 'give-up') throw error;
    bridge.log.error(
      { event: 'webhook.not-taken', err: error },
      'the service does not take the webhook; what changes there is only found by comparing both sides',
    );
    await writeSetting(db, REFUSED_KEY, { reason: error.message });
  }
}

/** Disables the webhook until it is registered again. Failures are harmless. */
export async function retireWebhook({
  database,
  service,
  log,
}: Pick<Bridge, 'database' | 'service' | 'log'>): Promise<void> {
  try {
    const id = await registeredWebhook(database.db);
    if (id !== undefined) await service.updateWebhook({ params: { id }, body: { active: false } });
  } catch (error) {
    log.warn({ event: 'webhook.not-retired', err: error }, 'the webhook could not be switched off');
  }
}

/** A service without the operation that reads a webhook gets an update every time (docs/api.md, Another service). */
async function repairWebhook(
  bridge: Pick<Bridge, 'database' | 'service' | 'webhook' | 'log'>,
  url: string,
  secret: string,
): Promise<void> {
  const id = await registeredWebhook(bridge.database.db);
  try {
    const webhook = id === undefined ? undefined : await bridge.service.readWebhook({ params: { id } });
    if (webhook?.active && webhook.url === url) return;
    bridge.log.warn(
      { event: 'webhook.mended', webhook: id },
      'the webhook was switched off or changed; it is put right',
    );
  } catch (error) {
    if (!(error instanceof AnsweredError && error.status === 404)) throw error;
  }
  await registerWebhook(bridge, url, secret);
}

/**
 * Returns webhooks that may be ours: the stored one, and one that leads to this endpoint with another secret path (its
 * id was lost with our tables, or another replica has just created it). A service without the list has only the first
 * (Ext).
 */
async function candidates(
  service: Bridge['service'],
  database: Bridge['database'],
  url: string,
): Promise<string[]> {
  const stored = await registeredWebhook(database.db);
  if (stored !== undefined) return [stored];
  try {
    const baseOf = (one: string) => one.slice(0, one.lastIndexOf('/'));
    const { items } = await service.listWebhooks({});
    return items.filter((webhook) => baseOf(webhook.url) === baseOf(url)).map(({ id }) => id);
  } catch (error) {
    if (error instanceof AnsweredError && error.missing) return [];
    throw error;
  }
}

const REGISTER_AGAIN_MS = 5_000;

/**
 * Registers the webhook now, or as soon as the service is available: nothing is lost meanwhile.
 * @returns the work that continues in the background.
 */
export async function registerSoon(
  bridge: Bridge,
  url: string,
  secret: string,
  signal: AbortSignal,
): Promise<{ background: Promise<void> }> {
  const attempt = async (): Promise<boolean> => {
    try {
      await registerWebhook(bridge, url, secret);
      return true;
    } catch (error) {
      if (error instanceof AnsweredError && (error.status === 401 || error.status === 403))
        throw new StartError(
          `The service refuses SERVICE_API_TOKEN (${error.status}). Make a key of role "agent" or "admin" in its settings, or with \`npx deskbridge keys create\`, and set it.`,
        );
      if (error instanceof AnsweredError && error.next === 'give-up')
        throw new StartError(
          `The service does not take the webhook ${new URL(url).origin}/… (${error.status}: ${error.detail ?? 'no reason given'}). Set PUBLIC_URL to an address at which the service reaches this process; a service of deskbridge on a private network also needs ALLOW_PRIVATE_WEBHOOKS=true.`,
        );
      if (!(error instanceof ServiceError)) throw error;
      bridge.log.warn({ err: error }, 'the webhook could not be registered yet; trying again');
      return false;
    }
  };
  const again = async (): Promise<void> => {
    for (;;) {
      try {
        await wait(REGISTER_AGAIN_MS, undefined, { signal });
        if (await attempt()) return;
      } catch (error) {
        if (signal.aborted) return;
        bridge.log.error({ err: error }, 'the service does not take the webhook; trying again');
      }
    }
  };
  return { background: (await attempt()) ? Promise.resolve() : again() };
}

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
export interface WebhookTarget {
  bridge: Pick<Bridge, 'database' | 'inbox' | 'clock' | 'newId' | 'log' | 'bot' | 'metrics'>;
  /** The secret end of the registered URL. */
  pathToken: string;
  /** The webhook's secrets, newest first. */
  secrets: readonly string[];
  /** Aborted when nothing is accepted any more. */
  closing: AbortSignal;
}

/**
 * The endpoint for the service's events: verified over the raw bytes, stored once, answered 200. Nothing else happens
 * here; the ticket's check reads the record. Events about messages that this bridge itself added to a ticket are not
 * stored: they have no effect, and in a lively thread most events are such. An unsigned event is accepted by its secret
 * path only if the service stores no secret, because every event is only a hint (docs/api.md, Webhooks).
 */
export function webhookEndpoint(
  targets: () => readonly WebhookTarget[],
  isStarting: () => boolean = () => false,
): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    type Request = FastifyRequest<{ Params: { token: string } }>;
    const targetOf = ({ params }: Request) =>
      targets().find(({ pathToken }) => sameText(params.token, pathToken));
    // Before the body is read: only the service knows the path.
    const admit = async (request: Request, reply: FastifyReply) => {
      const target = targetOf(request);
      if (!target)
        return isStarting()
          ? reply.code(503).send({ code: 'SERVICE_UNAVAILABLE', message: 'This process is starting.' })
          : reply.code(404).send({ code: 'NOT_FOUND', message: 'There is nothing here.' });
      // The service resends it to the next process.
      if (target.closing.aborted)
        return reply.code(503).send({ code: 'SERVICE_UNAVAILABLE', message: 'This process is stopping.' });
      return undefined;
    };
    const take = async (request: Request, reply: FastifyReply) => {
      const target = targetOf(request);
      // It was there when the request arrived.
      if (!target || target.closing.aborted)
        return reply.code(503).send({ code: 'SERVICE_UNAVAILABLE', message: 'This process is stopping.' });
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const { bridge } = target;
      const refused = await refusal(request.headers, raw, target);
      if (refused) {
        bridge.log.warn({ event: 'webhook.refused', reason: refused }, 'an event of the service was refused');
        return reply.code(401).send({ code: 'UNAUTHORIZED', message: refused });
      }
      const body = parseEventJson(raw);
      if (body === undefined)
        return reply
          .code(400)
          .send({ code: 'BAD_REQUEST', message: 'The body is not JSON, or larger than an event.' });
      // Without that header every event is new: an `id` in the body may be the record's.
      const id = idOf(request.headers[WEBHOOK_HEADERS.id]) ?? bridge.newId('hnt');
      const event = parseServiceEvent(bridge.bot.team, body);
      if (!event) {
        await recordPing(bridge, id, body);
        return reply.code(200).send({ stored: false });
      }
      const { forwarded } = event;
      const stored =
        forwarded && (await isEcho(bridge.database.db, forwarded))
          ? 'needless'
          : await bridge.inbox.service(id, event);
      // The service does not say whether it is a repetition.
      bridge.metrics.events.inc({ source: 'service', kind: 'ticket-changed', stored, retry: 'no' });
      bridge.log.info(
        {
          event: 'webhook.stored',
          webhookId: id,
          ticket: event.ticketId,
          message: event.messageId,
          stored,
        },
        stored === 'needless' ? 'an echo of what came from chat' : 'event of the service stored',
      );
      return reply.code(200).send({ stored: stored === 'new' });
    };
    for (const path of [`${WEBHOOK_PATH}/:token`, `${WEBHOOK_PATH}/:workspace/:token`])
      app.post<{ Params: { token: string } }>(path, {
        bodyLimit: BODY_BYTES,
        onRequest: admit,
        handler: take,
      });
  };
}

/** Returns why an event is rejected; undefined if it is accepted. */
async function refusal(
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  { bridge, secrets }: WebhookTarget,
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
