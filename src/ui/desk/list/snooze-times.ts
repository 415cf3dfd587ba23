const HOUR_MS = 60 * 60 * 1000;

/** Times to put a ticket aside until, in the person's own time zone; each once: on a Sunday, tomorrow is Monday. */
export function snoozeTimes(now: Date): { id: 'laterToday' | 'tomorrow' | 'nextMonday'; at: Date }[] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { id: 'laterToday', at: new Date(now.getTime() + 3 * HOUR_MS) },
    { id: 'tomorrow', at: morning(1) },
    ...(toMonday > 1 ? [{ id: 'nextMonday' as const, at: morning(toMonday) }] : []),
  ];
}
