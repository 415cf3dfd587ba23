/** How long a workspace leaves a message to the one before it, which may have removed the app. */
export const TURN_MS = 5 * 60_000;

/**
 * Returns how many Slack workspaces come before this one in writing to a person who has accounts in several: first the
 * one with the ticket's thread, then those of the accounts, in the order of the record. The bridge of each decides this
 * by itself, since it knows only its own workspace.
 * @param teams the workspaces of the person's accounts.
 * @param thread where the ticket's thread is, seen from this workspace.
 */
export function turnOf(
  own: string,
  { teams, thread }: { teams: readonly string[]; thread: 'here' | 'elsewhere' | 'none' },
): number {
  const inOrder = [...new Set(teams)];
  if (thread === 'here' || inOrder.every((team) => team === own)) return 0;
  const place = inOrder.includes(own) ? inOrder.indexOf(own) : inOrder.length;
  return thread === 'elsewhere' ? place + 1 : place;
}
