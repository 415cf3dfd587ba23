import { AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import type { ChatProfile } from '../slack/profile.ts';
import { findUser } from './users.ts';

/**
 * Returns the service's user for a chat user, created if needed: by e-mail address, then by chat account, else as a
 * guest (B10). If a workspace does not create users from chat (`disableChatUserSync`), or the service cannot, only
 * existing ones are found. Null: none; then the sender's name precedes their messages.
 * @param chatUserId as Slack reported it; if they have another id by now, both accounts are theirs.
 */
export async function matchUser(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  profile: ChatProfile,
): Promise<string | null> {
  if (await bridge.channels.syncsPeople())
    try {
      return await saveUser(bridge, team, chatUserId, profile);
    } catch (error) {
      // A service that cannot create users, or not this one: its e-mail address and its chat account belong to two
      // users.
      if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    }
  return knownUser(bridge, team, chatUserId, profile);
}

async function saveUser(
  { service }: Bridge,
  team: string,
  chatUserId: string,
  profile: ChatProfile,
): Promise<string> {
  const image = profile.image ?? null;
  const { id } = await service.createUser({
    body: {
      email: profile.email ?? null,
      firstName: profile.firstName,
      lastName: profile.lastName ?? null,
      image,
      isGuestCreated: profile.isGuest || !profile.email,
      isBot: profile.isBot,
      chatUsers: [...new Set([chatUserId, profile.id])].map((account) => ({
        chatUserId: account,
        chatTeamId: team,
        chatImageUrl: image,
        chatDisplayName: profile.displayName,
        isBot: profile.isBot,
      })),
    },
  });
  return id;
}

async function knownUser(
  bridge: Bridge,
  team: string,
  chatUserId: string,
  { email }: ChatProfile,
): Promise<string | null> {
  const known = await findUser(bridge, { chatUserId }, (user) =>
    user.chatUsers.some((chat) => chat.chatUserId === chatUserId && chat.chatTeamId === team),
  );
  if (known || !email) return known?.id ?? null;
  const byEmail = await findUser(
    bridge,
    { email },
    (user) => user.email?.toLowerCase() === email.toLowerCase(),
  );
  return byEmail?.id ?? null;
}
