import type { Bridge } from '../bridge.ts';
import type { ChannelQueue } from './channels.ts';
import { personOf, type Person } from '../people/people.ts';
import { isInTeam, teamOfQueue, type Ticket } from './find-ticket.ts';
import { mayOpen, takesPart } from './rules.ts';
import type { ConversationRole } from '../store/conversations.ts';

/**
 * Returns whether every message of a channel opens a ticket (B1): the channel itself is linked, and its queue says so.
 */
export async function opensEveryMessage(bridge: Bridge, channel: string): Promise<boolean> {
  const channelQueue = await bridge.channels.of(channel);
  if (!channelQueue?.linked) return false;
  return (await bridge.channels.queue(channelQueue.queueId))?.settings?.autoCreateTickets ?? false;
}

/** Returns whether a user's emoji may act in a channel (B5): only the team's, unless the queue allows everyone. */
export async function mayUseEmoji(
  bridge: Bridge,
  { queueId }: ChannelQueue,
  { team, user }: { team: string; user: string },
): Promise<boolean> {
  const queue = await bridge.channels.queue(queueId);
  if (queue?.settings?.enableUserEmojis ?? true) return true;
  return isInTeam(await teamOfQueue(bridge, queueId), await personOf(bridge, team, user));
}

/** Shown to a guest who asks where guests may not open tickets (B9). */
export const NO_GUESTS =
  'Guests cannot open tickets here. Ask a member of this workspace to open one for you.';

/**
 * Returns whether a user may not open tickets of this queue (B9). Most users are not guests: then nothing needs to be
 * read. Throws ServiceError.
 */
export async function isRefused(
  { channels }: Bridge,
  asker: Pick<Person, 'is_guest'>,
  { queueId }: Pick<ChannelQueue, 'queueId'>,
): Promise<boolean> {
  return asker.is_guest && !mayOpen(asker, await channels.queue(queueId));
}

/** Returns whether a user would be rejected in a channel, before they have said what they need. */
export async function isRefusedGuest(
  bridge: Bridge,
  team: string,
  channel: string,
  chatUserId: string,
): Promise<boolean> {
  const channelQueue = await bridge.channels.of(channel);
  return (
    channelQueue !== undefined && isRefused(bridge, await personOf(bridge, team, chatUserId), channelQueue)
  );
}

export interface CardPlace {
  channel_id: string;
  direct: boolean;
  role: ConversationRole;
  /** The user of these direct messages, if it is a copy. */
  recipient_user_id: string | null;
}

/**
 * Returns whether a place may show a ticket that is not for everyone: the requester's own thread, direct messages of
 * current participants, and private triage channels of its queue (B14, B27). A thread in a channel shows one that is
 * not private, whoever reads its queue: it was asked there. Throws ServiceError or ChatError.
 */
export async function mayShow(bridge: Bridge, ticket: Ticket, place: CardPlace): Promise<boolean> {
  if (await bridge.channels.isForEveryone(ticket)) return true;
  if (place.role === 'request') return place.direct || !ticket.private;
  if (place.role === 'direct') return takesPart(ticket, place.recipient_user_id);
  const channels = await bridge.channels.triagesOf(ticket.queueId ?? undefined);
  return channels.includes(place.channel_id) && bridge.chat.isPrivate(place.channel_id);
}
