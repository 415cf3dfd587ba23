import { ID_PREFIXES } from '../../contract/index.ts';
import { requireAccess } from '../access/ticket-access.ts';
import type { Call, Caller, Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found, unprocessable } from '../problem.ts';
import { lockVisible, requireIds } from '../references.ts';
import { ticketNamed } from '../tickets/find.ts';
import { mayHandle } from './access.ts';
import { startByHand } from './by-hand.ts';
import { stepWork } from '../workflow-config/kinds.ts';
import { workflowRecords } from './records.ts';
import { isVisibleRun, readRunDetail, readRuns, workspaceOfRun } from './run-records.ts';
import {
  endStep,
  isLive,
  lockRun,
  readWorkflow,
  recordState,
  stepsOfRun,
  stopRun,
  type StoredRun,
  ticketOf,
} from './runs.ts';
import { tryOut } from './try-out.ts';
import { workflowVersionRecords } from './version-records.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('r.created_at'),
    updatedAt: timeKey('r.updated_at'),
    state: textKey('r.state'),
    workflowId: textKey('r.workflow_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'desc',
  id: 'r.id',
} as const;

type Names =
  | 'runWorkflow'
  | 'tryWorkflow'
  | 'listWorkflowVersions'
  | 'listWorkflowRuns'
  | 'readWorkflowRun'
  | 'retryWorkflowStep'
  | 'skipWorkflowStep'
  | 'stopWorkflowRun';

/** Runs of workflows, and what people do with them (docs/api.md, Workflows). */
export function workflowRunHandlers(tools: Tools): Pick<Handlers, Names> {
  const { newId } = tools;

  return {
    async runWorkflow({ caller, params: { id }, body, now, outbox }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'workflow', id);
      if (body.userId) await requireIds(tx, 'person', workspaceId, [body.userId], 'userId');
      const runId = await startByHand(
        tx,
        { newId, now, outbox },
        {
          workflowId: id,
          ticket: await ticketOfRequest(tx, caller, workspaceId, body.ticketId),
          eventId: body.key ? `by hand ${body.key}` : newId(ID_PREFIXES.event),
          chain: [],
          startedBy: body.userId ?? (caller.session ? caller.personId : null),
        },
      );
      return readRunDetail(tx, caller, runId);
    },

    async tryWorkflow({ caller, params: { id }, body, now }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'workflow', id);
      const workflow = found((await workflowRecords(tx, [workspaceId], [id]))[0]);
      const ticket = await ticketOfRequest(tx, caller, workspaceId, body.ticketId);
      if (!(await mayHandle(tx, workflow.queueIds, ticket)))
        throw unprocessable('ticketId', 'There is no such ticket, or the workflow may not read it');
      return tryOut(tx, { tools, now }, workflow, ticket);
    },

    async listWorkflowVersions({ caller, params: { id } }, db) {
      found((await workflowRecords(db, caller.workspaceIds, [id]))[0]);
      return { items: await workflowVersionRecords(db, caller.workspaceIds, id) };
    },

    async listWorkflowRuns({ caller, query }, db) {
      let rows = db
        .selectFrom('workflow_run as r')
        .innerJoin('workflow as w', (join) =>
          join.onRef('w.workspace_id', '=', 'r.workspace_id').onRef('w.id', '=', 'r.workflow_id'),
        )
        .where(isOneOf('r.workspace_id', listedWorkspaces(caller, query.workspaceId)))
        .where(isVisibleRun(caller));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('r.id', ids));
      if (query.workflowId) rows = rows.where('r.workflow_id', '=', query.workflowId);
      if (query.ticketId) rows = rows.where('r.ticket_id', '=', query.ticketId);
      if (query.state) rows = rows.where('r.state', '=', query.state);
      if (query.search) rows = rows.where(contains(['w.name'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        readRuns(db, caller.workspaceIds, shown),
      );
    },

    async readWorkflowRun({ caller, params: { id } }, db) {
      const run = await readRunDetail(db, caller, id);
      if (run.ticketId !== null) await caller.noteOpened?.(db, [run.ticketId]);
      return run;
    },

    async retryWorkflowStep({ caller, params: { id }, body, now, outbox }, tx) {
      const run = await lockOwnRun(tx, caller, id);
      const key = { workspaceId: run.workspace_id, runId: id };
      await requireFailed(tx, run, body);
      await tx
        .updateTable('workflow_run_step')
        .set({ state: 'pending', error: null, ended_at: null, began_at: now })
        .where('workspace_id', '=', run.workspace_id)
        .where('run_id', '=', id)
        .where('step_id', '=', body.stepId)
        .execute();
      outbox.plan(stepWork({ ...key, stepId: body.stepId }));
      await recordState(tx, { newId, now, outbox }, run);
      return readRunDetail(tx, caller, id);
    },

    async skipWorkflowStep({ caller, params: { id }, body, now, outbox }, tx) {
      const run = await lockOwnRun(tx, caller, id);
      await requireFailed(tx, run, body);
      const workflow = await readWorkflow(tx, run.workspace_id, run.workflow_id, run.version);
      await endStep(tx, { newId, now, outbox }, run, workflow, body.stepId, { kind: 'skipped' });
      return readRunDetail(tx, caller, id);
    },

    async stopWorkflowRun({ caller, params: { id }, now, outbox }, tx) {
      const run = await lockOwnRun(tx, caller, id);
      if (isLive(run)) await stopRun(tx, { newId, now, outbox }, run);
      return readRunDetail(tx, caller, id);
    },
  };
}

/** Returns the ticket that a request names; 404 and 403 unless the caller is of its team. */
async function ticketOfRequest(tx: ServiceTx, caller: Caller, workspaceId: string, named: string) {
  const { id } = found(await ticketNamed(tx, caller, named, workspaceId));
  const ticket = { workspaceId, id };
  await requireAccess(tx, caller, ticket, 'team');
  return ticket;
}

/** Locks a run; 404 unless the caller sees it, 403 unless they may write to its ticket. */
async function lockOwnRun(tx: ServiceTx, caller: Caller, id: string): Promise<StoredRun> {
  const workspaceId = await workspaceOfRun(tx, caller, id);
  const run = found(await lockRun(tx, { workspaceId, runId: id }));
  const ticket = ticketOf(run);
  if (ticket) await requireAccess(tx, caller, ticket, 'team');
  return run;
}

/** Throws 409 unless a step of a run has failed and waits for a person. */
async function requireFailed(
  tx: ServiceTx,
  run: StoredRun,
  { stepId }: Call<'retryWorkflowStep'>['body'],
): Promise<void> {
  const steps = await stepsOfRun(tx, { workspaceId: run.workspace_id, runId: run.id });
  const step = steps.find(({ step_id }) => step_id === stepId);
  if (!isLive(run) || step?.state !== 'failed' || step.taken.length > 0)
    throw conflict('This step does not wait for anybody: it has not failed, or the run went on.');
}
