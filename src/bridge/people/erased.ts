// The bridge's copy of users whom the service has erased. It learns of them by a list, like everything of the service.

import { createHash } from 'node:crypto';

import { type RawBuilder, sql } from 'kysely';

import { AnsweredError } from '../../client/index.ts';
import { type Db, transaction } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { peopleOf } from '../slack/chat-event.ts';
import { type ChatPlace, cursorKey, writtenAt } from '../slack/ids.ts';
import type { User } from './people.ts';
import { EVENT, PERSONAL_EVENT } from '../work.ts';

type Handle = Pick<
  Bridge,
  'database' | 'engine' | 'envelopes' | 'service' | 'channels' | 'bot' | 'clock' | 'log' | 'erased'
>;

/** Commit order is not the order of times, and clocks differ. */
const OVERLAP_MS = 15 * 60 * 1000;

/**
 * Forgets the users that the service has erased since the last call: which Slack account was theirs, and what is
 * stored of them. Their next message in Slack makes a new user. Then reads the number of the user forgotten last, by
 * whichever process, into `bridge.erased.last`. Throws ServiceError.
 */
export async function forgetErased(bridge: Handle): Promise<void> {
  const { db } = bridge.database;
  const key = cursorKey.erased(bridge.bot.team);
  const startedAt = bridge.clock.now();
  const cursor = await db.selectFrom('cursor').select('position').where('key', '=', key).executeTakeFirst();
  const since = new Date(cursor ? cursor.position.getTime() - OVERLAP_MS : 0).toISOString();
  for (const { id, erasedAt } of await erasedSince(bridge, since))
    if (erasedAt !== null) await forgetPerson(db, id, new Date(erasedAt));
  await clearCopies(bridge);
  await db
    .insertInto('cursor')
    .values({ key, position: startedAt })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ position: startedAt }))
    .execute();
  const last = await db
    .selectFrom('erased_user')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  bridge.erased.last = last?.number ?? 0;
}

async function erasedSince({ service, channels }: Handle, erasedFrom: string): Promise<User[]> {
  const erased: User[] = [];
  try {
    for (const workspaceId of await channels.workspaceIds())
      for await (const user of service.all('listUsers', { query: { erasedFrom, workspaceId, limit: 20 } })) {
        // A service that ignores this filter lists all users, none of them erased.
        if (user.erasedAt === null) return erased;
        erased.push(user);
      }
  } catch (error) {
    // A service that refuses this filter.
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
  }
  return erased;
}

/** Deletes what belongs to a person. */
async function forgetPerson(db: Db<BridgeTables>, userId: string, erasedAt: Date): Promise<void> {
  return transaction(db, async (tx) => {
    const people = await tx
      .deleteFrom('person')
      .where('user_id', '=', userId)
      .returning(['team_id', 'chat_user_id'])
      .execute();
    const accounts = people.map(({ chat_user_id }) => chat_user_id);
    const digests = people.map(({ team_id, chat_user_id }) => digestOf(team_id, chat_user_id));
    await tx
      .insertInto('erased_user')
      .values({ user_id: userId, accounts: digests, uncleared: accounts, erased_at: erasedAt })
      .onConflict((known) =>
        known
          .column('user_id')
          .doUpdateSet({
            number: sql`excluded.number`,
            accounts: sql`erased_user.accounts || excluded.accounts`,
            uncleared: sql`coalesce(erased_user.uncleared, '{}') || excluded.uncleared`,
          })
          .where(sql<boolean>`excluded.accounts <> '{}'`),
      )
      .execute();
    for (const table of [
      'home',
      'notification_preference',
      'notice',
      'note_hint',
      'form_draft',
      'chat_reaction',
    ] as const)
      await tx
        .deleteFrom(table)
        .where('chat_user_id', 'in', [...accounts, ''])
        .execute();
    await tx
      .deleteFrom('observed_ticket')
      .where('chat_user_id', 'in', [...accounts, ''])
      .execute();
    await tx
      .updateTable('observed_channel')
      .set({ requested_by: userId })
      .where('requested_by', 'in', [...accounts, ''])
      .execute();
    await tx
      .updateTable('conversation')
      .set({ prompted_user_id: null })
      .where('prompted_user_id', 'in', [...accounts, ''])
      .execute();
  });
}

/**
 * Clears the copies of erased users, in batches. What was handled or sent loses its whole body: it may have any of
 * their names. What waits, and dead letters: theirs is emptied too, and ends as erased; words of others stay, without
 * them.
 */
