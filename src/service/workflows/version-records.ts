import type { WorkflowVersion } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';

/** Older ones stay stored, for their runs. */
const SHOWN = 20;

/** Returns the newest versions of a workflow, the last one first. */
export async function workflowVersionRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  workflowId: string,
): Promise<WorkflowVersion[]> {
  const rows = await db
    .selectFrom('workflow_version')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('workflow_id', '=', workflowId)
    .orderBy('version', 'desc')
    .limit(SHOWN)
    .execute();
  return rows.map(({ version, steps, connections, published_at }) => ({
    version,
    steps,
    connections,
    publishedAt: iso(published_at),
  }));
}
