import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';

/** The request types of whose form a custom field is a part; and those where it is private. */
export interface FieldUse {
  types: string[];
  private_types: string[];
}

/** The columns of a `FieldUse`, of a custom field `f`. */
export const fieldUse = sql<FieldUse>`
  array(select x.request_type_id from request_type_custom_field x
    where x.workspace_id = f.workspace_id and x.custom_field_id = f.id) as types,
  array(select x.request_type_id from request_type_custom_field x
    where x.workspace_id = f.workspace_id and x.custom_field_id = f.id and x.private) as private_types`;

/** Returns whether an answer is private: one to a field of another request type is if it is private anywhere. */
export function isPrivateAnswer(use: FieldUse, requestTypeId: string | null): boolean {
  if (requestTypeId !== null && use.types.includes(requestTypeId))
    return use.private_types.includes(requestTypeId);
  return use.private_types.length > 0;
}

/** Returns those of the keys of custom fields whose answers are private on a ticket of a request type. */
export async function privateKeys(
  db: ServiceDb,
  workspaceId: string,
  requestTypeId: string | null,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const { rows } = await sql<FieldUse & { key: string }>`
    select f.key, ${fieldUse} from custom_field f
    where f.workspace_id = ${workspaceId} and f.key = any(${[...keys]}::text[])`.execute(db);
  return new Set(rows.filter((row) => isPrivateAnswer(row, requestTypeId)).map(({ key }) => key));
}
