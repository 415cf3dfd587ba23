/** Actions on a ticket by its card, a modal or a command. */
export type Act =
  | 'assign'
  | 'status'
  | 'priority'
  | 'edit'
  | 'move'
  | 'snooze'
  | 'due'
  | 'close'
  | 'reopen'
  /** A public reply in the requester's thread. */
  | 'reply'
  /** An internal note. */
  | 'note';

/** A user's relation to a ticket (B0). */
export interface Standing {
  /** In the team of the ticket's queue, or its assignee. */
  isTeam: boolean;
  isRequester: boolean;
}

/**
 * Returns whether a user may do something to a ticket: the team everything, its requester close and reopen it (B25).
 */
export function may(act: Act, { isTeam, isRequester }: Standing): boolean {
  return isTeam || (isRequester && (act === 'close' || act === 'reopen'));
}
