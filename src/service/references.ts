import type { Caller, ServiceDb } from './handler.ts';
import { unprocessable } from './problem.ts';

/** Tables whose records a request may name by id. */
export type Referable = 'person' | 'queue' | 'status' | 'request_type' | 'tag' | 'ticket';

const CALLED: Record<Referable, string> = {
  person: 'user',
  queue: 'queue',
  status: 'status',
  request_type: 'request type',
  tag: 'tag',
  ticket: 'ticket',
};

/**
 * 422 unless every id names a record of the workspace: one of another workspace and one that does not exist are
 * answered alike (docs/decisions.md, 400 or 422). The foreign keys hold the same against races.
 */
export async function requireIds(
  db: ServiceDb,
  table: Referable,
  workspaceId: string,
  ids: readonly string[],
  path: string,
): Promise<void> {
  const wanted = new Set(ids);
  if (wanted.size === 0) return;
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', [...wanted])
    .execute();
  const known = new Set(rows.map((row) => row.id));
  const unknown = [...wanted].find((id) => !known.has(id));
  if (unknown !== undefined) throw unprocessable(path, `The workspace has no ${CALLED[table]} "${unknown}"`);
}

/** The workspace that a write goes to: the one it names, which the key must see (422), or the key's home. */
export function requireWorkspace(caller: Caller, workspaceId: string | null | undefined): string {
  if (!workspaceId) return caller.workspaceId;
  if (!caller.workspaceIds.includes(workspaceId))
    throw unprocessable(
      'workspaceId',
      `There is no workspace "${workspaceId}", or it is not visible to this key`,
    );
  return workspaceId;
}
