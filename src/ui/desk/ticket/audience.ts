import type { TicketDetail } from '../api/types.ts';

/** Who reads a reply besides the team: those on the ticket, its channel in Slack, or its requester alone. */
export type Audience =
  { of: 'private' } | { of: 'channel'; channelId: string } | { of: 'directMessage' } | { of: 'desk' };

/** Returns who reads a reply, by where its threads are; the team's own threads carry nothing to others. */
export function audienceOf({
  private: isPrivate,
  chatThreads,
}: Pick<TicketDetail, 'private' | 'chatThreads'>): Audience {
  if (isPrivate) return { of: 'private' };
  const threads = chatThreads.filter(({ type }) => type !== 'TRIAGE');
  const inChannel = threads.find(({ channelId }) => !channelId.startsWith('D'));
  if (inChannel) return { of: 'channel', channelId: inChannel.channelId };
  return { of: threads.length > 0 ? 'directMessage' : 'desk' };
}
