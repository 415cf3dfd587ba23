/** What people do to a ticket by its card, by a modal or by command. */
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
  /** A public answer in the requester's thread. */
  | 'reply'
  /** What only the team reads. */
  | 'note';

/** What somebody is to a ticket (B0). */
export interface Standing {
  /** Of the team of the ticket's queue, or the one whom the team assigned it to. */
  isTeam: boolean;
  isRequester: boolean;
}

/** Whether somebody may do something to a ticket: the team everything, its requester close and reopen it (B25). */
export function may(act: Act, { isTeam, isRequester }: Standing): boolean {
  return isTeam || (isRequester && (act === 'close' || act === 'reopen'));
}
