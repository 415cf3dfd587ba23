import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { storeEvents } from '../delivery/store.ts';
import type { Tools } from '../handler.ts';
import { Outbox } from '../outbox.ts';
import { indexWritten } from '../search/index/indexing.ts';
import type { Done, ServiceEngine, ServicePlanningTx, Work } from '../work.ts';
import type { Flow } from '../workflow-config/flow.ts';
import {
  CLOCK,
  EVENT,
  IDLE,
  STEP,
  stepWork,
  type StepWork,
  TIMER,
  timerWork,
  UPKEEP,
  type Upkeep,
  upkeepWork,
} from '../workflow-config/kinds.ts';
import { workClock, workIdle } from './clock.ts';
import { tellOfFailure } from './notices.ts';
import { runStep } from './run-step.ts';
import {
  beginWait,
  endStep,
  isLive,
  lockRun,
  readWorkflow,
  type RunContext,
  scopeOf,
  stepsOfRun,
  stopRun,
  ticketOf,
} from './runs.ts';
import { workEvent } from './start.ts';

export interface WorkflowWork {
  engine: ServiceEngine;
  tools: Tools;
  log: Log;
  clock: Clock;
}

/** Runs of a deleted workflow that are stopped in one transaction. */
const STOPPED_AT_ONCE = 100;

/**
 * Registers what runs workflows. A change that triggers one, each of its steps and the end of each wait is work of the
 * engine: a step happens in the transaction that ends its work, so it happens once, whatever is killed.
 */
export function workWorkflows({ engine, tools, log, clock }: WorkflowWork): void {
  /** Returns a piece of work that writes, with the events of what it writes. */
  const writing = (
    outcome: string,
    write: (tx: ServicePlanningTx, context: RunContext & { outbox: Outbox }) => Promise<Outbox | undefined>,
  ): Done => ({
    outcome,
    write: async (tx) => {
      const now = clock.now();
      const outbox = new Outbox();
      const ofStep = await write(tx, { newId: tools.newId, now, outbox });
      await indexWritten(tx);
      if (ofStep) await storeEvents(tx, { newId: tools.newId, now }, ofStep);
      await storeEvents(tx, { newId: tools.newId, now }, outbox);
    },
  });

  /** Does a step that begins or waits; returns the events of what it wrote. */
  async function workStep(
    tx: ServicePlanningTx,
    context: RunContext & { outbox: Outbox },
    { body: { workspaceId, runId, stepId, messageId }, attempt }: Pick<Work<StepWork>, 'body' | 'attempt'>,
  ): Promise<Outbox | undefined> {
    // 1. Read the run, and whether the step is still to be done.
    const key = { workspaceId, runId };
    const run = await lockRun(tx, key);
    if (!run || !isLive(run)) return undefined;
    const steps = await stepsOfRun(tx, key);
    const record = steps.find(({ step_id }) => step_id === stepId);
    if (!record || !['pending', 'waiting'].includes(record.state)) return undefined;
    const workflow = await readWorkflow(tx, workspaceId, run.workflow_id, run.version);
    if (workflow.state === 'Deleted') {
      await stopRun(tx, context, run);
      return undefined;
    }
    const step = workflow.flow.steps.find(({ id }) => id === stepId);
    if (!step) throw new TypeError(`the version of the run ${runId} has no step ${stepId}`);

    // 2. Do it.
    const isWaiting = record.state === 'waiting';
    const outcome = await runStep(tx, {
      tools,
      now: context.now,
      workspaceId,
      workflow,
      chain: run.chain,
      ticketId: run.ticket_id,
      step,
      scope: await scopeOf(tx, ticketOf(run), steps, context.now),
      beganAt: record.began_at,
      runId,
      attempt,
      ...(isWaiting && { waiting: { until: await waitsUntil(tx, key, stepId), messageId } }),
    });

    // 3. Record what came of it, and begin what follows.
    const { inputs } = outcome;
    switch (outcome.kind) {
      case 'done':
        await endStep(tx, context, run, workflow, stepId, outcome, { inputs });
        return outcome.outbox;
      case 'wait': {
        if (!isWaiting) await beginWait(tx, context, run, stepId, { wait: outcome.wait, inputs });
        const { until } = outcome.wait;
        // Also of a step that waits on: by the clock of the process in which its timer was due, its time was over.
        if (until)
          context.outbox.plan(timerWork({ ...key, stepId }, until.getTime() - context.now.getTime()));
        return isWaiting ? undefined : outcome.outbox;
      }
      case 'failed':
        log.info(
          { event: 'workflow.step-failed', runId, stepId, reason: outcome.error },
          'a workflow step failed',
        );
        await endStep(
          tx,
          context,
          run,
          workflow,
          stepId,
          { kind: 'failed' },
          { inputs, error: outcome.error },
        );
        if (takesPerson(workflow.flow, stepId))
          await tellOfFailure(tx, { ...context, tools }, run, workflow, outcome.error);
        return undefined;
    }
  }

  engine.handle(EVENT, {
    work: async ({ body: event }) =>
      writing('worked', async (tx, context) => {
        await workEvent(tx, { ...context, log }, event);
        return undefined;
      }),
  });
  engine.handle(STEP, {
    work: async (work) => writing('worked', (tx, context) => workStep(tx, context, work)),
  });
  engine.handle(TIMER, {
    work: async ({ body: timer }) => ({
      outcome: 'due',
      write: async (tx) => {
        const until = await waitsUntil(tx, timer, timer.stepId);
        const left = (until?.getTime() ?? 0) - clock.now().getTime();
        // The database's clock and ours may differ.
        tx.plan.add(left > 0 ? timerWork(timer, left) : stepWork(timer));
      },
    }),
  });
  engine.handle(CLOCK, {
    work: async ({ body: time }) =>
      writing('looked', async (tx, context) => {
        await workClock(tx, { ...context, log }, time);
        return undefined;
      }),
  });
  engine.handle(IDLE, {
    work: async ({ body: idle }) =>
      writing('worked', async (tx, context) => {
        await workIdle(tx, { ...context, log }, idle);
        return undefined;
      }),
  });
  engine.handle(UPKEEP, {
    work: async ({ body: upkeep }) =>
      writing('worked', async (tx, context) => {
        await workUpkeep(tx, context, upkeep);
        return undefined;
      }),
  });
}

