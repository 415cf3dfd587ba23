import { sql } from 'kysely';

import { AnsweredError } from '../../client/index.ts';
import { GiveUp, RetryLater } from '../../platform/engine/index.ts';
import type { Bridge } from '../bridge.ts';
import type { BodyOf, Done, EVENT, Work } from '../work.ts';
import { GIVE_UP_TRIES, originalOf } from '../inbox/classify.ts';

/** If another message crossed within this time, the service is not down. */
const OTHERS_MS = 10 * 60_000;
/** Events of which failures are remembered. */
const REMEMBERED = 1_000;

type Event = Pick<Work<BodyOf<typeof EVENT>>, 'id' | 'body'>;

/**
 * Returns a function that works an event, and gives it up if the service answers with its own error as often in a row as
 * a post is tried, but takes others: it would block its conversation for ever (B49). An outage never exhausts an event.
 * Failures are counted in this process alone: after a restart, the event gets all of its tries again.
 */
export function limitFailures(
  bridge: Pick<Bridge, 'database' | 'clock'>,
): (event: Event, work: () => Promise<Done>) => Promise<Done> {
  const failures = new Map<number, number>();
  return async (event, work) => {
    try {
      const done = await work();
      failures.delete(event.id);
      return done;
    } catch (error) {
      const cause = internalError(error);
      const count = (failures.get(event.id) ?? 0) + 1;
      failures.delete(event.id);
      if (!cause) throw error;
      if (count >= GIVE_UP_TRIES && (await doOthersPass(bridge, event.body.inbox)))
        throw new GiveUp(`the service fails at it again and again (${cause.message})`, {
          cause: error,
          code: String(cause.status),
        });
      failures.set(event.id, count);
      const [oldest] = failures.keys();
      if (failures.size > REMEMBERED && oldest !== undefined) failures.delete(oldest);
      throw error;
    }
  };
}

function internalError(error: unknown): AnsweredError | undefined {
  const original = originalOf(error);
  const cause = original instanceof RetryLater ? original.cause : original;
  return cause instanceof AnsweredError && cause.isInternal ? cause : undefined;
}

/**
 * Returns whether a later message of another conversation has crossed: for one that is to open a ticket, one that opened
 * its own.
 */
async function doOthersPass(
  { database, clock }: Pick<Bridge, 'database' | 'clock'>,
  inbox: string,
): Promise<boolean> {
  const since = new Date(clock.now().getTime() - OTHERS_MS);
  const { rows } = await sql<{ pass: boolean }>`
    select exists (
      select from inbox other join conversation on conversation.id = other.conversation_id
      where other.source = 'chat' and other.kind = 'message' and other.done_at is not null
        and other.received_at > greatest(own.received_at, ${since}::timestamptz)
        and other.conversation_id is distinct from own.conversation_id
        and case when own_conversation.id is not null and own_conversation.ticket_id is null
          then conversation.ticket_id is not null
            and conversation.description_ts = split_part(other.event_key, ':', 4)
          else exists (
            select from message_link
            where team_id = split_part(other.event_key, ':', 2) and channel_id = split_part(other.event_key, ':', 3)
              and ts = split_part(other.event_key, ':', 4) and origin = 'chat')
          end) as pass
    from inbox own left join conversation own_conversation on own_conversation.id = own.conversation_id
    where own.id = ${inbox}`.execute(database.db);
  return rows[0]?.pass === true;
}
