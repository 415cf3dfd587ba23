import { useTranslations } from 'use-intl';

import { useChoices } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import type { ItemOf, TicketDetail } from '../api/types.ts';

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

/** The channel in Slack whose members read the replies of a ticket; undefined where no channel reads them. */
export interface AudienceChannel {
  /** What the desk knows of it; undefined of one that is not linked, and for requesters. */
  linked: ItemOf<'listWorkspaces'>['chatTriageChannels'][number] | undefined;
  /** "Everyone in #it-help can see it." */
  text: string;
}

export function useAudienceChannel(ticket: TicketDetail): AudienceChannel | undefined {
  const t = useTranslations('ticket.replyHelp');
  const role = useRole();
  const audience = audienceOf(ticket);
  const isInChannel = audience.of === 'channel';
  // For the team they are sent with the page.
  const workspaces = useChoices('listWorkspaces', isInChannel && role !== 'requester');
  if (!isInChannel) return undefined;
  const linked = workspaces
    .flatMap(({ chatTriageChannels }) => chatTriageChannels)
    .find(({ channelId }) => channelId === audience.channelId);
  const channel = linked?.channelName;
  return { linked, text: channel ? t('named', { channel }) : t('channel') };
}
