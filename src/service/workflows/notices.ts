import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { tellPeople } from '../notifications/store.ts';
import { activeAdmins } from '../access/active-admins.ts';

/** Tells the author of a workflow and the admins of what needs a person. */
export async function tellOfWorkflow(
  tx: ServiceTx,
  { newId, now }: { newId: NewId; now: Date },
  about: {
    kind: 'workflow-failed' | 'workflow-paused' | 'workflow-chain-ended';
    workspaceId: string;
    workflowId: string;
    ticketId: string;
    /** The run, what paused it, or the version whose chain ended: of each they are told once. */
    sourceId: string;
  },
): Promise<void> {
  const { kind, workspaceId, workflowId, ticketId, sourceId } = about;
  const admins = await activeAdmins(tx, workspaceId).execute();
  const workflow = await tx
    .selectFrom('workflow')
    .select('author_id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', workflowId)
    .executeTakeFirst();
  const people = [...admins.map(({ id }) => id), ...(workflow?.author_id ? [workflow.author_id] : [])];
  await tellPeople(tx, workspaceId, people, { kind, ticketId, sourceId }, { newId, now });
}
