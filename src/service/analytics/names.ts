import { type RawBuilder, sql } from 'kysely';

import type { MetricGroup } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';

interface Named {
  name: string;
  /** The record's own, if it has one. */
  color: string | null;
}

const person = sql`select id, coalesce(nullif(concat_ws(' ', first_name, last_name), ''), email, id) as name,
  null as color from person`;

/** Tables of the groups that are records; the values of other groups are their names. */
const RECORDS: Partial<Record<MetricGroup, RawBuilder<unknown>>> = {
  statusId: sql`select id, label as name, null as color from status`,
  queueId: sql`select id, name, null as color from queue`,
  requestTypeId: sql`select id, name, null as color from request_type`,
  tags: sql`select id, name, color from tag`,
  assigneeId: person,
  requesterId: person,
};

/** The name of the group of records without a value. */
export const NONE = 'None';

/** Returns the names of groups, by id. */
export async function groupNames(
  db: ServiceDb,
  workspaceId: string,
  group: MetricGroup,
  ids: readonly (string | null)[],
): Promise<(id: string | null) => Named> {
  const records = RECORDS[group];
  const known = new Map<string, Named>();
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (records && wanted.length > 0) {
    const { rows } = await sql<Named & { id: string }>`
      ${records} where workspace_id = ${workspaceId} and id = any(${wanted}::text[])`.execute(db);
    for (const { id, ...named } of rows) known.set(id, named);
  }
  return (id) => (id === null ? { name: NONE, color: null } : (known.get(id) ?? { name: id, color: null }));
}
