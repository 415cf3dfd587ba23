import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { type Database, openDatabase, transaction } from '../../platform/database/open.ts';
import { createJobs } from '../../platform/jobs/index.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { SCHEMA } from '../bridge.ts';
import { type ChatPlace, eventKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';

interface DeadLetterItem {
  id: number;
  queue: string;
  /** The job's payload without message text. */
  what: string;
  reason: string;
  deadAt: Date;
}

/** The bridge's dead letters, for operators (B49). */
interface DeadLetters extends Running {
  list(): Promise<DeadLetterItem[]>;
  /** Retries dead letters in their original order. Returns how many. */
  retry(which: number[] | 'all'): Promise<number>;
  /** Discards dead letters with everything that depends on them. Returns how many. */
  discard(which: number[] | 'all'): Promise<number>;
}

/** A command's job contains the text and a response URL, which are not shown. */
const UNSHOWN = new Set(['title', 'description', 'responseUrl']);
const withoutWords = (key: string, value: unknown) =>
  UNSHOWN.has(key) && typeof value === 'string' ? '…' : value;

export async function openDeadLetters(
  databaseUrl: string,
  log: Log,
  clock: Clock,
  schema = SCHEMA,
): Promise<DeadLetters> {
  const database = openDatabase<BridgeTables>({ url: databaseUrl, schema, log, poolSize: 2 });
  const jobs = createJobs({ database, log });
  const idsOf = async (which: number[] | 'all') =>
    which === 'all' ? (await jobs.deadLetters()).map(({ id }) => id) : which;
  return {
    list: async () =>
      (await jobs.deadLetters()).map(({ id, queue, payload, reason, deadAt }) => ({
        id,
        queue,
        what: JSON.stringify(payload, withoutWords),
        reason,
        deadAt,
      })),
    retry: async (which) => jobs.retryDeadLetters(await idsOf(which)),
    discard: async (which) => jobs.discardDeadLetters(await giveUp(database, clock, await idsOf(which))),
    stop: () => database.close(),
  };
}

/**
 * Ends the rows of dead letters before their jobs are deleted; repeating it changes nothing. A post takes its failed
 * edits with it; the status reaction of a message stays, because the message was never delivered.
 * @returns the jobs to discard.
 */
async function giveUp({ db }: Database<BridgeTables>, clock: Clock, which: number[]): Promise<number[]> {
  return transaction(db, async (tx) => {
    const { rows: jobs } = await sql<{ id: number; inbox: string | null; outbox: string | null }>`
      with named as (
        select id, payload from job where state = 'dead' and id = any(${which}::bigint[])
      ), posts as (
        select outbox.body ->> 'link' as link from named join outbox on outbox.id = named.payload ->> 'outbox'
        where outbox.kind = 'post'
      )
      select id, payload ->> 'inbox' as inbox, payload ->> 'outbox' as outbox from job
      where state = 'dead' and (id in (select id from named) or payload ->> 'outbox' in (
        select id from outbox where kind in ('edit', 'delete') and body ->> 'link' in (select link from posts)))`.execute(
      tx,
    );
    const inbox = jobs.flatMap((job) => job.inbox ?? []);
    const outbox = jobs.flatMap((job) => job.outbox ?? []);
    const now = clock.now();
    await sql`
      delete from delivery_status using inbox
      where inbox.id = any(${inbox}::text[]) and delivery_status.channel_id = coalesce(inbox.body -> 'message', inbox.body -> 'place') ->> 'channel'
        and delivery_status.ts = coalesce(inbox.body -> 'message', inbox.body -> 'place') ->> 'ts'`.execute(
      tx,
    );
    await sql`
      update inbox set done_at = ${now}, outcome = 'B49 discarded: ' || coalesce(job.last_error, '')
      from job where inbox.id = any(${inbox}::text[]) and job.payload ->> 'inbox' = inbox.id
        and job.state = 'dead' and done_at is null`.execute(tx);
    await sql`
      update message_link set deleted = true from outbox
      where outbox.id = any(${outbox}::text[]) and outbox.kind = 'post' and message_link.id = outbox.body ->> 'link'
        and message_link.ts is null`.execute(tx);
    await sql`
      update outbox set state = 'dropped', sent_at = ${now}
      where id = any(${outbox}::text[]) and state = 'dead'`.execute(tx);
    return jobs.map(({ id }) => id);
  });
}

/** The dead letters of a message’s events. */
export async function deadLettersOf(
  { database }: { database: Database<BridgeTables> },
  place: ChatPlace,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select job.id from job join inbox on inbox.id = job.payload ->> 'inbox'
    where job.state = 'dead' and inbox.source = 'chat'
      and (inbox.event_key in (${eventKey.message(place)}, ${eventKey.deletion(place)})
        or starts_with(inbox.event_key, ${eventKey.edits(place)})
        or starts_with(inbox.event_key, ${eventKey.reactions(place)}))
    order by job.id`.execute(database.db);
  return rows.map(({ id }) => id);
}
