/** What is known of a ticket when something in chat may change its status. */
export interface StatusSituation {
  /** The label of its status's group. */
  group: string;
}

const ENDED = ['Done', 'Closed'];

/** Whether a ticket in a status of this group is done with. */
export function hasEnded(group: string): boolean {
  return ENDED.includes(group);
}

/** A requester who writes on a ticket that is done is not: it opens again (B22). */
export function decideReopen(situation: StatusSituation & { fromRequester: boolean }): boolean {
  return situation.fromRequester && hasEnded(situation.group);
}

/** A ticket whose first message is taken back before anybody answered is closed; any answer keeps it (B59). */
export function decideCloseUnanswered(
  situation: StatusSituation & {
    requester: string | null;
    /** Who wrote what is on the ticket; null where the service does not know. */
    answers: readonly { author: string | null; deleted: boolean }[];
  },
): boolean {
  const answered = situation.answers.some(
    ({ author, deleted }) => !deleted && (author === null || author !== situation.requester),
  );
  return !answered && !hasEnded(situation.group);
}
