import { type RawBuilder, sql } from 'kysely';

import type { Caller } from '../handler.ts';

/**
 * Returns the workspace of a list: the one named, else the key's home; one that the key cannot access has no records.
 * Only `/workspaces` and `/queues` list all that it can access (docs/api.md, Conventions).
 */
export function listedWorkspaces(caller: Caller, workspaceId: string | null | undefined): string[] {
  return accessibleWorkspaces(caller, workspaceId || caller.workspaceId);
}

/** Returns all workspaces of the key, or only the one named. */
export function accessibleWorkspaces(caller: Caller, workspaceId: string | null | undefined): string[] {
  return caller.workspaceIds.filter((one) => !workspaceId || one === workspaceId);
}

/**
 * Returns `column = any(values)`, with one parameter for any number of values. A single value, the usual case, is
 * compared with `=`: only then does Postgres read an index in the list's order, instead of sorting all rows.
 */
export function isOneOf(column: string, values: readonly string[]): RawBuilder<boolean> {
  const [only] = values;
  if (values.length === 1) return sql<boolean>`${sql.ref(column)} = ${only}`;
  return sql<boolean>`${sql.ref(column)} = any(${values}::text[])`;
}

/**
 * Returns a case-insensitive search in any of the columns or expressions, in whichever spelling of accents; the text is
 * not a pattern.
 */
export function contains(
  columns: readonly (string | RawBuilder<string>)[],
  words: string,
): RawBuilder<boolean> {
  const pattern = `%${words.normalize('NFKC').replace(/[\\%_]/g, (special) => `\\${special}`)}%`;
  const conditions = columns.map(
    (column) =>
      sql`normalize(${typeof column === 'string' ? sql.ref(column) : column}, nfkc) ilike ${pattern}`,
  );
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

/** Returns the ids of `set`, or undefined if there are none. */
export function idsInSet(set: string | null | undefined): string[] | undefined {
  const ids = set
    ?.split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return ids?.length ? ids : undefined;
}

/**
 * Returns whether the person of a row has an e-mail address, in whichever case. A requester knows only their own: for
 * others', nothing is found, whoever has it.
 * @param person the column with their id, such as `s.person_id`; the row's workspace is in `s.workspace_id`.
 */
export function isOfEmail({ session, personId }: Caller, person: string, email: string): RawBuilder<boolean> {
  const [row = ''] = person.split('.');
  const isKnown = session?.role === 'requester' ? sql`x.id = ${personId}` : sql`true`;
  return sql<boolean>`exists (select 1 from person x
    where x.workspace_id = ${sql.ref(`${row}.workspace_id`)} and x.id = ${sql.ref(person)}
      and lower(x.email) = lower(${email}) and ${isKnown})`;
}
