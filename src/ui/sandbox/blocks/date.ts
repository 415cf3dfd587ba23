import { dateFormat } from '../date-format.ts';

const TOKEN = /\{(\w+)\}/g;
const DAY_MS = 86_400_000;
const NEAR = [
  [-DAY_MS, 'yesterday'],
  [0, 'today'],
  [DAY_MS, 'tomorrow'],
] as const;

/** Times have 12 or 24 hours by the browser's language; in Slack each user sets that. */
const { hourCycle: READERS_CLOCK } = new Intl.DateTimeFormat(undefined, {
  hour: 'numeric',
}).resolvedOptions();

/**
 * A date in the reader's time zone, as Slack draws `<!date^…>`; the fallback if the format has an unknown
 * token. Source: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
export function dateText(
  timestamp: number,
  format: string,
  fallback: string | undefined,
  timeZone: string | undefined,
  now = new Date(),
  hourCycle = READERS_CLOCK,
): string {
  const at = new Date(timestamp * 1000);
  if (Number.isNaN(at.getTime())) return fallback ?? String(timestamp);
  const part = (options: Intl.DateTimeFormatOptions) =>
    dateFormat({ hourCycle, ...options, timeZone }, 'en-US').format(at);
  const dayOf = (date: Date) => dateFormat({ timeZone }, 'en-CA').format(date);
  const day = Number(part({ day: 'numeric' }));
  const long = `${part({ month: 'long' })} ${day}${ordinal(day)}, ${part({ year: 'numeric' })}`;
  const near = NEAR.find(([ms]) => dayOf(new Date(now.getTime() + ms)) === dayOf(at))?.[1];
  const known: Record<string, string> = {
    date_num: dayOf(at),
    date: long,
    date_short: part({ dateStyle: 'medium' }),
    date_long: `${part({ weekday: 'long' })}, ${long}`,
    date_pretty: near ?? long,
    date_short_pretty: near ?? part({ dateStyle: 'medium' }),
    date_long_pretty: near ?? `${part({ weekday: 'long' })}, ${long}`,
    time: part({ timeStyle: 'short' }),
    time_secs: part({ timeStyle: 'medium' }),
  };
  const isKnown = [...format.matchAll(TOKEN)].every(([, name = '']) => Object.hasOwn(known, name));
  if (!isKnown) return fallback ?? at.toISOString();
  // Only a date that begins the text has a capital letter: "Tomorrow at 9:00 AM", but "by tomorrow".
  return format.replaceAll(TOKEN, (token, name: string, offset: number) => {
    const text = known[name] ?? token;
    return offset === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  });
}

function ordinal(day: number): string {
  if (day > 10 && day < 14) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}
