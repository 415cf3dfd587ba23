import { sql } from 'kysely';

import { transaction } from '../platform/database/open.ts';
import type { Bridge } from './bridge.ts';

/** Threads looked at in one go: their rows are locked meanwhile. */
const AT_ONCE = 500;

/** Forgets what was worked, sent or dropped longer ago than this; what still waits or is parked, and every link with its reactions, is kept. */
export async function prune(
  { database, clock }: Pick<Bridge, 'database' | 'clock'>,
  days: number,
): Promise<void> {
  const before = new Date(clock.now().getTime() - days * 86_400_000);
  await database.db.deleteFrom('inbox').where('done_at', '<', before).execute();
  await database.db
    .deleteFrom('outbox')
    .where('state', 'in', ['sent', 'dropped'])
    .where('sent_at', '<', before)
    .execute();
  await sql`
    delete from chat_reaction heard where user_id is null and heard_at < ${before}
      and not exists (select 1 from message_link link where link.team_id = heard.team_id
        and link.channel_id = heard.channel_id and link.ts = heard.ts)`.execute(database.db);
  await database.db
    .deleteFrom('link_code')
    .where('expires_at', '<', clock.now())
    .where((is) => is.or([is('message_id', 'is', null), is('expires_at', '<', before)]))
    .execute();
  await database.db.deleteFrom('form_draft').where('updated_at', '<', before).execute();
  await database.db.deleteFrom('act').where('at', '<', before).execute();
  await database.db.deleteFrom('observed_ticket').where('seen_at', '<', before).execute();
  await database.db.deleteFrom('heard_message').where('heard_at', '<', before).execute();
  await database.db.deleteFrom('reminder').where('told_at', '<', before).execute();
  await database.db.deleteFrom('pace').where('next_at', '<', before).execute();
  for (let after = ''; ;) {
    const looked = await pruneThreads(database, before, after);
    if (looked === undefined) return;
    after = looked;
  }
}

/**
 * Forgets threads without a ticket that nobody was asked in and nothing is on its way for; one that is talked in again
 * is simply made again. In two statements: what was stored for a thread while its row was being locked is seen by the
 * second, and nothing can be stored for it between that and the end.
 * @returns the last id that was looked at; undefined at the end.
 */
async function pruneThreads(
  database: Bridge['database'],
  before: Date,
  after: string,
): Promise<string | undefined> {
  return transaction(database.db, async (tx) => {
    const old = await tx
      .selectFrom('conversation')
      .select('id')
      .where('id', '>', after)
      .where('ticket_id', 'is', null)
      .where('asked_user_id', 'is', null)
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
        and not exists (select 1 from job where job.key = conversation.id)`.execute(tx);
    return ids.at(-1);
  });
}
