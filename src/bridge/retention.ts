import { type RawBuilder, sql } from 'kysely';

import { BATCH, deleteInBatches } from '../platform/database/delete-in-batches.ts';
import { type Db, transaction } from '../platform/database/open.ts';
import type { Running } from '../platform/lifecycle.ts';
import type { Bridge } from './bridge.ts';
import type { BridgeTables } from './schema/tables.ts';
import { CLASSES } from './work.ts';

/** Threads checked at once: their rows are locked meanwhile. */
const AT_ONCE = 500;

/** Days after which is deleted what is done. */
export interface Retention {
  days: number;
  /**
   * What Slack sent is emptied sooner: until then a listener that was wrong can be mended, and the event done again.
   */
  bodyDays: number;
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * 86_400_000);

/**
 * Deletes what was handled, sent or discarded longer ago than this; what still waits, dead letters, and every link with
 * its reactions, stay.
 * @param signal stops after the running batch.
 */
export async function pruneBridge(
  { database: { db }, clock }: Pick<Bridge, 'database' | 'clock'>,
  { days, bodyDays }: Retention,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const before = daysBefore(now, days);
  const old: Partial<Record<keyof BridgeTables, RawBuilder<unknown>>> = {
    // By the index of the first: the second has none, as it would be written with every event.
    inbox: sql`received_at < ${before} and done_at < ${before}`,
    outbox: sql`state in ('sent', 'dropped') and sent_at < ${before}`,
    chat_reaction: sql`user_id is null and received_at < ${before} and not exists (
      select 1 from message_link link where link.team_id = chat_reaction.team_id
        and link.channel_id = chat_reaction.channel_id and link.ts = chat_reaction.ts)`,
    form_draft: sql`updated_at < ${before}`,
    ticket_change: sql`at < ${before}`,
    observed_ticket: sql`seen_at < ${before}`,
    notified_message: sql`notified_at < ${before}`,
    notice: sql`made_at < ${before}`,
    reminder: sql`sent_at < ${before}`,
    rate_limit: sql`next_at < ${before}`,
    // Older threads are not compared with Slack any more.
    erased_user: sql`uncleared is null and erased_at < ${before}`,
  };
  for (const [table, condition] of Object.entries(old)) {
    if (signal?.aborted) return;
    await deleteInBatches(db, table, condition, signal);
  }
  await emptyBodies(db, daysBefore(now, bodyDays), signal);
  for (let after = ''; !signal?.aborted;) {
    const looked = await pruneThreads(db, before, after);
    if (looked === undefined) return;
    after = looked;
  }
}

async function emptyBodies(db: Db<BridgeTables>, before: Date, signal?: AbortSignal): Promise<void> {
  for (let emptied = BATCH; emptied === BATCH && !signal?.aborted;) {
    const { numAffectedRows } = await sql`
      update inbox set body = null where id = any(array(
        select id from inbox where body is not null and received_at < ${before} and done_at < ${before}
        limit ${BATCH} for update skip locked))`.execute(db);
    emptied = Number(numAffectedRows);
  }
}

/**
 * Deletes threads without a ticket, open question or pending work; a later event simply creates the thread again. In
 * two statements: the second one sees what was stored for a thread while its row was being locked, and nothing can be
 * stored for it between that and the end.
 * @returns the last id that was checked; undefined at the end.
 */
async function pruneThreads(db: Db<BridgeTables>, before: Date, after: string): Promise<string | undefined> {
  return transaction(db, async (tx) => {
    const old = await tx
      .selectFrom('conversation')
      .select('id')
      .where('id', '>', after)
      .where('ticket_id', 'is', null)
      .where('prompted_user_id', 'is', null)
      .where('created_at', '<', before)
      .orderBy('id')
      .limit(AT_ONCE)
      .forUpdate()
      .skipLocked()
      .execute();
    const ids = old.map(({ id }) => id);
    if (ids.length === 0) return undefined;
    await sql`
      delete from conversation where id = any(${ids}::text[])
        and not exists (select 1 from inbox where inbox.conversation_id = conversation.id)
        and not exists (select 1 from outbox where outbox.conversation_id = conversation.id)
        and not exists (select 1 from work where done_at is null
          and work.lane = any(array[${CLASSES.conversation} || ':' || conversation.id, ${CLASSES.chat} || ':' || conversation.id]))`.execute(
      tx,
    );
    return ids.at(-1);
  });
}

const PRUNE_EVERY_MS = 60 * 60 * 1000;
/** Done work is kept no longer: what it did is in the tables of what it did it to. */
const FORGET_EVERY_MS = 10_000;

/** Deletes regularly what is done. */
export function startUpkeep(bridge: Bridge, retention: Retention): Running {
  const { engine, clock, log } = bridge;
  const stopping = new AbortController();
  const pruning = setInterval(() => {
    pruneBridge(bridge, retention, stopping.signal).catch((error: unknown) =>
      log.warn({ err: error }, 'could not prune'),
    );
  }, PRUNE_EVERY_MS);
  const forgetting = setInterval(() => {
    engine
      .forget(clock.now())
      .catch((error: unknown) => log.warn({ err: error }, 'could not delete done work'));
  }, FORGET_EVERY_MS);
  for (const timer of [pruning, forgetting]) timer.unref();
  return {
    stop: async () => {
      stopping.abort();
      for (const timer of [pruning, forgetting]) clearInterval(timer);
    },
  };
}
