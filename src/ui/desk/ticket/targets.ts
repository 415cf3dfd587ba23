import type { TicketDetail } from '../api/types.ts';

type Target = { at: string; label: 'replyDue' | 'resolutionDue' };

/** The targets of a ticket's queue that are not met yet (beyond the specification). */
export function targetsOf(ticket: TicketDetail): Target[] {
  const { firstReplyDueAt, resolutionDueAt } = ticket as {
    firstReplyDueAt?: string | null;
    resolutionDueAt?: string | null;
  };
  return [
    ...(firstReplyDueAt ? [{ at: firstReplyDueAt, label: 'replyDue' } as const] : []),
    ...(resolutionDueAt ? [{ at: resolutionDueAt, label: 'resolutionDue' } as const] : []),
  ];
}
