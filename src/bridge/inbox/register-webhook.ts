import { setTimeout as wait } from 'node:timers/promises';

import { z } from 'zod';

import { AnsweredError, ServiceError } from '../../client/index.ts';
import type { Db } from '../../platform/database/open.ts';
import { StartError } from '../../platform/lifecycle.ts';
import type { Bridge } from '../bridge.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** `signed`: the service has our secret, so its events are signed. */
const Stored = z.object({ id: z.string(), signed: z.boolean().default(false) });

/** Returns the id of the registered webhook, or undefined. */
export async function registeredWebhook(db: Db<BridgeTables>): Promise<string | undefined> {
  return (await readSetting(db, 'webhook', Stored))?.id;
}

/**
 * Returns whether the service has the secret of the registered webhook: then an unsigned event is not the service's.
 */
export async function signsEvents(db: Db<BridgeTables>): Promise<boolean> {
  return (await readSetting(db, 'webhook', Stored))?.signed ?? false;
}

/**
 * Registers the webhook with the service: corrects and enables the stored one, or creates it again (docs/api.md,
 * Another service). Throws ServiceError.
 */
async function registerWebhook(
  { database, service, log }: Pick<Bridge, 'database' | 'service' | 'log'>,
  url: string,
  secret: string,
): Promise<void> {
  const wanted = { url, secret, active: true, eventTypes: ['Ticket' as const, 'Message' as const] };
  for (const id of await candidates(service, database, url)) {
    try {
      const updated = await service.updateWebhook({ params: { id }, body: wanted });
      await writeSetting(database.db, 'webhook', { id, signed: updated.secret === secret });
      return;
    } catch (error) {
      if (!(error instanceof AnsweredError && error.status === 404)) throw error;
    }
  }
  const created = await service.createWebhook({ body: { ...wanted, name: 'deskbridge' } });
  const { id } = created;
  await writeSetting(database.db, 'webhook', { id, signed: created.secret === secret });
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
  bridge: Pick<Bridge, 'database' | 'service' | 'log'>,
  url: string,
  secret: string,
): Promise<void> {
  const { db } = bridge.database;
  try {
    await mendWebhook(bridge, url, secret);
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
async function mendWebhook(
  bridge: Pick<Bridge, 'database' | 'service' | 'log'>,
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
    const doorOf = (one: string) => one.slice(0, one.lastIndexOf('/'));
    const { items } = await service.listWebhooks({});
    return items.filter((webhook) => doorOf(webhook.url) === doorOf(url)).map(({ id }) => id);
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
          `The service refuses SERVICE_API_TOKEN (${error.status}). Make a key of role "agent" or "admin" in its settings, or with \`deskbridge keys create\`, and set it.`,
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
