import { type Insertable, type Selectable, sql } from 'kysely';

import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import { digestOf, unknownProfile } from '../slack/profile.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { matchUser } from './match-user.ts';
import { usersOf } from './users.ts';

export type Person = Selectable<BridgeTables['person']>;

/** A user is read from Slack again after this time, in case no event reported a change. */
const KEEP_MS = 24 * 60 * 60 * 1000;
/** For someone without a user at the service, who may get one meanwhile. */
const KEEP_UNMATCHED_MS = 10 * 60 * 1000;

/**
 * Returns a chat user with the service's user (B10), read at most a day ago. `user_id` is null if the service has none;
 * then the sender's name precedes the text. Throws ChatError, ServiceError.
 */
export async function personOf(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  label?: string,
): Promise<Person> {
  const known = await findPerson(bridge, team, chatUserId);
  if (known) {
    const age = bridge.clock.now().getTime() - known.read_at.getTime();
    if (age < (known.user_id === null ? KEEP_UNMATCHED_MS : KEEP_MS)) return known;
  }
  return readPerson(bridge, team, chatUserId, known, label);
}

/** Reads a user from Slack now, and matches them again unless they were linked by hand. */
export async function readPerson(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  known: Person | undefined,
  label?: string,
): Promise<Person> {
  const profile = await bridge.chat.profile(chatUserId, bridge.bot).catch((error: unknown) => {
    // Someone who is no longer visible to us still wrote their messages.
    if (error instanceof ChatError && error.next === 'give-up') return undefined;
    throw error;
  });
  const read_at = bridge.clock.now();
  if (known && !profile) return storePerson(bridge, { ...known, read_at }, known);
  // Deactivated users keep name, picture and history (B13): Slack returns less about them.
  if (known && profile?.isDeleted)
    return storePerson(bridge, { ...known, is_deleted: true, digest: digestOf(profile), read_at }, known);
  const shown = profile ?? unknownProfile(chatUserId, label);
  const isLinked = known !== undefined && known.linked_by !== null;
  const read = {
    team_id: team,
    chat_user_id: chatUserId,
    user_id: isLinked ? known.user_id : await matchUser(bridge, team, chatUserId, shown),
    name: shown.displayName,
    is_bot: shown.isBot,
    is_guest: shown.isGuest,
    is_deleted: shown.isDeleted,
    time_zone: shown.timeZone ?? null,
    image: shown.image ?? null,
    digest: digestOf(shown),
    read_at,
  };
  return storePerson(bridge, read, known);
}

/** Stores a user's profile; their link stays if it was changed meanwhile. */
async function storePerson(
  { database }: Bridge,
  person: Insertable<BridgeTables['person']>,
  known: Person | undefined,
): Promise<Person> {
  const { linked_by: _, ...read } = person;
  const wasLinked = known !== undefined && known.linked_by !== null;
  const kept = wasLinked
    ? {
        user_id: sql<string | null>`person.user_id`,
        // A user whose link was removed is matched before their next message.
        read_at: sql<Date>`case when person.linked_by is null then person.read_at else excluded.read_at end`,
      }
    : {
        user_id: sql<
          string | null
        >`case when person.linked_by is null then excluded.user_id else person.user_id end`,
      };
  return database.db
    .insertInto('person')
    .values(read)
    .onConflict((conflict) => conflict.columns(['team_id', 'chat_user_id']).doUpdateSet({ ...read, ...kept }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findPerson(
  { database }: Pick<Bridge, 'database'>,
  team: string,
  chatUserId: string,
): Promise<Person | undefined> {
  return database.db
    .selectFrom('person')
    .selectAll()
    .where('team_id', '=', team)
    .where('chat_user_id', '=', chatUserId)
    .executeTakeFirst();
}

/** Returns several chat users from our own table, however old; unknown ones are read from Slack. */
export async function peopleNamed(
  bridge: Bridge,
  team: string,
  chatUserIds: readonly string[],
  /** The names in mentions of them, for those who are not visible to us. */
  labels?: ReadonlyMap<string, string>,
): Promise<Map<string, Person>> {
  const found = new Map<string, Person>();
  if (chatUserIds.length === 0) return found;
  const rows = await bridge.database.db
    .selectFrom('person')
    .selectAll()
    .where('team_id', '=', team)
    .where('chat_user_id', 'in', chatUserIds)
    .execute();
  for (const row of rows) found.set(row.chat_user_id, row);
  for (const id of chatUserIds)
    if (!found.has(id)) found.set(id, await personOf(bridge, team, id, labels?.get(id)));
  return found;
}

const MENTIONS = 200;
/** For other implementations' ids; ours are shorter. */
const ID_CHARACTERS = 100;

/**
 * Returns the chat users of some of the service's users, if known in this workspace: without deactivated ones, and
 * without accounts that are linked to another user by now (docs/admin.md).
 */
export async function chatUsersOf(bridge: Bridge, userIds: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (userIds.length === 0) return found;
  const { db } = bridge.database;
  const rows = await db
    .selectFrom('person')
    .select(['user_id', 'chat_user_id'])
    .where('team_id', '=', bridge.bot.team)
    .where('user_id', 'in', userIds)
    .where('is_deleted', '=', false)
    // Of several accounts, the most recently seen one.
    .orderBy('read_at')
    .execute();
  for (const row of rows) if (row.user_id) found.set(row.user_id, row.chat_user_id);
  // A text that mentions more users than this is not written by a person: the rest stays text.
  const unknown = userIds.filter((id) => !found.has(id) && id.length <= ID_CHARACTERS).slice(0, MENTIONS);
  const named = new Map<string, string>();
  for (const user of await usersOf(bridge, unknown))
    for (const { chatTeamId, chatUserId } of user.chatUsers)
      if (chatTeamId === bridge.bot.team || chatTeamId === null) named.set(chatUserId, user.id);
  if (named.size === 0) return found;
  // Accounts named by the records are checked in the bridge's own table: they may be deactivated or linked to another
  // user; or they were matched this moment, and the record is right.
  const rowsNow = await db
    .selectFrom('person')
    .select(['chat_user_id', 'user_id', 'is_deleted'])
    .where('team_id', '=', bridge.bot.team)
    .where('chat_user_id', 'in', [...named.keys()])
    .execute();
  for (const { chat_user_id, user_id, is_deleted } of rowsNow)
    if (is_deleted || user_id !== named.get(chat_user_id)) named.delete(chat_user_id);
  for (const [chatUserId, userId] of named) found.set(userId, chatUserId);
  return found;
}
