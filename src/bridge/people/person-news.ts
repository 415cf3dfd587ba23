import type { Bridge } from '../bridge.ts';
import { digestOf, profileOf } from '../slack/profile.ts';
import { findPerson } from './people.ts';
import type { EventOf } from '../slack/chat-event.ts';

/**
 * Returns the stored part of a `user_change`: only the user id, because the profile is read from Slack. Undefined if
 * nothing relevant changed: Slack sends this for every status change, and most users never wrote on a ticket.
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
