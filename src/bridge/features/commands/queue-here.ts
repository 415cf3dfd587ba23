import type { Bridge } from '../../bridge.ts';
import type { ChannelHome } from '../../tickets/channels.ts';

/** Returns the queue of a channel: the linked one (for requests or the team), the observed one, or the default. */
export async function queueHere(
  { channels }: Pick<Bridge, 'channels'>,
  channel: string,
): Promise<ChannelHome | undefined> {
  const [link] = await channels.linksOf(channel);
  if (link) return { workspaceId: link.workspaceId, queueId: link.queueId, linked: true };
  return channels.of(channel);
}
