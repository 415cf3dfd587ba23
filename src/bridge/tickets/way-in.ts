import type { Bridge } from '../bridge.ts';
import type { ChannelHome } from './channels.ts';
import { personOf } from '../people/people.ts';
import { isInTeam, teamOf } from './team.ts';

/**
 * Returns whether every message of a channel opens a ticket (B1): the channel itself is linked, and its queue says so.
 */
export async function wantsAll(bridge: Bridge, channel: string): Promise<boolean> {
  const home = await bridge.channels.of(channel);
  if (!home?.linked) return false;
  return (await bridge.channels.queue(home.queueId))?.settings?.autoCreateTickets ?? false;
}

/** Returns whether a user's emoji may act in a channel (B5): only the team's, unless the queue allows everyone. */
export async function mayUseEmoji(
  bridge: Bridge,
  { queueId }: ChannelHome,
  { team, user }: { team: string; user: string },
): Promise<boolean> {
  const queue = await bridge.channels.queue(queueId);
  if (queue?.settings?.enableUserEmojis ?? true) return true;
  return isInTeam(await teamOf(bridge, queueId), await personOf(bridge, team, user));
}
