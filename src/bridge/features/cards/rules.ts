import type { Audience } from '../../tickets/may-see-rules.ts';

/** What is known of a ticket when the bridge decides whether a place gets a card of it. */
export interface CopySituation {
  /** A ticket of which only some may know. */
  private: boolean;
  /** It is done with: nobody needs to be told of it any more. */
  ended: boolean;
  assigned: boolean;
  /** The queue's `silentMode`. */
  silent: boolean;
  /** The queue's `sendAllTicketToTriageChannel`. */
  all: boolean;
}

/**
 * Whether a triage channel gets a card of a ticket that has none there: of every ticket where the queue says so, else of
 * those that nobody has taken; private ones only where the channel is private (B26, B27, B28).
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
 * The users who get a private ticket's card by direct message (B27): requester, assignee, followers and approvers. Its
 * requester only where the talk began in chat: who asked elsewhere hears with the first answer (B1).
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
 * Whether the card of a private ticket comes to its assignee with being assigned: then it is what tells them (B27, B43).
 * Who had a card before, as a follower or an approver, sees no more than that it changed.
 */
export function cardTellsAssignee(
  ticket: Audience,
  situation: Pick<CopySituation, 'ended' | 'silent'> & { begun: boolean },
): boolean {
  const { assigneeId } = ticket;
  const gets = (one: Audience) => cardReaders(one, situation).some((id) => id === assigneeId);
  return gets(ticket) && !gets({ ...ticket, assigneeId: null });
}
