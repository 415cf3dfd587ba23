import { type RawBuilder, sql } from 'kysely';

import type { Caller } from '../handler.ts';

/**
 * The workspace a list shows: the one named, else the key's home; one that the key may not see shows nothing. Only
 * `/workspaces` and `/queues` show all that it can access (docs/api.md, Conventions).
 */
export function listedWorkspaces(caller: Caller, workspaceId: string | null | undefined): string[] {
  return accessibleWorkspaces(caller, workspaceId || caller.workspaceId);
}

/** All workspaces of the key, narrowed to the one named. */
export function accessibleWorkspaces(caller: Caller, workspaceId: string | null | undefined): string[] {
  return caller.workspaceIds.filter((one) => !workspaceId || one === workspaceId);
}

/**
 * `column = any(values)`, with one parameter however many values there are. A single one, the usual case, is compared
 * plainly: only then does Postgres read an index in the order that a list is sorted by, instead of sorting all rows.
 */
export function isOneOf(column: string, values: readonly string[]): RawBuilder<boolean> {
  const [only] = values;
  if (values.length === 1) return sql<boolean>`${sql.ref(column)} = ${only}`;
  return sql<boolean>`${sql.ref(column)} = any(${values}::text[])`;
}

/** Case-insensitive search in any of the columns, or of what is made of them; the words are taken as they are, not as a pattern. */
export function contains(
  columns: readonly (string | RawBuilder<string>)[],
  words: string,
): RawBuilder<boolean> {
  const pattern = `%${words.replace(/[\\%_]/g, (special) => `\\${special}`)}%`;
  const conditions = columns.map(
    (column) => sql`${typeof column === 'string' ? sql.ref(column) : column} ilike ${pattern}`,
  );
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

/** The ids of `set`, or undefined where it names none. */
export function idsOf(set: string | null | undefined): string[] | undefined {
  const ids = set
    ?.split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return ids?.length ? ids : undefined;
}
