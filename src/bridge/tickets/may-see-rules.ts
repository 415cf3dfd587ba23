/** The parts of a ticket's record that decide who may see it. */
export interface Audience {
  private: boolean;
  requesterId: string | null;
  authorId: string | null;
  assigneeId: string | null;
  approvers: readonly { id: string }[];
  followers: readonly { id: string }[];
}

/**
 * Returns whether a user may see a ticket (B0, B35): anyone a public one, a private one only those named in its record.
 * Checked here too, because a service without the filter `visibleToUserId` returns everything.
 * @param userId the service's user; null if there is none.
 */
export function maySee(ticket: Audience, userId: string | null): boolean {
  if (!ticket.private) return true;
  if (userId === null) return false;
  return (
    [ticket.requesterId, ticket.authorId, ticket.assigneeId].includes(userId) ||
    [...ticket.approvers, ...ticket.followers].some(({ id }) => id === userId)
  );
}
