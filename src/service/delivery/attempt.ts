import { WEBHOOK_HEADERS } from '../../contract/index.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { sign } from '../../platform/signatures.ts';
import type { ServiceDb } from '../handler.ts';
import { openSecret } from '../webhooks/secrets.ts';
import type { AttemptJob, StoredDelivery } from './jobs.ts';

/** The contents of one attempt. */
export interface Due {
  eventId: string;
  type: string;
  url: string;
  active: boolean;
  body: Buffer;
  secrets: string[];
}

/** Returns the delivery for a job; undefined if the delivery is stale or done, or its webhook was deleted. */
export async function storedDelivery(db: ServiceDb, job: AttemptJob): Promise<StoredDelivery | undefined> {
  return db
    .selectFrom('delivery as d')
    .innerJoin('webhook as w', (join) =>
      join.onRef('w.workspace_id', '=', 'd.workspace_id').onRef('w.id', '=', 'd.webhook_id'),
    )
    .innerJoin('event as e', (join) =>
      join.onRef('e.workspace_id', '=', 'd.workspace_id').onRef('e.id', '=', 'd.event_id'),
    )
    .select([
      'w.url',
      'w.active',
      'w.secret',
      'w.previous_secret',
      'w.previous_secret_until',
      'e.id',
      'e.type',
      'e.body',
    ])
    .where('d.workspace_id', '=', job.workspaceId)
    .where('d.id', '=', job.deliveryId)
    .where('d.state', '=', 'pending')
    .where('d.round', '=', job.round)
    .where('d.step', '=', job.step)
    .executeTakeFirst();
}

export function dueOf(
  sealing: Sealing,
  { workspaceId, webhookId }: AttemptJob,
  {
    id: eventId,
    type,
    url,
    active,
    body,
    secret,
    previous_secret,
    previous_secret_until: until,
  }: StoredDelivery,
  now: Date,
): Due {
  const previous = until !== null && until > now ? previous_secret : null;
  return {
    eventId,
    type,
    url,
    active,
    body: Buffer.from(body, 'utf8'),
    secrets: [secret, previous]
      .map((each) => openSecret(sealing, { workspace_id: workspaceId, id: webhookId }, each))
      .filter((each) => each !== null),
  };
}

/** Returns the headers of Standard Webhooks 1.0; without a secret there is no signature. */
export function headersOf(
  { eventId, body, secrets }: Due,
  now: Date,
  version: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    'content-type': 'application/json',
    'user-agent': `deskbridge/${version}`,
    [WEBHOOK_HEADERS.id]: eventId,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    ...(secrets.length > 0 && {
      [WEBHOOK_HEADERS.signature]: sign({ id: eventId, timestamp, body }, secrets),
    }),
  };
}
