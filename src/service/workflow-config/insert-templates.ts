import { ID_PREFIXES } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { contentOf } from './outline.ts';
import { TEMPLATES } from './templates.ts';

/** Gives a new workspace the templates of workflows. */
export async function insertTemplates(
  tx: ServiceTx,
  { newId }: { newId: NewId },
  now: Date,
  workspaceId: string,
): Promise<void> {
  const rows = TEMPLATES.map((outline) => {
    const { steps, connections } = contentOf(outline);
    return {
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.workflow),
      name: outline.name,
      description: outline.description,
      is_template: true,
      state: 'Draft' as const,
      steps: JSON.stringify(steps),
      connections: JSON.stringify(connections),
      created_at: now,
      updated_at: now,
    };
  });
  await tx.insertInto('workflow').values(rows).execute();
}
