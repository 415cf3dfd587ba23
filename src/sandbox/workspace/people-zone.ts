/** What a time zone is called at a moment, and how far ahead of UTC it is then: daylight saving changes both. */
export function zoneFacts(timeZone: string, now: Date): { label: string; offsetSeconds: number } {
  const part = (style: 'long' | 'longOffset') =>
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: style })
      .formatToParts(now)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(part('longOffset'));
  const seconds = match ? (Number(match[2]) * 60 + Number(match[3])) * 60 : 0;
  return { label: part('long'), offsetSeconds: match?.[1] === '-' ? -seconds : seconds };
}

/** Whether the time zone database knows the name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
