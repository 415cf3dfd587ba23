import { ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';

type Fields = NonNullable<ParsedBody<'updateRequestType'>['customFields']>;
interface Context {
  newId: NewId;
  now: Date;
}

/**
 * Replaces the custom fields of a request type; existing ones keep their ids. `parentId` is the custom field's id or
 * the request-type custom field's.
 */
export async function writeFields(
  tx: ServiceTx,
  workspaceId: string,
  requestTypeId: string,
  given: Fields,
  { newId, now }: Context,
): Promise<void> {
  const named = given.map(({ customFieldId }) => customFieldId);
  await requireIds(tx, 'custom_field', workspaceId, named, 'customFields');
  const before = await tx
    .selectFrom('request_type_custom_field')
    .select(['id', 'custom_field_id'])
    .where('workspace_id', '=', workspaceId)
    .where('request_type_id', '=', requestTypeId)
    .execute();
  const idOf = new Map(before.map((row) => [row.custom_field_id, row.id]));
  const known = new Set(before.map((row) => row.id));
  for (const customFieldId of named)
    if (!idOf.has(customFieldId)) idOf.set(customFieldId, newId(ID_PREFIXES.requestTypeCustomField));
  const parents = parentsOf(given, idOf);
  const gone = before.filter((row) => !named.includes(row.custom_field_id)).map((row) => row.id);
  if (gone.length > 0)
    await tx
      .deleteFrom('request_type_custom_field')
      .where('workspace_id', '=', workspaceId)
      .where('id', 'in', gone)
      .execute();
  for (const [index, field] of given.entries()) {
    const id = idOf.get(field.customFieldId) ?? '';
    const columns = {
      position: field.order ?? index,
      required: field.required ?? false,
      private: field.private ?? false,
      ticket_field: field.ticketField ?? null,
      parent_id: parents.get(id) ?? null,
      depends_on_value: field.dependsOnValue ?? null,
      updated_at: now,
    };
    if (known.has(id))
      await tx
        .updateTable('request_type_custom_field')
        .set(columns)
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
    else
      await tx
        .insertInto('request_type_custom_field')
        .values({
          workspace_id: workspaceId,
          id,
          request_type_id: requestTypeId,
          custom_field_id: field.customFieldId,
          created_at: now,
          ...columns,
        })
        .execute();
  }
}

/** Returns each field's parent by id; all belong to the same request type, without a cycle. */
function parentsOf(given: Fields, idOf: ReadonlyMap<string, string>): Map<string, string> {
  const ids = new Set(given.map(({ customFieldId }) => idOf.get(customFieldId)));
  const parents = new Map<string, string>();
  for (const [index, { customFieldId, parentId }] of given.entries()) {
    if (!parentId) continue;
    const parent = idOf.get(parentId) ?? parentId;
    if (!ids.has(parent))
      throw unprocessable(`customFields.${index}.parentId`, 'This is no custom field of the request type');
    parents.set(idOf.get(customFieldId) ?? '', parent);
  }
  for (const start of parents.keys()) {
    const seen = new Set<string>();
    for (let at: string | undefined = start; at !== undefined; at = parents.get(at)) {
      if (seen.has(at)) throw unprocessable('customFields', 'A custom field cannot hang on itself');
      seen.add(at);
    }
  }
  return parents;
}
