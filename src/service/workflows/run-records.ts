import { sql } from 'kysely';

import type { RunStep, WorkflowRun, WorkflowRunDetail } from '../../contract/index.ts';
import { isVisibleTo, readsNotes, viewerOf } from '../access/viewer.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { found } from '../problem.ts';
import { codeOf } from '../ticket-code.ts';
import { shownValues } from './shown-values.ts';

/**
 * Returns the SQL condition for the runs `r` that a caller may see: an admin or key sees all, an agent those of tickets
 * whose internal notes they may read.
 */
export function isVisibleRun(caller: Caller) {
  const viewer = viewerOf(caller);
  if (!viewer) return sql<boolean>`true`;
  return sql<boolean>`exists (select from ticket t
    where t.workspace_id = r.workspace_id and t.id = r.ticket_id and ${isVisibleTo(viewer)}
      and ${readsNotes(viewer) ?? sql`false`})`;
}

/** Reads runs, in the order of `ids`. */
export async function readRuns(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<WorkflowRun[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('workflow_run as r')
    .innerJoin('workflow as w', (join) =>
      join.onRef('w.workspace_id', '=', 'r.workspace_id').onRef('w.id', '=', 'r.workflow_id'),
    )
    .leftJoin('ticket as t', (join) =>
      join.onRef('t.workspace_id', '=', 'r.workspace_id').onRef('t.id', '=', 'r.ticket_id'),
    )
    .leftJoin('queue as q', (join) =>
      join.onRef('q.workspace_id', '=', 't.workspace_id').onRef('q.id', '=', 't.queue_id'),
    )
    .selectAll('r')
    .select(['w.name', 't.number', 'q.prefix'])
    .where('r.workspace_id', 'in', workspaceIds)
    .where('r.id', 'in', ids)
    .execute();
  return inOrder(
    ids,
    rows.map((row) => ({
      id: row.id,
      workflowId: row.workflow_id,
      workflowName: row.name,
      version: row.version,
      ticketId: row.ticket_id,
      ticketCode: row.prefix === null || row.number === null ? null : codeOf(row.prefix, row.number),
      triggerStepId: row.trigger_step_id,
      startedById: row.started_by,
      state: row.state,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
      endedAt: isoOrNull(row.ended_at),
    })),
  );
}

/** Returns the workspace of a run. Throws 404 if the caller cannot see the run. */
export async function workspaceOfRun(db: ServiceDb, caller: Caller, id: string): Promise<string> {
  const run = await db
    .selectFrom('workflow_run as r')
    .select('r.workspace_id')
    .where('r.workspace_id', 'in', caller.workspaceIds)
    .where('r.id', '=', id)
    .where(isVisibleRun(caller))
    .executeTakeFirst();
  return found(run).workspace_id;
}

/** Reads a run with its steps. Throws 404 if the caller cannot see the run. */
export async function readRunDetail(db: ServiceDb, caller: Caller, id: string): Promise<WorkflowRunDetail> {
  const workspaceId = await workspaceOfRun(db, caller, id);
  const run = found((await readRuns(db, [workspaceId], [id]))[0]);
  const version = await db
    .selectFrom('workflow_version')
    .select('steps')
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', run.workflowId)
    .where('version', '=', run.version)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('workflow_run_step as s')
    .leftJoin('workflow_wait as w', (join) =>
      join
        .onRef('w.workspace_id', '=', 's.workspace_id')
        .onRef('w.run_id', '=', 's.run_id')
        .onRef('w.step_id', '=', 's.step_id'),
    )
    .selectAll('s')
    .select('w.until_at')
    .where('s.workspace_id', '=', workspaceId)
    .where('s.run_id', '=', id)
    .orderBy('s.position')
    .execute();
  const steps = rows.map((row): RunStep => {
    const step = version.steps.find((each) => each.id === row.step_id);
    return {
      stepId: row.step_id,
      title: step?.title ?? '',
      action: step?.action ?? '',
      state: row.state,
      inputs: row.inputs,
      outputs: row.outputs && shownValues(row.outputs),
      error: row.error,
      waitsUntil: isoOrNull(row.until_at),
      beganAt: iso(row.began_at),
      endedAt: isoOrNull(row.ended_at),
    };
  });
  return { ...run, steps };
}
