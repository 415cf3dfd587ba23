import { type RawBuilder, sql } from 'kysely';

/** Formats an instant for the API. */
export function iso(date: Date): string {
  return date.toISOString();
}

export function isoOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** Parses a validated instant of a request, in whole milliseconds; undefined stays undefined ("not named"). */
export function instantOf<T extends string | null | undefined>(text: T): Date | Exclude<T, string> {
  return typeof text === 'string' ? new Date(text) : (text as Exclude<T, string>);
}

/** Formats a timestamp column inside a JSON aggregate for the API. */
export function jsonInstant(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
