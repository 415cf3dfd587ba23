import { sql } from 'kysely';

import type { NewId } from '../../platform/ids.ts';
import { escapeMarkdown } from '../../platform/text/markdown.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { ownCaller } from '../own-caller.ts';
import { createTicket } from '../tickets/create.ts';
import type { RunWorkflow, StoredRun } from './runs.ts';
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

/**
 * Tells the author and the admins that a step of a run has failed. A run without a ticket gets one about that, in the
 * default queue of its workspace: what they are told of is a ticket.
 */
export async function tellOfFailure(
  tx: ServiceTx,
  context: { tools: Tools; newId: NewId; now: Date; outbox: Outbox },
  { workspace_id: workspaceId, id: runId, ticket_id: own }: StoredRun,
  { id: workflowId, name }: Pick<RunWorkflow, 'id' | 'name'>,
  reason: string,
): Promise<void> {
  const ticketId = own ?? (await openNotice(tx, context, { workspaceId, runId, name, reason }));
  if (ticketId !== undefined)
    await tellOfWorkflow(tx, context, {
      kind: 'workflow-failed',
      workspaceId,
      workflowId,
      ticketId,
      sourceId: runId,
    });
}

/** Opens a ticket about a run; undefined if the workspace has no default queue, or people were told of this run already. */
async function openNotice(
  tx: ServiceTx,
  { tools, now, outbox }: { tools: Tools; now: Date; outbox: Outbox },
  { workspaceId, runId, name, reason }: { workspaceId: string; runId: string; name: string; reason: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ queueId: string | null }>`
    select default_queue_id as "queueId" from workspace where id = ${workspaceId} and not exists (
      select from notification n where n.workspace_id = ${workspaceId} and n.source_id = ${runId})`.execute(
    tx,
  );
  const queueId = rows[0]?.queueId;
  if (!queueId) return undefined;
  const { ticket } = await createTicket(
    tx,
    { tools, caller: ownCaller(workspaceId, 'SYSTEM'), now },
    {
      title: `The workflow “${name}” needs somebody`,
      description: `A step of it failed: ${escapeMarkdown(reason)}\n\nIn Settings → Workflows, the step can be retried or skipped, and the run stopped.`,
      priority: 'HIGH',
      source: 'SYSTEM',
      queueId,
    },
    outbox,
  );
  return ticket.id;
}
