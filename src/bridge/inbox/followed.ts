import type { Job } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { InboxPayload } from './job-payload.ts';
import { echoIn, parseServiceEvent } from './service-event.ts';

/**
 * Returns whether the next job with this ordering key checks the same ticket. Then this one need not: the next one
 * reads the newer record, so a burst needs one check. An echo does not check the ticket.
 */
export async function isFollowed(
  { database: { db }, bot }: Pick<Bridge, 'database' | 'bot'>,
  job: Pick<Job<unknown>, 'id' | 'queue' | 'orderingKey'>,
  ticketId: string,
): Promise<boolean> {
  const next = await db
    .selectFrom('job')
    .select('payload')
    .where('queue', '=', job.queue)
    .where('ordering_key', '=', job.orderingKey)
    .where('id', '>', job.id)
    .where('state', '<>', 'dead')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const payload = next?.payload as Record<string, unknown> | undefined;
  if (payload?.['mirror'] !== undefined) return payload['mirror'] === ticketId;
  const { data } = InboxPayload.safeParse(payload);
  if (!data) return false;
  const row = await db
    .selectFrom('inbox')
    .select(['event_key', 'body'])
    .where('id', '=', data.inbox)
    .where('source', '=', 'service')
    .where('done_at', 'is', null)
    .executeTakeFirst();
  if (!row || echoIn(bot.team, row.body)) return false;
  return parseServiceEvent(row.event_key, bot.team, row.body)?.ticketId === ticketId;
}
