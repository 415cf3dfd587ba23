import { type Insertable, type Selectable, sql } from 'kysely';

import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import { digestOf, unknownProfile } from '../slack/profile.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { matchUser } from './match-user.ts';
import { usersOf } from './users.ts';

export type Person = Selectable<BridgeTables['person']>;

/** A person is read again from chat after this long, should no event have told of a change. */
const KEEP_MS = 24 * 60 * 60 * 1000;
/** Somebody without a user at the service: it may get one meanwhile. */
const KEEP_UNMATCHED_MS = 10 * 60 * 1000;

/**
 * A chat user with the service's user behind it (B10), as it was read at most a day ago. `user_id` is null where the
 * service has none for it; then the sender's name stands in front of the text. Throws ChatError, ServiceError.
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

/** Reads a person from chat now, and matches them anew unless somebody has said who they are. */
export async function readPerson(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  known: Person | undefined,
  label?: string,
): Promise<Person> {
  const profile = await bridge.chat.profile(chatUserId, bridge.bot).catch((error: unknown) => {
    // Somebody whom chat does not show to us any more still wrote what they wrote.
    if (error instanceof ChatError && error.next === 'give-up') return undefined;
    throw error;
  });
  const read_at = bridge.clock.now();
  if (known && !profile) return storePerson(bridge, { ...known, read_at }, known);
  // Who left keeps name, picture and history (B13): chat tells less of them from now on.
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

/** Stores what was read of a person; who they are stays as it is where that was said, or taken back, meanwhile. */
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
        // Whose link was taken back is matched before their next message.
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

/** Some chat users at once, as they are known here, however old that is; who is not is read from chat. */
export async function peopleNamed(
  bridge: Bridge,
  team: string,
  chatUserIds: readonly string[],
  /** The names that mentions of them carry, for those whom chat does not show. */
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
/** Of another implementation's ids; ours are shorter. */
const ID_CHARACTERS = 100;

/**
 * The chat users of some of the service's users, where they are known in this workspace: none who left, and nobody
 * whose account speaks for another user by now (docs/admin.md).
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
    // Of several accounts the one that was heard of last.
    .orderBy('read_at')
    .execute();
  for (const row of rows) if (row.user_id) found.set(row.user_id, row.chat_user_id);
  // A text that mentions more people than this is no text for people: the rest stays text.
  const unknown = userIds.filter((id) => !found.has(id) && id.length <= ID_CHARACTERS).slice(0, MENTIONS);
  const named = new Map<string, string>();
  for (const user of await usersOf(bridge, unknown))
    for (const { chatTeamId, chatUserId } of user.chatUsers)
      if (chatTeamId === bridge.bot.team || chatTeamId === null) named.set(chatUserId, user.id);
  if (named.size === 0) return found;
  // What the records name is asked of the bridge's own table: there they may have left, or speak for another user by
  // now; or they were matched this moment, and are who the record says.
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
