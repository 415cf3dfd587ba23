import { z } from 'zod';

import { AnsweredError } from '../client/index.ts';
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
