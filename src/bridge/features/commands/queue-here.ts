import type { Bridge } from '../../bridge.ts';
import type { ChannelHome } from '../../tickets/channels.ts';

/** The queue of a channel: the one that it is linked to, for requests or for its team, or watched for; else the default one. */
export async function queueHere(
  { channels }: Pick<Bridge, 'channels'>,
  channel: string,
): Promise<ChannelHome | undefined> {
  const [link] = await channels.linksOf(channel);
  if (link) return { workspaceId: link.workspaceId, queueId: link.queueId, linked: true };
  return channels.of(channel);
}
