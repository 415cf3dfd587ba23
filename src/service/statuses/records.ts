import { type RawBuilder, sql } from 'kysely';

import type { Status } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/** Returns the request types of a status, as JSON; `alias` names the status table in the surrounding query. */
export function statusRequestTypes(alias: string): RawBuilder<Status['requestTypes']> {
  return sql<Status['requestTypes']>`(
    select coalesce(json_agg(json_build_object('id', srt.id, 'requestTypeId', srt.request_type_id) order by srt.id), '[]')
    from status_request_type srt
    where srt.workspace_id = ${sql.ref(`${alias}.workspace_id`)} and srt.status_id = ${sql.ref(`${alias}.id`)})`;
}

/** Statuses by id, in the order of `ids`. */
export async function statusRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<Status[]> {
  const rows = await db
    .selectFrom('status as s')
    .innerJoin('status_group as g', (join) =>
      join.onRef('g.workspace_id', '=', 's.workspace_id').onRef('g.id', '=', 's.status_group_id'),
    )
    .selectAll('s')
    .select(['g.label as group_label', statusRequestTypes('s').as('request_types')])
    .where('s.workspace_id', 'in', workspaceIds)
    .where('s.id', 'in', ids.length ? ids : [''])
    .execute();
  const records = rows.map((row): Status => ({
    id: row.id,
    label: row.label,
    order: row.position,
    system: row.system,
    requestTypes: row.request_types,
    statusGroup: { id: row.status_group_id, label: row.group_label, workspaceId: row.workspace_id },
    statusGroupId: row.status_group_id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }));
  return inOrder(ids, records);
}
