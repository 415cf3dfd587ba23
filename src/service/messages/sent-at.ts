const CHAT_TIMESTAMP = /^(\d{1,11})\.(\d{1,6})$/;

/**
 * Returns the instant in a chat timestamp of the form `1700000000.000100`: when the message was sent (docs/api.md,
 * Ticket messages). Any other timestamp contains no time: null.
 */
export function sentAt(chatTimestamp: string | null | undefined): Date | null {
  const [, seconds, fraction = ''] = CHAT_TIMESTAMP.exec(chatTimestamp ?? '') ?? [];
  if (seconds === undefined) return null;
  return new Date(Number(seconds) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3)));
}
