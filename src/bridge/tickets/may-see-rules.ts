/** As much of a ticket's record as says who it is for. */
export interface Audience {
  private: boolean;
  requesterId: string | null;
  authorId: string | null;
  assigneeId: string | null;
  approvers: readonly { id: string }[];
  followers: readonly { id: string }[];
}

/**
 * Whether a person may see a ticket (B0, B35): anybody a public one, a private one only those whom its record names.
 * Judged here too, because a service that does not know the filter `visibleToUserId` answers everything.
 * @param userId the person's user at the service; null where it has none.
 */
export function maySee(ticket: Audience, userId: string | null): boolean {
  if (!ticket.private) return true;
  if (userId === null) return false;
  return (
    [ticket.requesterId, ticket.authorId, ticket.assigneeId].includes(userId) ||
    [...ticket.approvers, ...ticket.followers].some(({ id }) => id === userId)
  );
}
