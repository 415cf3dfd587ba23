import type { ParsedBody, QueueSettings, QueueVisibility } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';
import { conflict } from '../problem.ts';
import { requireIds } from '../references.ts';

type Settings = Partial<Omit<QueueSettings, 'id'>>;

/** Returns the columns that a request sets; `settings` are merged over the stored ones. */
export async function queueColumns(
  tx: ServiceTx,
  workspaceId: string,
  body: ParsedBody<'updateQueue'>,
  stored: Settings = {},
): Promise<{
  name?: string;
  prefix?: string;
  emoji?: string | null;
  auto_assignees?: string[];
  business_hours_id?: string | null;
  visibility?: QueueVisibility;
  settings?: string;
}> {
  const { name, prefix, emoji, autoAssignees, businessHoursId, settings } = body;
  const people = autoAssignees?.split(',').flatMap((id) => id.trim() || []);
  if (people) await requireIds(tx, 'person', workspaceId, people, 'autoAssignees');
  if (businessHoursId)
    await requireIds(tx, 'business_hours', workspaceId, [businessHoursId], 'businessHoursId');
  const told = settings?.warnings?.escalations.flatMap(({ userId }) => userId ?? []) ?? [];
  await requireIds(tx, 'person', workspaceId, told, 'settings.warnings');
  return {
    ...(name && { name: name.trim() }),
    ...(prefix && { prefix }),
    ...(emoji !== undefined && { emoji: emoji || null }),
    ...((people ?? autoAssignees === null) && { auto_assignees: [...new Set(people)] }),
    ...(businessHoursId !== undefined && { business_hours_id: businessHoursId }),
    ...(body.visibility && { visibility: body.visibility }),
    ...(settings && { settings: JSON.stringify(mergeSettings(stored, settings)) }),
  };
}

/** Absent settings stay; null clears optional ones. */
function mergeSettings(stored: Settings, given: object): Settings {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...stored, ...(Object.fromEntries(named) as Settings) };
}

/** Sets the queue's prefix; 409 if another queue uses it or has used it, because old references keep working. */
export async function claimPrefix(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
  prefix: string,
): Promise<void> {
  await tx
    .insertInto('queue_prefix')
    .values({ workspace_id: workspaceId, prefix, queue_id: queueId })
    .onConflict((onConflict) => onConflict.columns(['workspace_id', 'prefix']).doNothing())
    .execute();
  const owner = await tx
    .selectFrom('queue_prefix')
    .select('queue_id')
    .where('workspace_id', '=', workspaceId)
    .where('prefix', '=', prefix)
    .executeTakeFirst();
  if (owner?.queue_id !== queueId)
    throw conflict(`The prefix ${prefix} is, or was, that of another queue of this workspace.`);
}

/** Replaces the queue's request types if the request names them. */
export async function writeRequestTypes(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
  requestTypes: { id: string }[] | null | undefined,
): Promise<void> {
  if (!requestTypes) return;
  const ids = [...new Set(requestTypes.map(({ id }) => id))];
  await requireIds(tx, 'request_type', workspaceId, ids, 'requestTypes');
  await tx
    .deleteFrom('queue_request_type')
    .where('workspace_id', '=', workspaceId)
    .where('queue_id', '=', queueId)
    .execute();
  if (ids.length === 0) return;
  await tx
    .insertInto('queue_request_type')
    .values(ids.map((id) => ({ workspace_id: workspaceId, queue_id: queueId, request_type_id: id })))
    .execute();
}
