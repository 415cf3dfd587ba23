// Which Slack account is which user of the service. reach.ts says where a user can be reached.

import { isDeepStrictEqual } from 'node:util';

import { type Insertable, type Selectable, sql } from 'kysely';
import { z } from 'zod';

import { type Answer, AnsweredError } from '../../client/index.ts';
import { type RouteBody, shorten } from '../../contract/index.ts';
import type { Bridge } from '../bridge.ts';
import { type ChatProfile, profileDigest, unknownProfile, profileOf } from '../slack/profile.ts';
import { ifRejected } from '../slack/errors.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { EventOf } from '../slack/chat-event.ts';
import type { EventContext } from '../inbox/event-context.ts';
import { isTrusted } from './trust.ts';
import type { Done } from '../work.ts';

export type User = Answer<'listUsers'>['items'][number];

const IDS_AT_ONCE = 50;

/**
 * Returns those of these users that exist in the service, in any workspace: a list without a workspace covers only the
 * key's home. Throws ServiceError.
 */
export async function usersOf(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  userIds: readonly string[],
): Promise<User[]> {
  let missing = [...new Set(userIds)];
  const found: User[] = [];
  if (missing.length === 0) return found;
  for (const workspaceId of await channels.workspaceIds()) {
    for (let at = 0; at < missing.length; at += IDS_AT_ONCE) {
      const some = missing.slice(at, at + IDS_AT_ONCE);
      const query = { set: some.join(','), workspaceId, limit: IDS_AT_ONCE };
      const { items } = await service.listUsers({ query });
      // A service without this filter returns other users too.
      found.push(...items.filter(({ id }) => some.includes(id)));
    }
    const known = new Set(found.map(({ id }) => id));
    missing = missing.filter((id) => !known.has(id));
    if (missing.length === 0) break;
  }
  return found;
}

/** Returns the first matching user in the lists of all workspaces. Throws ServiceError. */
export async function findUser(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  by: { email: string } | { chatUserId: string },
  isWanted: (user: User) => boolean,
): Promise<User | undefined> {
  for (const workspaceId of await channels.workspaceIds()) {
    const { items } = await service.listUsers({ query: { ...by, workspaceId } });
    const user = items.find(isWanted);
    if (user) return user;
  }
  return undefined;
}

/**
 * Returns the service's user for a chat user, created if needed: by e-mail address, then by chat account, else as a
 * guest (B10). If a workspace does not create users from chat (`disableChatUserSync`), or the service cannot, only
 * existing ones are found. Null: none; then the sender's name precedes their messages.
 * @param chatUserId as Slack reported it; if they have another id by now, both accounts are theirs.
 */
async function matchUser(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  profile: ChatProfile,
): Promise<string | null> {
  if (await bridge.channels.syncsPeople()) {
    const id = await createUser(bridge, team, chatUserId, profile);
    if (id !== undefined) return id;
  }
  const { email } = profile;
  const known = await findUser(bridge, { chatUserId }, (user) =>
    user.chatUsers.some((chat) => chat.chatUserId === chatUserId && chat.chatTeamId === team),
  );
  if (known || !email) return known?.id ?? null;
  const lower = email.toLowerCase();
  const byEmail = await findUser(bridge, { email }, (user) => user.email?.toLowerCase() === lower);
  return byEmail?.id ?? null;
}

/**
 * Creates the user, or updates the one that exists. A field of the profile that the service refuses is left out, rather
 * than the user. Throws ServiceError.
 * @returns undefined if the service cannot create users, or not this one: its e-mail address and its chat account
 * belong to two users. Logged, because their messages are then the bot's.
 */
async function createUser(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  profile: ChatProfile,
): Promise<string | undefined> {
  let shown: WritableProfile = profile;
  for (;;)
    try {
      const { id } = await bridge.service.createUser({ body: userBody(team, chatUserId, shown) });
      return id;
    } catch (error) {
      if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
      const refused = error.issues.map(({ path }) => path);
      bridge.log.warn(
        { event: 'user.refused', chatUserId, status: error.status, code: error.code, refused },
        'the service refused a user, or a field of their profile',
      );
      const rest = withoutRefused(shown, refused);
      if (rest === undefined) return undefined;
      shown = rest;
    }
}

type WritableProfile = Pick<
  ChatProfile,
  'id' | 'displayName' | 'firstName' | 'lastName' | 'email' | 'image' | 'isBot' | 'isGuest'
>;

function userBody(
  team: string,
  chatUserId: string,
  { email, image, ...profile }: WritableProfile,
): RouteBody<'createUser'> {
  return {
    email: email ?? null,
    firstName: profile.firstName,
    lastName: profile.lastName ?? null,
    image: image ?? null,
    isGuestCreated: profile.isGuest || !email,
    isBot: profile.isBot,
    chatUsers: [...new Set([chatUserId, profile.id])].map((account) => ({
      chatUserId: account,
      chatTeamId: team,
      chatImageUrl: image ?? null,
      chatDisplayName: profile.displayName,
      isBot: profile.isBot,
    })),
  };
}

/** Fits into every field for a name. */
const NAME_CHARACTERS = 100;

/**
 * Returns a profile without the fields that the service refused, by the paths of its issues: optional ones are left
 * out, names are shortened. Undefined if that leaves it as it is.
 */
export function withoutRefused(
  profile: WritableProfile,
  refused: readonly string[],
): WritableProfile | undefined {
  const is = (...names: string[]) => refused.some((path) => names.includes(path.split('.').at(-1) ?? ''));
  const rest = { ...profile };
  if (is('email')) rest.email = undefined;
  if (is('image', 'chatImageUrl')) rest.image = undefined;
  if (is('lastName')) rest.lastName = undefined;
  if (is('firstName')) rest.firstName = shorten(rest.firstName, NAME_CHARACTERS);
  if (is('chatDisplayName')) rest.displayName = shorten(rest.displayName, NAME_CHARACTERS);
  return isDeepStrictEqual(rest, profile) ? undefined : rest;
}

