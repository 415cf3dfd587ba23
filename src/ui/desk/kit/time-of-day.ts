/** Reads a time of day as people type it: `9:00`, `17.30`, `9`, `5 PM`; undefined if it is none. */
export function readTimeOfDay(text: string): { hours: number; minutes: number } | undefined {
  const [, typed, minutes = '0', half] =
    /^(\d{1,2})(?:[:.]([0-5]\d))?\s*(?:([ap])\.?m\.?)?$/i.exec(text.trim()) ?? [];
  if (typed === undefined) return undefined;
  const hours = Number(typed);
  if (half === undefined) return hours > 23 ? undefined : { hours, minutes: Number(minutes) };
  if (hours < 1 || hours > 12) return undefined;
  return { hours: (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0), minutes: Number(minutes) };
}
