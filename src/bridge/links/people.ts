import type { Selectable } from 'kysely';

import { AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError } from '../chat/errors.ts';
import type { ChatProfile } from '../chat/reader.ts';
import type { PersonTable } from '../schema/tables.ts';

export type Person = Selectable<PersonTable>;

/** A person is read again from chat after this long: names and pictures change. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/**
 * The service's user behind a chat user, made where there is none (B10): by e-mail, then by chat id, else as a guest.
 * `userId` is null where the service cannot make users; then the sender's name stands in front of the text.
 */
export async function personOf(bridge: Bridge, team: string, chatUserId: string): Promise<Person> {
  const { database, clock } = bridge;
  const known = await findPerson(bridge, team, chatUserId);
  if (known && clock.now().getTime() - known.read_at.getTime() < KEEP_MS) return known;
  const profile = await bridge.chat.profile(chatUserId).catch((error: unknown) => {
    // Somebody whom chat does not show to us any more still wrote what they wrote.
    if (error instanceof ChatError && error.next === 'give-up') return undefined;
    throw error;
  });
  if (!profile && known) return known;
  const person: Person = {
    team_id: team,
    chat_user_id: chatUserId,
    user_id: await userIdOf(bridge, team, profile ?? strangerOf(chatUserId)),
    name: profile?.displayName ?? chatUserId,
    is_bot: profile?.isBot ?? false,
    is_guest: profile?.isGuest ?? true,
    time_zone: profile?.timeZone ?? null,
    read_at: clock.now(),
  };
  await database.db
    .insertInto('person')
    .values(person)
    .onConflict((conflict) => conflict.columns(['team_id', 'chat_user_id']).doUpdateSet(person))
    .execute();
  return person;
}

export async function findPerson(
  bridge: Bridge,
  team: string,
  chatUserId: string,
): Promise<Person | undefined> {
  return bridge.database.db
    .selectFrom('person')
    .selectAll()
    .where('team_id', '=', team)
    .where('chat_user_id', '=', chatUserId)
    .executeTakeFirst();
}

const IDS_AT_ONCE = 50;
const MENTIONS = 200;
/** Of another implementation's ids; ours are shorter. */
const ID_CHARACTERS = 100;

/** The chat users of some of the service's users, where they are known in this workspace. */
export async function chatUsersOf(bridge: Bridge, userIds: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (userIds.length === 0) return found;
  const rows = await bridge.database.db
    .selectFrom('person')
    .select(['user_id', 'chat_user_id'])
    .where('team_id', '=', bridge.bot.team)
    .where('user_id', 'in', userIds)
    .execute();
  for (const row of rows) if (row.user_id) found.set(row.user_id, row.chat_user_id);
  // A text that mentions more people than this is no text for people: the rest stays text.
  const unknown = userIds.filter((id) => !found.has(id) && id.length <= ID_CHARACTERS).slice(0, MENTIONS);
  if (unknown.length === 0) return found;
  for (let at = 0; at < unknown.length; at += IDS_AT_ONCE) {
    const some = unknown.slice(at, at + IDS_AT_ONCE);
    const { items } = await bridge.service.listUsers({ query: { set: some.join(','), limit: IDS_AT_ONCE } });
    for (const user of items)
      for (const { chatTeamId, chatUserId } of user.chatUsers)
        if (some.includes(user.id) && (chatTeamId === bridge.bot.team || chatTeamId === null))
          found.set(user.id, chatUserId);
  }
  return found;
}

async function userIdOf(
  { service, bot }: Bridge,
  team: string,
  profile: ChatProfile,
): Promise<string | null> {
  try {
    const user = await service.createUser({
      body: {
        email: profile.email ?? null,
        firstName: profile.firstName,
        lastName: profile.lastName ?? null,
        image: profile.image ?? null,
        isGuestCreated: profile.isGuest || !profile.email,
        isBot: profile.isBot,
        chatUsers: [
          {
            chatUserId: profile.id,
            chatTeamId: team,
            chatImageUrl: profile.image ?? null,
            chatDisplayName: profile.displayName,
            isBot: profile.isBot,
          },
        ],
      },
    });
    return user.id;
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
  }
  // A service that cannot make users, or not this one (its e-mail and its chat account are two users' already), may
  // still know it; and a person without a user still speaks, under their name (B10).
  const byChat = await service.listUsers({ query: { chatUserId: profile.id } });
  const known = byChat.items.find((user) =>
    user.chatUsers.some((chat) => chat.chatUserId === profile.id && chat.chatTeamId === bot.team),
  );
  if (known || !profile.email) return known?.id ?? null;
  const byEmail = await service.listUsers({ query: { email: profile.email } });
  return byEmail.items.find((user) => user.email?.toLowerCase() === profile.email?.toLowerCase())?.id ?? null;
}

function strangerOf(id: string): ChatProfile {
  return {
    id,
    displayName: id,
    firstName: id,
    lastName: undefined,
    email: undefined,
    image: undefined,
    isBot: false,
    isGuest: true,
    timeZone: undefined,
  };
}
