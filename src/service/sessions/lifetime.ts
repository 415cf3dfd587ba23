const DAY_MS = 86_400_000;
/** A session that is not used for so long ends. */
const UNUSED_DAYS = 14;
/** After this the person signs in again, however often the session is used. */
const LONGEST_DAYS = 30;

/** Returns when a session expires that was started and last used at these instants. */
export function expiryOf(startedAt: Date, usedAt: Date): Date {
  return new Date(
    Math.min(startedAt.getTime() + LONGEST_DAYS * DAY_MS, usedAt.getTime() + UNUSED_DAYS * DAY_MS),
  );
}
