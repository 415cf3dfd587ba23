import { setTimeout as wait } from 'node:timers/promises';

import { z } from 'zod';

import { AnsweredError, type Client } from '../../client/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/open.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';

const PING_KEY = 'webhook-ping';
const Ping = z.object({ id: z.string() });
const PingBody = z.object({ type: z.literal('Ping') });

/** Records the id of a received ping, in whichever process; other events are not recorded. */
export async function recordPing(
  { database }: { database: Database<BridgeTables> },
  id: string,
  body: unknown,
): Promise<void> {
  if (PingBody.safeParse(body).success) await writeSetting(database.db, PING_KEY, { id });
}

/** The outcome of a ping: it was received; or it was not, with the service's error. */
export type PingOutcome =
  { came: true; afterMs: number } | { came: false; reason: string } | 'not offered' | 'not asked';

/** The service delivers at once; a second attempt would come five seconds later. */
const PING_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** Asks the service for a ping and waits until it is received. Throws ServiceError. */
export async function ping(
  { service, database, clock }: { service: Client; database: Database<BridgeTables>; clock: Clock },
  webhookId: string,
): Promise<PingOutcome> {
  const began = clock.now().getTime();
  let sent: { id: string; eventId: string };
  try {
    sent = await service.pingWebhook({ params: { id: webhookId } });
  } catch (error) {
    if (error instanceof AnsweredError && error.missing) return 'not offered';
    throw error;
  }
  for (;;) {
    const came = await readSetting(database.db, PING_KEY, Ping);
    const afterMs = clock.now().getTime() - began;
    if (came?.id === sent.eventId) return { came: true, afterMs };
    if (afterMs > PING_MS) return { came: false, reason: await attemptsOf(service, webhookId, sent.id) };
    await wait(LOOK_EVERY_MS);
  }
}

/** Returns the service's report on its attempts (`answered 404`). */
async function attemptsOf(service: Client, webhookId: string, deliveryId: string): Promise<string> {
  const { items } = await service.listDeliveries({ params: { id: webhookId }, query: { limit: 20 } });
  const last = items.find(({ id }) => id === deliveryId)?.attempts.at(-1);
  if (!last) return 'the service has not tried yet';
  return last.error ?? `it was answered ${last.status ?? 'nothing'}, but not by this bridge`;
}
