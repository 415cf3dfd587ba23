/** The facts about a ticket when something in chat may change its status. */
interface StatusSituation {
  /** The label of its status's group. */
  group: string;
}

const ENDED = ['Done', 'Closed'];

/** Returns whether a ticket in a status of this group is done. */
export function hasEnded(group: string): boolean {
  return ENDED.includes(group);
}

/** Returns until when a ticket is snoozed; undefined if it is not, or has ended. */
export function snoozeOf(
  ticket: { snoozeUntil: string | null; status: { statusGroup: { label: string } } },
  now: Date,
): Date | undefined {
  if (ticket.snoozeUntil === null || hasEnded(ticket.status.statusGroup.label)) return undefined;
  const until = new Date(ticket.snoozeUntil);
  return until > now ? until : undefined;
}

/** The facts about a reply that decide whether it reopens a ticket (B22). */
interface Reply extends StatusSituation {
  fromRequester: boolean;
  /** It is only thanks or an emoji, and the settings say that such a reply does not reopen. */
  onlyThanks: boolean;
  /** When it was written, and when the ticket ended; null if the service does not say. */
  saidAt: Date;
  endedAt: Date | null;
  /** The ticket reopens for this many days after it ended; forever if 0. */
  days: number;
}

const DAY_MS = 86_400_000;

/**
 * Decides the effect of a requester's reply on a done ticket: it reopens, or, if that is long ago, the reply becomes a
 * follow-up request (B22).
 */
export function decideReply(reply: Reply): 'stay' | 'reopen' | 'follow-up' {
  const { group, fromRequester, onlyThanks, saidAt, endedAt, days } = reply;
  if (!hasEnded(group) || !fromRequester || onlyThanks) return 'stay';
  const isOld = days > 0 && endedAt !== null && saidAt.getTime() - endedAt.getTime() > days * DAY_MS;
  return isOld ? 'follow-up' : 'reopen';
}

/** Decides whether a ticket is closed when its first message is deleted: any reply keeps it (B59). */
export function decideCloseUnanswered(
  situation: StatusSituation & {
    requester: string | null;
    /** The authors of the ticket's messages; null if the service does not say. */
    answers: readonly { author: string | null; deleted: boolean }[];
  },
): boolean {
  const answered = situation.answers.some(
    ({ author, deleted }) => !deleted && (author === null || author !== situation.requester),
  );
  return !answered && !hasEnded(situation.group);
}
