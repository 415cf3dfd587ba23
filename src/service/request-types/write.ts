import type { Updateable } from 'kysely';

import type { ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { requireIds } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { writeFields } from './fields.ts';
import { checkPlace, requireEmpty } from './place.ts';

export type RequestTypeBody = ParsedBody<'updateRequestType'>;
type Columns = Updateable<Tables['request_type']>;
interface Key {
  workspaceId: string;
  id: string;
}

/** Returns the columns that a request sets: null clears an optional field and is ignored for a required one. */
export function requestTypeColumns(body: RequestTypeBody): Columns {
  return {
    ...(body.name && { name: body.name.trim() }),
    ...(body.emoji !== undefined && { emoji: body.emoji }),
    ...(body.icon !== undefined && { icon: body.icon }),
    ...(body.color !== undefined && { color: body.color }),
    ...(body.description !== undefined && { description: body.description }),
    ...(typeof body.isDefault === 'boolean' && { is_default: body.isDefault }),
    ...(typeof body.isPrivate === 'boolean' && { is_private: body.isPrivate }),
    ...(typeof body.published === 'boolean' && { published: body.published }),
    ...(typeof body.formEnabled === 'boolean' && { form_enabled: body.formEnabled }),
    ...(body.jobId !== undefined && { job_id: body.jobId }),
    ...(body.aiExamples !== undefined && { ai_examples: body.aiExamples }),
    ...(body.aiResponse !== undefined && { ai_response: body.aiResponse }),
    ...(body.titleTemplate !== undefined && { title_template: body.titleTemplate }),
    ...(body.defaultQueueId !== undefined && { default_queue_id: body.defaultQueueId }),
    ...(body.defaultStatusId !== undefined && { default_status_id: body.defaultStatusId }),
    ...(body.defaultTaskTemplateId !== undefined && { default_task_template_id: body.defaultTaskTemplateId }),
    ...(body.defaultPriority !== undefined && { default_priority: body.defaultPriority }),
    ...(body.type && { type: body.type }),
    ...(body.parentId !== undefined && { parent_id: body.parentId }),
  };
}

/** Checks the records that a request references, and its collection. Throws 422 if a rule is violated. */
export async function checkRequestType(
  tx: ServiceTx,
  { workspaceId, id }: Key,
  body: RequestTypeBody,
): Promise<void> {
  if (body.defaultQueueId)
    await requireIds(tx, 'queue', workspaceId, [body.defaultQueueId], 'defaultQueueId');
  if (body.defaultStatusId)
    await requireIds(tx, 'status', workspaceId, [body.defaultStatusId], 'defaultStatusId');
  if (body.parentId) await checkPlace(tx, workspaceId, id, body.parentId, 'parentId');
  if (body.type === 'request-type') await requireEmpty(tx, workspaceId, id);
}

/** A workspace has one default request type: if this one becomes it, the previous one is no longer. */
export async function replaceDefault(
  tx: ServiceTx,
  { workspaceId, id }: Key,
  { isDefault }: RequestTypeBody,
): Promise<void> {
  if (!isDefault) return;
  await tx
    .updateTable('request_type')
    .set({ is_default: false })
    .where('workspace_id', '=', workspaceId)
    .where('id', '<>', id)
    .where('is_default', '=', true)
    .execute();
}

/** Replaces all tags and all custom fields with those of a request; absent ones stay. */
export async function writeRequestTypeRelations(
  tx: ServiceTx,
  { workspaceId, id }: Key,
  body: RequestTypeBody,
  context: { newId: NewId; now: Date },
): Promise<void> {
  if (body.customFields !== undefined)
    await writeFields(tx, workspaceId, id, body.customFields ?? [], context);
  if (body.tags === undefined) return;
  const tags = [...new Set(body.tags?.map((tag) => tag.id))];
  await requireIds(tx, 'tag', workspaceId, tags, 'tags');
  await tx
    .deleteFrom('request_type_tag')
    .where('workspace_id', '=', workspaceId)
    .where('request_type_id', '=', id)
    .execute();
  if (tags.length > 0)
    await tx
      .insertInto('request_type_tag')
      .values(tags.map((tag) => ({ workspace_id: workspaceId, request_type_id: id, tag_id: tag })))
      .execute();
}