/** Returns whether only a person can continue after a failed step. */
function takesPerson({ connections }: Flow, stepId: string): boolean {
  return !connections.some(
    ({ sourceId, criteria }) => sourceId === stepId && criteria !== null && 'failed' in criteria,
  );
}

/** Returns until when a step waits; null if it waits for no instant, or not any more. */
async function waitsUntil(
  tx: ServicePlanningTx,
  { workspaceId, runId }: { workspaceId: string; runId: string },
  stepId: string,
): Promise<Date | null> {
  const wait = await tx
    .selectFrom('workflow_wait')
    .select('until_at')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('step_id', '=', stepId)
    .executeTakeFirst();
  return wait?.until_at ?? null;
}

/** Stops the runs of a deleted workflow; makes one a draft that has no more runs and starts none. */
async function workUpkeep(
  tx: ServicePlanningTx,
  context: RunContext,
  { workspaceId, workflowId }: Upkeep,
): Promise<void> {
  await sql`
    update workflow w set state = 'Draft', updated_at = ${context.now}
    where w.workspace_id = ${workspaceId} and w.id = ${workflowId} and w.state = 'Deprovisioning'
      and not exists (select from workflow_run r
        where r.workspace_id = w.workspace_id and r.workflow_id = w.id and r.ended_at is null)`.execute(tx);
  const runs = await tx
    .selectFrom('workflow_run as r')
    .innerJoin('workflow as w', (join) =>
      join.onRef('w.workspace_id', '=', 'r.workspace_id').onRef('w.id', '=', 'r.workflow_id'),
    )
    .select('r.id')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.workflow_id', '=', workflowId)
    .where('r.ended_at', 'is', null)
    .where('w.state', '=', 'Deleted')
    .orderBy('r.id')
    .limit(STOPPED_AT_ONCE)
    .execute();
  for (const { id: runId } of runs) {
    const run = await lockRun(tx, { workspaceId, runId });
    if (run && isLive(run)) await stopRun(tx, context, run);
  }
  if (runs.length === STOPPED_AT_ONCE) tx.plan.add(upkeepWork({ workspaceId, workflowId }));
}
