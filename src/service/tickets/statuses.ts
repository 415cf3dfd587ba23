import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { noSuch } from '../references.ts';
import type { Tables } from '../schema/tables.ts';

/** The meaning of a status group, independent of its label. */
export type StatusKind = Tables['status_group']['kind'];

/** Returns the first status of a workspace's group Open. */
export async function openStatus(db: ServiceDb, workspaceId: string): Promise<string> {
  return firstStatus(db, workspaceId, 'OPEN');
}

/** Returns the first status of a workspace's group Closed. */
export async function closedStatus(db: ServiceDb, workspaceId: string): Promise<string> {
  return firstStatus(db, workspaceId, 'CLOSED');
}

/** Returns the first status of a group of a workspace. */
export async function firstStatus(db: ServiceDb, workspaceId: string, kind: StatusKind): Promise<string> {
  const { id } = await db
    .selectFrom('status as s')
    .innerJoin('status_group as g', (join) =>
      join.onRef('g.workspace_id', '=', 's.workspace_id').onRef('g.id', '=', 's.status_group_id'),
    )
    .select('s.id')
    .where('s.workspace_id', '=', workspaceId)
    .where('g.kind', '=', kind)
    .orderBy('s.system', 'desc')
    .orderBy('s.position')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns the group of a status. */
export async function groupOf(
  db: ServiceDb,
  workspaceId: string,
  statusId: string,
): Promise<{ label: string; kind: StatusKind }> {
  return db
    .selectFrom('status as s')
    .innerJoin('status_group as g', (join) =>
      join.onRef('g.workspace_id', '=', 's.workspace_id').onRef('g.id', '=', 's.status_group_id'),
    )
    .select(['g.label', 'g.kind'])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.id', '=', statusId)
    .executeTakeFirstOrThrow();
}

/** A status with its group, and the request types that it is limited to. */
export interface StoredStatus {
  id: string;
  kind: StatusKind;
  tiedTo: string[] | null;
}

/** Returns the group of a status, by its id. */
export async function statusKind(
  db: ServiceDb,
  workspaceId: string,
  statusId: string,
  requestTypeId: string | null,
): Promise<StatusKind> {
  const { rows } = await sql<StoredStatus>`
    select s.id, g.kind, (select array_agg(x.request_type_id) from status_request_type x
      where x.workspace_id = s.workspace_id and x.status_id = s.id) as "tiedTo"
    from status s join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
    where s.workspace_id = ${workspaceId} and s.id = ${statusId}`.execute(db);
  return kindOfStatus(rows[0], statusId, requestTypeId);
}

/** Returns the group of a status; 422 for one of another workspace, or limited to other request types than the ticket's. */
export function kindOfStatus(
  status: StoredStatus | null | undefined,
  statusId: string,
  requestTypeId: string | null,
): StatusKind {
  if (!status) throw noSuch('status', statusId, 'statusId');
  if (status.tiedTo && (requestTypeId === null || !status.tiedTo.includes(requestTypeId)))
    throw unprocessable('statusId', 'This status is only for tickets of certain request types');
  return status.kind;
}
