import { useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';

/**
 * The targets of a ticket's queue that are not met yet, the one that ends first in front (beyond the specification).
 */
export function targetsOf(ticket: TicketDetail) {
  const { firstReplyDueAt, resolutionDueAt } = ticket as {
    firstReplyDueAt?: string | null;
    resolutionDueAt?: string | null;
  };
  return [
    ...(firstReplyDueAt ? [{ at: firstReplyDueAt, label: 'replyDue', name: 'firstReply' } as const] : []),
    ...(resolutionDueAt
      ? [{ at: resolutionDueAt, label: 'resolutionDue', name: 'resolution' } as const]
      : []),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** For whom a ticket waits whose targets are paused. */
export function useRequesterName({ requesterId }: TicketDetail): string {
  const t = useTranslations('ticket');
  const requester = usePerson(requesterId);
  return requester ? nameOf(requester) : t('theRequester');
}
