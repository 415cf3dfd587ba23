import { setTimeout as wait } from 'node:timers/promises';

import { z } from 'zod';

import { AnsweredError, ServiceError } from '../client/index.ts';
import { StartError } from '../platform/lifecycle.ts';
import type { Bridge } from './bridge.ts';
import { readSetting, writeSetting } from './links/settings.ts';

const Stored = z.object({ id: z.string() });

/**
 * Tells the service where its events go: the stored webhook is put right and switched on, a lost one is made anew
 * (docs/decisions.md, Registration). Throws ServiceError.
 */
export async function registerWebhook(
  { database, service, log }: Pick<Bridge, 'database' | 'service' | 'log'>,
  url: string,
  secret: string,
): Promise<void> {
  const wanted = { url, secret, active: true, eventTypes: ['Ticket' as const, 'Message' as const] };
  const stored = await readSetting(database.db, 'webhook', Stored);
  if (stored) {
    try {
      await service.updateWebhook({ params: { id: stored.id }, body: wanted });
      return;
    } catch (error) {
      if (!(error instanceof AnsweredError && error.status === 404)) throw error;
    }
  }
  const { id } = await service.createWebhook({ body: { ...wanted, name: 'deskbridge' } });
  await writeSetting(database.db, 'webhook', { id });
  log.info({ event: 'webhook.registered', webhook: id }, 'webhook registered with the service');
}

const REGISTER_AGAIN_MS = 5_000;

/**
 * Registers the webhook now, or, where the service is away, as soon as it is back: nothing is lost meanwhile.
 * @returns the work that still goes on in the background.
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
