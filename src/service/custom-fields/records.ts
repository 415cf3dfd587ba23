import { type Selectable, sql } from 'kysely';

import type { CustomField } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso, jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import type { Tables } from '../schema/tables.ts';

const options = sql<CustomField['options']>`(
  select coalesce(json_agg(json_build_object(
    'id', o.id, 'value', o.value, 'order', o.position, 'description', o.description, 'color', o.color,
    'icon', o.icon, 'customFieldId', o.custom_field_id,
    'createdAt', ${jsonInstant('o.created_at')}, 'updatedAt', ${jsonInstant('o.updated_at')}
  ) order by o.position, o.id), '[]')
  from custom_field_option o where o.workspace_id = f.workspace_id and o.custom_field_id = f.id)`;

const uses = sql<number>`(select count(*) from request_type_custom_field x
  where x.workspace_id = f.workspace_id and x.custom_field_id = f.id)`;

/** About how many bytes a custom field `f` takes, with its options. */
export const customFieldBytes = sql<number>`(
  500 + coalesce(octet_length(f.description), 0) + coalesce(octet_length(f.config::text), 0) + coalesce((
    select sum(300 + octet_length(o.value) + coalesce(octet_length(o.description), 0))
    from custom_field_option o where o.workspace_id = f.workspace_id and o.custom_field_id = f.id), 0))`;

/** Custom fields by id with their options, in the order of `ids`. */
export async function customFieldRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<CustomField[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('custom_field as f')
    .selectAll('f')
    .select([options.as('options'), uses.as('uses')])
    .where('f.workspace_id', 'in', workspaceIds)
    .where('f.id', 'in', ids)
    .execute();
  return inOrder(ids, rows.map(toCustomField));
}

type Row = Selectable<Tables['custom_field']> & { options: CustomField['options']; uses: number };

function toCustomField(row: Row): CustomField {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    key: row.key,
    label: row.label,
    description: row.description,
    required: row.required,
    system: row.system,
    type: row.type,
    config: row.config,
    options: row.options,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    _count: { requestTypeCustomField: row.uses },
  };
}
