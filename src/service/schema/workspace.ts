import { sql } from 'kysely';

import { ID_PREFIXES, type QueueVisibility, STATUS_GROUPS } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import type { StatusKind } from '../tickets/statuses.ts';

const KINDS: Record<(typeof STATUS_GROUPS)[number], StatusKind> = {
  Open: 'OPEN',
  'In Progress': 'IN_PROGRESS',
  Waiting: 'PENDING',
  Done: 'RESOLVED',
  Closed: 'CLOSED',
};

/** Returns the id of the oldest workspace; undefined before there is one. */
export async function firstWorkspaceId(tx: ServiceTx): Promise<string | undefined> {
  const first = await tx
    .selectFrom('workspace')
    .select('id')
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst();
  return first?.id;
}

/** Processes that start together on an empty database make one first workspace between them. */
export async function lockFirstWorkspace(tx: ServiceTx): Promise<string | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('first workspace', 0))`.execute(tx);
  return firstWorkspaceId(tx);
}

/** A new workspace with the system's status groups and statuses, and no queue. */
export async function createWorkspace(
  tx: ServiceTx,
  { newId }: Pick<Tools, 'newId'>,
  now: Date,
  { name, slug }: { name: string; slug: string },
): Promise<string> {
  const times = { created_at: now, updated_at: now };
  const id = newId(ID_PREFIXES.workspace);
  await tx
    .insertInto('workspace')
    .values({
      id,
      name,
      slug,
      organization_id: newId(ID_PREFIXES.organization),
      settings_id: newId(ID_PREFIXES.workspaceSettings),
      ...times,
    })
    .execute();
  for (const [position, label] of STATUS_GROUPS.entries()) {
    const groupId = newId(ID_PREFIXES.statusGroup);
    await tx
      .insertInto('status_group')
      .values({ workspace_id: id, id: groupId, label, kind: KINDS[label] })
      .execute();
    await tx
      .insertInto('status')
      .values({
        workspace_id: id,
        id: newId(ID_PREFIXES.status),
        label,
        position,
        system: true,
        status_group_id: groupId,
        ...times,
      })
      .execute();
  }
  return id;
}

/** A new queue, which becomes the workspace's default one where it has none. */
export async function createQueue(
  tx: ServiceTx,
  { newId }: Pick<Tools, 'newId'>,
  now: Date,
  queue: {
    workspaceId: string;
    name: string;
    prefix: string;
    emoji: string;
    autoAssignees?: string[];
    visibility?: QueueVisibility;
  },
): Promise<string> {
  const id = newId(ID_PREFIXES.queue);
  await tx
    .insertInto('queue')
    .values({
      workspace_id: queue.workspaceId,
      id,
      name: queue.name,
      prefix: queue.prefix,
      emoji: queue.emoji,
      settings_id: newId(ID_PREFIXES.queueSettings),
      auto_assignees: queue.autoAssignees ?? [],
      ...(queue.visibility && { visibility: queue.visibility }),
      created_at: now,
      updated_at: now,
    })
    .execute();
  await tx
    .insertInto('queue_prefix')
    .values({ workspace_id: queue.workspaceId, prefix: queue.prefix, queue_id: id })
    .execute();
  await tx
    .updateTable('workspace')
    .set({ default_queue_id: id })
    .where('id', '=', queue.workspaceId)
    .where('default_queue_id', 'is', null)
    .execute();
  return id;
}
