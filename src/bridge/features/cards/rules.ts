import type { Audience } from '../../tickets/may-see-rules.ts';

/** The facts that decide whether a place gets a card of a ticket. */
export interface CopySituation {
  /** A private ticket. */
  private: boolean;
  /** It is done: no card is needed any more. */
  ended: boolean;
  assigned: boolean;
  /** The queue's `silentMode`. */
  silent: boolean;
  /** The queue's `sendAllTicketToTriageChannel`. */
  all: boolean;
}

/**
 * Returns whether a triage channel gets a card of a ticket: of every ticket if the queue says so, else of unassigned
 * ones; private ones only if the channel is private (B26, B27, B28).
 */
export function wantsTriageCard(
  { private: isPrivate, ended, assigned, silent, all }: CopySituation,
  channelIsPrivate: boolean,
): boolean {
  if (silent || ended) return false;
  if (isPrivate && !channelIsPrivate) return false;
  return all || !assigned;
}

/**
 * Returns the users who get a private ticket's card by direct message (B27): requester, assignee, followers and
 * approvers. Its requester only if it started in chat; otherwise they are notified with the first reply (B1).
 */
export function cardReaders(
  ticket: Audience,
  { ended, silent, begun }: Pick<CopySituation, 'ended' | 'silent'> & { begun: boolean },
): string[] {
  if (!ticket.private || silent || ended) return [];
  const { requesterId, assigneeId, followers, approvers } = ticket;
  const named = [assigneeId, ...followers.map(({ id }) => id), ...approvers.map(({ id }) => id)];
  const others = named.filter((id) => id !== null && id !== requesterId);
  return [...new Set([begun ? requesterId : null, ...others].filter((id) => id !== null))];
}

/**
 * Returns whether the card of a private ticket is what notifies its assignee (B27, B43). Users who already had a card,
 * as followers or approvers, only see it change.
 */
export function cardTellsAssignee(
  ticket: Audience,
  situation: Pick<CopySituation, 'ended' | 'silent'> & { begun: boolean },
): boolean {
  const { assigneeId } = ticket;
  const gets = (one: Audience) => cardReaders(one, situation).some((id) => id === assigneeId);
  return gets(ticket) && !gets({ ...ticket, assigneeId: null });
}
