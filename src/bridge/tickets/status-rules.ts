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

/** Until when a ticket is put aside; undefined for one that is not, or that has ended. */
export function snoozeOf(
  ticket: { snoozeUntil: string | null; status: { statusGroup: { label: string } } },
  now: Date,
): Date | undefined {
  if (ticket.snoozeUntil === null || hasEnded(ticket.status.statusGroup.label)) return undefined;
  const until = new Date(ticket.snoozeUntil);
  return until > now ? until : undefined;
}

/** A reply on a ticket, as much of it as says whether the ticket is done with (B22). */
export interface Reply extends StatusSituation {
  fromRequester: boolean;
  /** It thanks, or is an emoji, and says nothing more; and such a reply opens nothing again. */
  onlyThanks: boolean;
  /** When it was written, and when the ticket ended; null where the service does not say. */
  saidAt: Date;
  endedAt: Date | null;
  /** The ticket opens again for as many days after it ended; for ever where that is 0. */
  days: number;
}

const DAY_MS = 86_400_000;

/**
 * What a requester's reply makes of a ticket that is done: it opens again, or, where that is long ago, the reply is a
 * new request that follows up on it (B22).
 */
export function decideReply(reply: Reply): 'stay' | 'reopen' | 'follow-up' {
  const { group, fromRequester, onlyThanks, saidAt, endedAt, days } = reply;
  if (!hasEnded(group) || !fromRequester || onlyThanks) return 'stay';
  const isOld = days > 0 && endedAt !== null && saidAt.getTime() - endedAt.getTime() > days * DAY_MS;
  return isOld ? 'follow-up' : 'reopen';
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
