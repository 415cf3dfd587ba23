const CHAT_TIMESTAMP = /^(\d{1,11})\.(\d{1,6})$/;

/**
 * Returns when a message was sent: the instant in a chat timestamp of the form `1700000000.000100`, but never later
 * than now (docs/api.md, Ticket messages). Any other timestamp contains no time.
 */
export function sentAt(chatTimestamp: string | null | undefined, now: Date): Date {
  const [, seconds, fraction = ''] = CHAT_TIMESTAMP.exec(chatTimestamp ?? '') ?? [];
  if (seconds === undefined) return now;
  const ms = Number(seconds) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  return new Date(Math.min(ms, now.getTime()));
}
