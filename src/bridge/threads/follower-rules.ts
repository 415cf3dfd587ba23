/** The properties that decide whether a user can follow a ticket. */
export interface Mentioned {
  user_id: string | null;
  is_bot: boolean;
  is_deleted: boolean;
}

/**
 * Returns the mentioned users who become followers (B23): active users who are not yet notified of the ticket. None in
 * `silentMode` (B28), and none on a private ticket, because followers can see it (B0).
 */
export function newFollowers(
  mentioned: readonly Mentioned[],
  ticket: {
    private: boolean;
    requesterId: string | null;
    assigneeId: string | null;
    followers: readonly { id: string }[];
  },
  silentMode: boolean,
): string[] {
  if (silentMode || ticket.private) return [];
  const known = new Set([ticket.requesterId, ticket.assigneeId, ...ticket.followers.map(({ id }) => id)]);
  const ids = mentioned.flatMap(({ user_id, is_bot, is_deleted }) =>
    user_id !== null && !is_bot && !is_deleted && !known.has(user_id) ? [user_id] : [],
  );
  return [...new Set(ids)];
}