async function clearCopies(bridge: Handle): Promise<void> {
  const { log } = bridge;
  const { db } = bridge.database;
  const users = await db.selectFrom('erased_user').selectAll().where('uncleared', 'is not', null).execute();
  if (users.length === 0) return;
  for (const { user_id: userId, uncleared, erased_at: erasedAt } of users)
    for (const account of uncleared ?? []) {
      await sql`delete from outbox where state in ('sent', 'dropped') and channel_id = ${account}`.execute(
        db,
      );
      for await (const range of ranges(db, 'inbox')) {
        // Who writes from that account after the erasure is somebody new.
        const theirs = sql<boolean>`(${range} and (done_at is not null or received_at <= ${erasedAt}))`;
        const waiting = sql<boolean>`(${theirs} and done_at is null)`;
        await emptyOwn(bridge, waiting, account);
        await withoutAccount(db, waiting, account, `U-${userId}`);
        await clearKeys(db, theirs, account, `U-${userId}`);
      }
    }
  for await (const range of ranges(db, 'inbox'))
    await sql`update inbox set body = null where ${range} and done_at is not null and body is not null`.execute(
      db,
    );
  for await (const range of ranges(db, 'outbox'))
    await sql`update outbox set body = '{}' where ${range} and state in ('sent', 'dropped')`.execute(db);
  // The same: one that is changed later stays in Slack as it is.
  await sql`delete from notice where ts is not null`.execute(db);
  // The title may have the requester's name. Changes are announced from the present state again.
  for await (const range of ranges(db, 'conversation'))
    await sql`update conversation set announced = null where ${range} and announced is not null`.execute(db);
  const ids = users.map(({ user_id }) => user_id);
  await db.updateTable('erased_user').set({ uncleared: null }).where('user_id', 'in', ids).execute();
  log.info({ users: ids }, 'erased users were forgotten');
}

/** Empties what waits of an account; dead letters are worked again, and end. Only zod can read envelopes. */
async function emptyOwn(
  { database: { db }, envelopes, engine }: Handle,
  waiting: RawBuilder<boolean>,
  account: string,
): Promise<void> {
  const { rows } = await sql<{ id: string; body: unknown }>`
    select id, body from inbox
    where ${waiting} and source = 'chat' and strpos(body::text, ${account}) > 0`.execute(db);
  const own = rows.filter(({ body }) => {
    const read = envelopes.read(body);
    // What cannot be read may be anybody's.
    return !read || peopleOf(read.event).includes(account);
  });
  if (own.length === 0) return;
  const ids = own.map(({ id }) => id);
  await db.updateTable('inbox').set({ body: null }).where('id', 'in', ids).execute();
  const { rows: dead } = await sql<{ id: number }>`
    select id from work where dead_at is not null and kind in (${EVENT.name}, ${PERSONAL_EVENT.name})
      and body ->> 'inbox' = any(${ids}::text[])`.execute(db);
  await engine.retryDeadLetters(dead.map(({ id }) => id));
}

/** Takes an account out of what others wrote: mentions, with and without a name. */
async function withoutAccount(
  db: Db<BridgeTables>,
  waiting: RawBuilder<boolean>,
  account: string,
  replacement: string,
): Promise<void> {
  const labelled = `<@${account}\\|[^>"]*>`;
  await sql`
    update inbox set body = regexp_replace(
      regexp_replace(body::text, ${labelled}, ${`<@${replacement}>`}, 'g'), ${wholeWord(account)}, ${replacement}, 'g')::json
    where ${waiting} and strpos(body::text, ${account}) > 0`.execute(db);
}

/** The keys of reactions have the account of who reacted. */
async function clearKeys(
  db: Db<BridgeTables>,
  theirs: RawBuilder<boolean>,
  account: string,
  replacement: string,
): Promise<void> {
  await sql`
    update inbox set event_key = regexp_replace(event_key, ${wholeWord(account)}, ${replacement}, 'g')
    where ${theirs} and strpos(event_key, ${account}) > 0`.execute(db);
}

const wholeWord = (account: string) => `\\m${account}\\M`;

/** Rows per statement: it ends soon, and releases its locks. */
const AT_ONCE = 1_000;

/** Yields the rows of a table in the order of their ids, as conditions that each cover some. */
async function* ranges(
  db: Db<BridgeTables>,
  table: 'inbox' | 'outbox' | 'conversation',
): AsyncGenerator<RawBuilder<boolean>> {
  for (let after = ''; ;) {
    const { rows } = await sql<{ last: string | null }>`
      select max(id) as last from (
        select id from ${sql.table(table)} where id > ${after} order by id limit ${AT_ONCE}) page`.execute(
      db,
    );
    const last = rows[0]?.last ?? null;
    if (last === null) return;
    yield sql<boolean>`(id > ${after} and id <= ${last})`;
    after = last;
  }
}

/**
 * Returns whether a Slack account was an erased user's when a message was written: what is still in Slack from then is
 * no news.
 */
export async function erasedAccounts({
  database,
}: Pick<Bridge, 'database'>): Promise<
  (place: Pick<ChatPlace, 'team' | 'ts'>, chatUserId: string) => boolean
> {
  const erased = await database.db.selectFrom('erased_user').select(['accounts', 'erased_at']).execute();
  const until = new Map(erased.flatMap((user) => user.accounts.map((digest) => [digest, user.erased_at])));
  return ({ team, ts }, chatUserId) => {
    const erasedAt = until.size === 0 ? undefined : until.get(digestOf(team, chatUserId));
    return erasedAt !== undefined && writtenAt(ts) < erasedAt;
  };
}

function digestOf(team: string, chatUserId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([team, chatUserId]))
    .digest('base64url');
}
