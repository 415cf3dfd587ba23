import { type Selectable, sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import type { Tables } from '../schema/tables.ts';
import type { TicketKey } from '../tickets/find.ts';
import { matchesAny } from '../workflow-config/criteria.ts';
import { readFacts } from './facts.ts';
import {
  type Ending,
  type Flow,
  flowOf,
  type FlowStep,
  nextSteps,
  stateOf,
  takenFrom,
} from '../workflow-config/flow.ts';
import { stepWork, upkeepWork } from '../workflow-config/kinds.ts';
import { shownValues } from './shown-values.ts';
import { type Scope, valueIn } from './values.ts';

export type StoredRun = Selectable<Tables['workflow_run']>;
export type StoredStep = Selectable<Tables['workflow_run_step']>;

/** The context that writes to runs need. */
export interface RunContext {
  newId: NewId;
  now: Date;
  /** Gets the work of the steps that begin. */
  outbox: Pick<Outbox, 'plan'>;
}

/** A workflow in the version of a run. */
export interface RunWorkflow {
  id: string;
  name: string;
  queueIds: readonly string[] | null;
  state: Selectable<Tables['workflow']>['state'];
  flow: Flow;
}

export interface RunKey {
  workspaceId: string;
  runId: string;
}

export const isLive = ({ state }: Pick<StoredRun, 'state'>): boolean =>
  ['running', 'waiting', 'failed'].includes(state);

/** The ticket of a run; undefined of one that a schedule started. */
export const ticketOf = ({ workspace_id, ticket_id }: StoredRun): TicketKey | undefined =>
  ticket_id === null ? undefined : { workspaceId: workspace_id, id: ticket_id };

/**
 * Locks a run until the transaction ends; undefined if it is gone. Whatever writes to a run does this first, and before it
 * locks a ticket.
 */
export function lockRun(tx: ServiceTx, { workspaceId, runId }: RunKey): Promise<StoredRun | undefined> {
  return tx
    .selectFrom('workflow_run')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Reads a workflow in a version of it. */
export async function readWorkflow(
  db: ServiceDb,
  workspaceId: string,
  workflowId: string,
  version: number,
): Promise<RunWorkflow> {
  const row = await db
    .selectFrom('workflow as w')
    .innerJoin('workflow_version as v', (join) =>
      join.onRef('v.workspace_id', '=', 'w.workspace_id').onRef('v.workflow_id', '=', 'w.id'),
    )
    .select(['w.id', 'w.name', 'w.queue_ids', 'w.state', 'v.steps', 'v.connections'])
    .where('w.workspace_id', '=', workspaceId)
    .where('w.id', '=', workflowId)
    .where('v.version', '=', version)
    .executeTakeFirstOrThrow();
  const { id, name, queue_ids: queueIds, state } = row;
  return { id, name, queueIds, state, flow: flowOf(row) };
}

export function stepsOfRun(db: ServiceDb, { workspaceId, runId }: RunKey): Promise<StoredStep[]> {
  return db
    .selectFrom('workflow_run_step')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute();
}

/** Returns what the inputs of a run's steps and its criteria may refer to, as it is now. */
export async function scopeOf(
  db: ServiceDb,
  ticket: TicketKey | undefined,
  steps: readonly Pick<StoredStep, 'step_id' | 'outputs'>[],
  now: Date,
): Promise<Scope> {
  const read = ticket && (await readFacts(db, ticket, now));
  return {
    ticket: read?.facts ?? {},
    outputs: new Map(steps.flatMap(({ step_id, outputs }) => (outputs ? [[step_id, outputs] as const] : []))),
  };
}

/** A run that is about to start. */
export interface NewRun {
  workspaceId: string;
  workflow: RunWorkflow;
  version: number;
  trigger: FlowStep;
  /** Null: a schedule starts it. */
  ticketId: string | null;
  /** The change, or the request, that starts it. */
  eventId: string;
  /** The workflows whose runs led to that. */
  chain: readonly string[];
  startedBy: string | null;
  /** The values of the trigger. */
  outputs: Readonly<Record<string, unknown>>;
}

/** Starts a run, and plans its first steps. Returns its id; undefined if this change has started it before. */
export async function startRun(
  tx: ServiceTx,
  context: RunContext,
  started: NewRun,
): Promise<string | undefined> {
  const { workflow, trigger, outputs } = started;
  const run = await insertRun(tx, context, started, { state: 'running', ended_at: null });
  if (!run) return undefined;
  await insertSteps(tx, run, [trigger.id], { state: 'pending', at: context.now, position: 0 });
  await endStep(tx, context, run, workflow, trigger.id, { kind: 'done', outputs });
  return run.id;
}

/** Records a run that was not to start, with the reason at its trigger; of a change that was refused before, nothing. */
export async function refuseRun(
  tx: ServiceTx,
  context: RunContext,
  refused: NewRun,
  error: string,
): Promise<void> {
  const { now } = context;
  const run = await insertRun(tx, context, refused, { state: 'stopped', ended_at: now });
  if (!run) return;
  await tx
    .insertInto('workflow_run_step')
    .values({
      workspace_id: run.workspace_id,
      run_id: run.id,
      step_id: refused.trigger.id,
      position: 0,
      state: 'failed',
      error,
      began_at: now,
      ended_at: now,
    })
    .execute();
}

/** Stores a run; undefined if this change has one of this trigger already. */
async function insertRun(
  tx: ServiceTx,
  { newId, now }: RunContext,
  { workspaceId, workflow, version, trigger, ticketId, eventId, chain, startedBy }: NewRun,
  begun: Pick<StoredRun, 'state' | 'ended_at'>,
): Promise<StoredRun | undefined> {
  return tx
    .insertInto('workflow_run')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.workflowRun),
      workflow_id: workflow.id,
      version,
      trigger_step_id: trigger.id,
      event_id: eventId,
      ticket_id: ticketId,
      started_by: startedBy,
      chain: [...chain, workflow.id],
      created_at: now,
      updated_at: now,
      ...begun,
    })
    .onConflict((known) =>
      known.columns(['workspace_id', 'workflow_id', 'trigger_step_id', 'event_id']).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

async function insertSteps(
  tx: ServiceTx,
  { workspace_id, id: run_id }: StoredRun,
  stepIds: readonly string[],
  { state, at, position }: { state: 'pending' | 'unreached'; at: Date; position: number },
): Promise<void> {
  if (stepIds.length === 0) return;
  await tx
    .insertInto('workflow_run_step')
    .values(
      stepIds.map((step_id, index) => ({
        workspace_id,
        run_id,
        step_id,
        position: position + index,
        state,
        began_at: at,
        ...(state === 'unreached' && { ended_at: at }),
      })),
    )
    .execute();
}

/** Records how a step of a locked run ended, and begins what follows from that. */
export async function endStep(
  tx: ServiceTx,
  context: RunContext,
  run: StoredRun,
  workflow: RunWorkflow,
  stepId: string,
  ending: Ending,
  { inputs, error }: { inputs?: object; error?: string } = {},
): Promise<void> {
  const { now } = context;
  const key = { workspaceId: run.workspace_id, runId: run.id };
  const outputs = ending.kind === 'done' ? ending.outputs : undefined;
  const steps = (await stepsOfRun(tx, key)).map((step) =>
    step.step_id === stepId ? { ...step, outputs: outputs ?? null } : step,
  );
  const scope = await scopeOf(tx, ticketOf(run), steps, now);
  const taken = takenFrom(workflow.flow, stepId, ending, (groups) => matchesAny(groups, valueIn(scope)));
  await endWait(tx, key, stepId);
  await tx
    .updateTable('workflow_run_step')
    .set({
      state: ending.kind,
      taken,
      ended_at: now,
      error: error ?? null,
      ...(inputs && { inputs: JSON.stringify(shownValues(inputs)) }),
      ...(outputs && { outputs: JSON.stringify(outputs) }),
    })
    .where('workspace_id', '=', run.workspace_id)
    .where('run_id', '=', run.id)
    .where('step_id', '=', stepId)
    .execute();
  await beginNext(tx, context, run, workflow.flow);
}

/** Begins the steps of a locked run that can begin, and records what it does now. */
async function beginNext(tx: ServiceTx, context: RunContext, run: StoredRun, flow: Flow): Promise<void> {
  const { now, outbox } = context;
  const key = { workspaceId: run.workspace_id, runId: run.id };
  const before = await stepsOfRun(tx, key);
  const { begin, unreached } = nextSteps(flow, new Map(before.map((step) => [step.step_id, step])));
  await insertSteps(tx, run, begin, { state: 'pending', at: now, position: before.length });
  await insertSteps(tx, run, unreached, {
    state: 'unreached',
    at: now,
    position: before.length + begin.length,
  });
  for (const stepId of begin) outbox.plan(stepWork({ ...key, stepId }));
  await recordState(tx, context, run);
}

/** Records what a locked run does now, by its steps; a run that has ended may end the work of its workflow. */
export async function recordState(tx: ServiceTx, { now, outbox }: RunContext, run: StoredRun): Promise<void> {
  const { workspace_id: workspaceId, id: runId, workflow_id: workflowId } = run;
  const state = stateOf(await stepsOfRun(tx, { workspaceId, runId }));
  await tx
    .updateTable('workflow_run')
    .set({ state, updated_at: now, ended_at: state === 'finished' ? now : null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .execute();
  if (state === 'finished') await tellWorkflow(tx, { outbox }, { workspaceId, workflowId });
}

/** Stops a locked run: nothing of it begins any more. */
export async function stopRun(tx: ServiceTx, { now, outbox }: RunContext, run: StoredRun): Promise<void> {
  const { workspace_id: workspaceId, id, workflow_id: workflowId } = run;
  await tx
    .deleteFrom('workflow_wait')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', id)
    .execute();
  await tx
    .updateTable('workflow_run')
    .set({ state: 'stopped', updated_at: now, ended_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
  await tellWorkflow(tx, { outbox }, { workspaceId, workflowId });
}

/**
 * Plans a look at a workflow that ends with its last run. Its row is locked against a change of its state: either this sees
 * the new one, or that change sees the end of the run.
 */
async function tellWorkflow(
  tx: ServiceTx,
  { outbox }: Pick<RunContext, 'outbox'>,
  { workspaceId, workflowId }: { workspaceId: string; workflowId: string },
): Promise<void> {
  const { rows } = await sql<{ state: string }>`
    select state from workflow where workspace_id = ${workspaceId} and id = ${workflowId} for share`.execute(
    tx,
  );
  if (rows[0]?.state === 'Deprovisioning') outbox.plan(upkeepWork({ workspaceId, workflowId }));
}

/** The event or the time that a step waits for. */
export interface NewWait {
  /** Null: it waits for an instant or for chat, in a run without a ticket. */
  ticketId: string | null;
  event: Selectable<Tables['workflow_wait']>['event'];
  until: Date | null;
}

/** Records that a step of a locked run waits, and what it waits for. */
export async function beginWait(
  tx: ServiceTx,
  context: RunContext,
  run: StoredRun,
  stepId: string,
  { wait, inputs }: { wait: NewWait; inputs: object },
): Promise<void> {
  const { workspace_id, id: run_id } = run;
  await tx
    .updateTable('workflow_run_step')
    .set({ state: 'waiting', inputs: JSON.stringify(shownValues(inputs)) })
    .where('workspace_id', '=', workspace_id)
    .where('run_id', '=', run_id)
    .where('step_id', '=', stepId)
    .execute();
  await tx
    .insertInto('workflow_wait')
    .values({
      workspace_id,
      run_id,
      step_id: stepId,
      ticket_id: wait.ticketId,
      event: wait.event,
      until_at: wait.until,
    })
    .execute();
  await recordState(tx, context, run);
}

async function endWait(tx: ServiceTx, { workspaceId, runId }: RunKey, stepId: string): Promise<void> {
  await tx
    .deleteFrom('workflow_wait')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('step_id', '=', stepId)
    .execute();
}
