import { sql } from 'kysely';

import type { Caller, ServiceDb, ServiceTx } from './handler.ts';
import { conflict, notFound, type ServiceProblem, unprocessable } from './problem.ts';

/** Tables whose records a request may reference by id. */
export type Referable =
  | 'person'
  | 'queue'
  | 'status'
  | 'status_group'
  | 'request_type'
  | 'custom_field'
  | 'tag'
  | 'ticket'
  | 'chat_channel'
  | 'personality'
  | 'knowledge_base'
  | 'workflow'
  | 'business_hours';

const CALLED: Record<Referable, string> = {
  person: 'user',
  queue: 'queue',
  status: 'status',
  status_group: 'status group',
  request_type: 'request type',
  custom_field: 'custom field',
  tag: 'tag',
  ticket: 'ticket',
  chat_channel: 'chat channel',
  personality: 'personality',
  knowledge_base: 'knowledge base',
  workflow: 'workflow',
  business_hours: 'business hours',
};

/**
 * Throws 422 unless every id is a record of the workspace; a record of another workspace is treated like a missing one
 * (docs/api.md, Conventions), and so is an erased person. The foreign keys enforce the same against races.
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
    .$if(table === 'person', (people) => people.where(sql<boolean>`erased_at is null`))
    .execute();
  requireKnown(
    rows.map((row) => row.id),
    table,
    wanted,
    path,
  );
}

/** The same where it is known already which of them the workspace has. */
export function requireKnown(
  known: readonly string[],
  table: Referable,
  ids: Iterable<string>,
  path: string,
): void {
  const unknown = [...ids].find((id) => !known.includes(id));
  if (unknown !== undefined) throw noSuch(table, unknown, path);
}

export function noSuch(table: Referable, id: string, path: string): ServiceProblem {
  return unprocessable(path, `The workspace has no ${CALLED[table]} "${id}"`);
}

/**
 * Returns the workspace of a write: the one it names, which the key must be able to access (422), or the key's home.
 */
export function requireWorkspace(caller: Caller, workspaceId: string | null | undefined): string {
  if (!workspaceId) return caller.workspaceId;
  if (!caller.workspaceIds.includes(workspaceId))
    throw unprocessable(
      'workspaceId',
      `There is no workspace "${workspaceId}", or it is not visible to this key`,
    );
  return workspaceId;
}

/**
 * Locks a record that the key can access until the transaction ends, and returns its workspace; 404 otherwise.
 * @param to `delete` also blocks transactions that are about to refer to it.
 */
export async function lockVisible(
  tx: ServiceTx,
  caller: Caller,
  table: Exclude<Referable, 'status_group'> | 'ai_agent',
  id: string,
  to: 'change' | 'delete' = 'change',
): Promise<string> {
  const workspaceId = await lockIfThere(tx, caller, table, id, to);
  if (workspaceId === undefined) throw notFound();
  return workspaceId;
}

/**
 * Locks the record with an id chosen by the caller and returns its workspace, or undefined if there is none and it may
 * be created. 409 if another workspace has that id.
 */
export async function lockChosen(
  tx: ServiceTx,
  caller: Caller,
  table: 'ai_agent' | 'knowledge_base' | 'personality' | 'request_type',
  id: string,
): Promise<string | undefined> {
  const workspaceId = await lockIfThere(tx, caller, table, id, 'change');
  if (workspaceId !== undefined) return workspaceId;
  const elsewhere = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (elsewhere) throw conflict('This id is taken. Choose another one, or leave it out.');
  return undefined;
}

/** The same; undefined if there is none. */
async function lockIfThere(
  tx: ServiceTx,
  caller: Caller,
  table: Exclude<Referable, 'status_group'> | 'ai_agent',
  id: string,
  to: 'change' | 'delete',
): Promise<string | undefined> {
  const rows = tx
    .selectFrom(table)
    .select('workspace_id')
    .where('workspace_id', 'in', caller.workspaceIds)
    .where('id', '=', id)
    .orderBy(sql`workspace_id = ${caller.workspaceId}`, 'desc')
    .limit(1);
  const row = await (to === 'delete' ? rows.forUpdate() : rows.forNoKeyUpdate()).executeTakeFirst();
  return row?.workspace_id;
}
