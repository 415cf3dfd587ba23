import { AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { newFollowers } from './follower-rules.ts';
import { peopleNamed } from '../people/people.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { updateTicket } from '../tickets/update-ticket.ts';

/** More mentions than this are a group, not individuals. */
const MENTIONED_AT_MOST = 20;

/** Makes users who are mentioned in a ticket's thread its followers (B23); idempotent. */
export async function followMentioned(
  bridge: Bridge,
  team: string,
  ticketId: string,
  chatUserIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(chatUserIds)].filter((id) => id !== bridge.bot.userId);
  if (ids.length === 0 || ids.length > MENTIONED_AT_MOST) return;
  const people = await peopleNamed(bridge, team, ids);
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return;
  const queue = ticket.queueId ? await bridge.channels.queue(ticket.queueId) : undefined;
  const added = newFollowers([...people.values()], ticket, queue?.settings?.silentMode ?? false);
  if (added.length === 0) return;
  const followers = [...ticket.followers.map(({ id }) => ({ id })), ...added.map((id) => ({ id }))];
  try {
    await updateTicket(bridge, null, ticketId, { followers });
  } catch (error) {
    // A follower that the service rejects must not block the message.
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    bridge.log.warn({ event: 'followers.refused', err: error }, 'the service took no further followers');
  }
}
