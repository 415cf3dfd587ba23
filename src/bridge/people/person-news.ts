import type { Bridge } from '../bridge.ts';
import { digestOf, profileOf } from '../slack/profile.ts';
import { findPerson } from './people.ts';
import type { EventOf } from '../slack/chat-event.ts';

/**
 * As much of a `user_change` as is stored: who it is about, for what they are now is read from chat. Undefined where
 * it says nothing new: chat tells so of every change of anybody's status, and most people never wrote on a ticket.
 */
export async function personNews(
  { database, bot }: Pick<Bridge, 'database' | 'bot'>,
  { key, team, user }: EventOf<'person'>,
): Promise<object | undefined> {
  const known = await findPerson({ database }, team, user.id);
  if (!known || known.digest === digestOf(profileOf(user, bot))) return undefined;
  return {
    type: 'event_callback',
    team_id: team,
    event_id: key,
    event: { type: 'user_change', user: { id: user.id } },
  };
}
