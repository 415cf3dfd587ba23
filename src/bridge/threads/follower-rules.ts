/** As much of a person as says whether they can follow a ticket. */
export interface Mentioned {
  user_id: string | null;
  is_bot: boolean;
  is_deleted: boolean;
}

/**
 * The users whom a message's mentions make followers (B23): people with a user, who are still there and do not hear of
 * the ticket already. Nobody in `silentMode` (B28); nor on a private ticket, for following shows it to them (B0).
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
