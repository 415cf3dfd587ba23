import { useTranslations } from 'use-intl';

import { useChoices } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import type { ItemOf, TicketDetail } from '../api/types.ts';
import { audienceOf } from './audience.ts';

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