export type Person = Selectable<BridgeTables['person']>;

/** A user is read from Slack again after this time, in case no event reported a change. */
const KEEP_MS = 24 * 60 * 60 * 1000;
/** How long a user who is unknown to the service is cached: they may become known. */
const KEEP_UNMATCHED_MS = 10 * 60 * 1000;

/**
 * Returns a chat user with the service's user (B10), read at most a day ago. `user_id` is null if the service has none;
 * then the sender's name precedes the text. Throws ChatError, ServiceError.
 * @param more their name in a mention, for those who are not visible to us; what was stored of them, if that was just
 * read.
 */
export async function personOf(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  { label, stored }: { label?: string | undefined; stored?: Person | undefined } = {},
): Promise<Person> {
  const known = stored ?? (await findPerson(bridge, team, chatUserId));
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
  // Someone who is no longer visible to us still wrote their messages.
  const profile = await bridge.chat.profile(chatUserId, bridge.bot).catch(ifRejected(undefined));
  const read_at = bridge.clock.now();
  if (known && !profile) return storePerson(bridge, { ...known, read_at }, known);
  // Deactivated users keep name, picture and history (B13): Slack returns less about them.
  if (known && profile?.isDeleted)
    return storePerson(
      bridge,
      { ...known, is_deleted: true, digest: profileDigest(profile), read_at },
      known,
    );
  // The admins of a workspace that is not trusted could give its people any e-mail address.
  const trusted = await isTrusted(bridge);
  const seen = profile ?? unknownProfile(chatUserId, label);
  const shown = trusted ? seen : { ...seen, email: undefined, isAdmin: false, isGuest: true };
  const isLinked = trusted && known !== undefined && known.linked_by !== null;
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
    digest: profileDigest(shown),
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

/**
 * Returns a chat user who is named in a text; undefined if neither we nor Slack know them: writing an id makes nobody a
 * user. Throws ChatError, ServiceError.
 */
export async function namedPerson(
  bridge: Bridge,
  team: string,
  chatUserId: string,
): Promise<Person | undefined> {
  const stored = await findPerson(bridge, team, chatUserId);
  if (!stored && !(await bridge.chat.profile(chatUserId, bridge.bot).catch(ifRejected(undefined))))
    return undefined;
  return personOf(bridge, team, chatUserId, { stored });
}

/** Unknown users in one text that are looked up in Slack: each is a call, and anyone can make up ids. */
const LOOKED_UP = 20;

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
  const unknown = chatUserIds.filter((id) => !found.has(id));
  for (const [at, id] of unknown.entries()) {
    const person = at < LOOKED_UP ? await namedPerson(bridge, team, id) : undefined;
    found.set(id, person ?? nameOnly(bridge, team, id, labels?.get(id)));
  }
  return found;
}

/** Returns a chat user whom Slack does not show us: only a name in a text, not a user. */
function nameOnly({ clock }: Bridge, team: string, chatUserId: string, label: string | undefined): Person {
  const { displayName, isBot, isGuest, isDeleted } = unknownProfile(chatUserId, label);
  return {
    team_id: team,
    chat_user_id: chatUserId,
    user_id: null,
    linked_by: null,
    name: displayName,
    is_bot: isBot,
    is_guest: isGuest,
    is_deleted: isDeleted,
    time_zone: null,
    image: null,
    digest: '',
    read_at: clock.now(),
  };
}

const MENTIONS = 200;
/** For other implementations' ids; ours are shorter. */
const ID_CHARACTERS = 100;

/**
 * Returns the chat users of some of the service's users, if known in this workspace: without deactivated ones, and
 * without accounts that are linked to another user by now (docs/set-up.md).
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

/** Returns a user's display name: by name, else by e-mail address; undefined if the record has neither. */
export function userName(user: {
  firstName: string | null;
  lastName: string | null;
  email: string | null;
}): string | undefined {
  return [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email || undefined;
}

/** Returns the name of the AI agent or the workflow that wrote a message; undefined if neither did. */
export function programName({
  agent,
  workflow,
}: {
  agent?: { name: string } | null | undefined;
  workflow?: { name: string } | null | undefined;
}): string | undefined {
  return agent?.name ?? (workflow ? `Workflow: ${workflow.name}` : undefined);
}

/** The setting that forwards other bots' messages (B17); off by default. */
export const ALLOWS_BOTS = 'allow-bots';
export const AllowsBots = z.boolean();

/**
 * Returns whether a `user_change` is worth storing: Slack sends one for every status change, and most users never wrote
 * on a ticket.
 */
export async function isPersonNews(
  { database, bot }: Pick<Bridge, 'database' | 'bot'>,
  { profile, team, user }: EventOf<'person'>,
): Promise<boolean> {
  const known = await findPerson({ database }, team, user);
  return known !== undefined && !(profile && known.digest === profileDigest(profileOf(profile, bot)));
}

/** A user changed in Slack: reads their name and picture again, and updates their user (B10, B13). */
export async function refreshPerson(bridge: Bridge, ctx: EventContext<EventOf<'person'>>): Promise<Done> {
  const { team, user } = ctx.event;
  const known = await findPerson(bridge, team, user);
  if (!known) return ctx.finish('unknown user');
  const { is_deleted } = await readPerson(bridge, team, user, known);
  return ctx.finish(is_deleted ? 'deactivated: no longer mentioned' : 'name and picture read again');
}
