/** What decides whom a ticket's state asks something (B39, B40). */
export interface AskSituation {
  approvers: readonly string[];
  isDecided: boolean;
  requester: string | null;
  /** The label of its status's group, now and when it was looked at last; undefined where it was not. */
  group: string;
  groupBefore: string | undefined;
  createdAt: string;
  resolvedAt: string | null;
  /** What ended before this instant is history, of which nobody is asked. */
  since: string;
  settings: { enableCSAT: boolean; silentMode: boolean };
  /** Who was asked for approval already. */
  asked: ReadonlySet<string>;
  /** Somebody was asked how it was. */
  surveyed: boolean;
}

/** Approvers who are not asked yet: also where the queue is silent and whatever they prefer, for the ticket waits for them (B39). */
export function approversToAsk({ approvers, isDecided, asked }: AskSituation): string[] {
  return isDecided ? [] : approvers.filter((user) => !asked.has(user));
}

/** Whether the requester is asked how it was: when the ticket becomes done, once however often it does (B40). */
export function asksHowItWas(situation: AskSituation): boolean {
  const { requester, group, groupBefore, createdAt, resolvedAt, since, settings, surveyed } = situation;
  if (!settings.enableCSAT || settings.silentMode || requester === null || surveyed) return false;
  if (group !== 'Done') return false;
  if (groupBefore !== undefined) return groupBefore !== 'Done';
  return createdAt >= since || (resolvedAt !== null && resolvedAt >= since);
}

/** Days for which an answer may be changed (B40). */
export const CHANGE_DAYS = 7;

/** Whether an answer that was first given then is still to be changed. */
export function mayStillChange(answeredAt: Date | null, now: Date): boolean {
  return answeredAt === null || now.getTime() - answeredAt.getTime() < CHANGE_DAYS * 86_400_000;
}
