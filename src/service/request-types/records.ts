import { type Selectable, sql } from 'kysely';

import type { RequestType } from '../../contract/index.ts';
import { customFieldBytes, customFieldRecords } from '../custom-fields/records.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { textBytesOf } from '../lists/page.ts';
import type { Tables } from '../schema/tables.ts';

const parent = sql<RequestType['parent']>`(
  select json_build_object('id', p.id, 'name', p.name)
  from request_type p where p.workspace_id = r.workspace_id and p.id = r.parent_id)`;

const tags = sql<RequestType['tags']>`(
  select coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'color', g.color) order by g.name), '[]')
  from request_type_tag x join tag g on g.workspace_id = x.workspace_id and g.id = x.tag_id
  where x.workspace_id = r.workspace_id and x.request_type_id = r.id)`;

/** About how many bytes a request type `r` takes, with its questions and their choices. */
export const requestTypeBytes = sql<number>`(
  ${textBytesOf('r.description', 'r.ai_examples', 'r.ai_response')} + coalesce((
    select sum(500 + ${customFieldBytes})
    from request_type_custom_field x
    join custom_field f on f.workspace_id = x.workspace_id and f.id = x.custom_field_id
    where x.workspace_id = r.workspace_id and x.request_type_id = r.id), 0))`;

/** Request types by id with their custom fields, in the order of `ids`. */
export async function requestTypeRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<RequestType[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('request_type as r')
    .selectAll('r')
    .select([parent.as('parent'), tags.as('tags')])
    .where('r.workspace_id', 'in', workspaceIds)
    .where('r.id', 'in', ids)
    .execute();
  const fields = Map.groupBy(await fieldsOf(db, workspaceIds, ids), ({ requestTypeId }) => requestTypeId);
  return inOrder(
    ids,
    rows.map((row) => toRequestType(row, fields.get(row.id) ?? [])),
  );
}

async function fieldsOf(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<RequestType['customFields']> {
  const rows = await db
    .selectFrom('request_type_custom_field')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('request_type_id', 'in', ids)
    .orderBy('position')
    .orderBy('id')
    .execute();
  const named = [...new Set(rows.map((row) => row.custom_field_id))];
  const fields = new Map(
    (await customFieldRecords(db, workspaceIds, named)).map((field) => [field.id, field]),
  );
  return rows.flatMap((row) => {
    const customField = fields.get(row.custom_field_id);
    if (!customField) return [];
    return {
      id: row.id,
      order: row.position,
      private: row.private,
      required: row.required,
      ticketField: row.ticket_field,
      requestTypeId: row.request_type_id,
      customFieldId: row.custom_field_id,
      customField,
      parentId: row.parent_id,
      dependsOnValue: row.depends_on_value,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
    };
  });
}

type Row = Selectable<Tables['request_type']> & Pick<RequestType, 'parent' | 'tags'>;

function toRequestType(row: Row, customFields: RequestType['customFields']): RequestType {
  return {
    id: row.id,
    name: row.name,
    emoji: row.emoji,
    icon: row.icon,
    color: row.color,
    description: row.description,
    isDefault: row.is_default,
    isPrivate: row.is_private,
    published: row.published,
    jobId: row.job_id,
    aiExamples: row.ai_examples,
    aiResponse: row.ai_response,
    workspaceId: row.workspace_id,
    titleTemplate: row.title_template,
    defaultQueueId: row.default_queue_id,
    defaultStatusId: row.default_status_id,
    defaultTaskTemplateId: row.default_task_template_id,
    defaultPriority: row.default_priority,
    type: row.type,
    parentId: row.parent_id,
    parent: row.parent,
    tags: row.tags,
    customFields,
    formEnabled: row.form_enabled,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}
