import type { ServiceDb } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';

/** What a status group means, whatever its label is. */
export type StatusKind = Tables['status_group']['kind'];

/** Returns the first status of a workspace's group Open. */
export async function openStatus(db: ServiceDb, workspaceId: string): Promise<string> {
  const { id } = await db
    .selectFrom('status as s')
    .innerJoin('status_group as g', (join) =>
      join.onRef('g.workspace_id', '=', 's.workspace_id').onRef('g.id', '=', 's.status_group_id'),
    )
    .select('s.id')
    .where('s.workspace_id', '=', workspaceId)
    .where('g.kind', '=', 'OPEN')
    .orderBy('s.system', 'desc')
    .orderBy('s.position')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Returns the group of a status; 422 for one of another workspace, or limited to other request types than the ticket's.
 */
export async function statusKind(
  db: ServiceDb,
  workspaceId: string,
  statusId: string,
  requestTypeId: string | null,
): Promise<StatusKind> {
  const row = await db
    .selectFrom('status as s')
    .innerJoin('status_group as g', (join) =>
      join.onRef('g.workspace_id', '=', 's.workspace_id').onRef('g.id', '=', 's.status_group_id'),
    )
    .select((select) => [
      'g.kind',
      select
        .selectFrom('status_request_type as x')
        .select((inner) => inner.fn.agg<string[] | null>('array_agg', ['x.request_type_id']).as('ids'))
        .whereRef('x.workspace_id', '=', 's.workspace_id')
        .whereRef('x.status_id', '=', 's.id')
        .as('tied_to'),
    ])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.id', '=', statusId)
    .executeTakeFirst();
  if (!row) throw unprocessable('statusId', `The workspace has no status "${statusId}"`);
  if (row.tied_to && (requestTypeId === null || !row.tied_to.includes(requestTypeId)))
    throw unprocessable('statusId', 'This status is only for tickets of certain request types');
  return row.kind;
}
