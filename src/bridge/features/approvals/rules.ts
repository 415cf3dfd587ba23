export interface AskFacts {
  approvers: readonly string[];
  isDecided: boolean;
  requester: string | null;
  /** The label of its status's group, now and at the last check; undefined if there was none. */
  group: string;
  groupBefore: string | undefined;
  createdAt: string;
  resolvedAt: string | null;
  /** No questions are sent about tickets that ended before this instant. */
  since: string;
  settings: { enableCSAT: boolean; silentMode: boolean };
  asked: ReadonlySet<string>;
  surveyed: boolean;
}

/**
 * Returns approvers who have not been asked: even if the queue is silent and whatever their preferences, because the
 * ticket waits for them (B39).
 */
export function approversToAsk({ approvers, isDecided, asked }: AskFacts): string[] {
  return isDecided ? [] : approvers.filter((user) => !asked.has(user));
}

/** Returns whether the requester gets the survey: when the ticket becomes done, once (B40). */
export function wantsSurvey(situation: AskFacts): boolean {
  const { requester, group, groupBefore, createdAt, resolvedAt, since, settings, surveyed } = situation;
  if (!settings.enableCSAT || settings.silentMode || requester === null || surveyed) return false;
  if (group !== 'Done') return false;
  if (groupBefore !== undefined) return groupBefore !== 'Done';
  return createdAt >= since || (resolvedAt !== null && resolvedAt >= since);
}

/** Days for which an answer may be changed (B40). */
export const CHANGE_DAYS = 7;

export function mayStillChange(answeredAt: Date | null, now: Date): boolean {
  return answeredAt === null || now.getTime() - answeredAt.getTime() < CHANGE_DAYS * 86_400_000;
}
