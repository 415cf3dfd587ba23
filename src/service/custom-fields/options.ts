import { ID_PREFIXES, type CustomFieldType, type ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { unprocessable } from '../problem.ts';

type Options = NonNullable<ParsedBody<'updateCustomField'>['options']>;
interface Field {
  workspaceId: string;
  id: string;
  type: CustomFieldType;
}

/** Replaces a field's options; those with an existing value keep their ids. */
export async function writeOptions(
  tx: ServiceTx,
  { workspaceId, id: fieldId, type }: Field,
  given: Options,
  { newId, now }: { newId: NewId; now: Date },
): Promise<void> {
  if (given.length > 0 && type !== 'SELECT' && type !== 'MULTI_SELECT')
    throw unprocessable('options', 'Only SELECT and MULTI_SELECT fields have options');
  const before = await tx
    .selectFrom('custom_field_option')
    .select(['id', 'value'])
    .where('workspace_id', '=', workspaceId)
    .where('custom_field_id', '=', fieldId)
    .execute();
  const idOf = new Map(before.map(({ id, value }) => [value, id]));
  const kept: string[] = [];
  for (const [index, option] of given.entries()) {
    const value = option.value.trim();
    const columns = {
      position: option.order ?? index,
      description: option.description ?? null,
      color: option.color ?? null,
      icon: option.icon ?? null,
      updated_at: now,
    };
    const known = idOf.get(value);
    const id = known ?? newId(ID_PREFIXES.customFieldOption);
    kept.push(id);
    if (known === undefined)
      await tx
        .insertInto('custom_field_option')
        .values({
          workspace_id: workspaceId,
          id,
          custom_field_id: fieldId,
          value,
          created_at: now,
          ...columns,
        })
        .execute();
    else
      await tx
        .updateTable('custom_field_option')
        .set(columns)
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
  }
  const gone = before.map(({ id }) => id).filter((id) => !kept.includes(id));
  if (gone.length > 0)
    await tx
      .deleteFrom('custom_field_option')
      .where('workspace_id', '=', workspaceId)
      .where('id', 'in', gone)
      .execute();
}
