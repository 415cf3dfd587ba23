import { z } from 'zod';

import { runState, runStepState } from './enums.ts';
import { id, shortText, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';
import { workflowConnection, workflowStep } from './workflow.ts';

/** A run of a workflow on a ticket (beyond the specification; docs/api.md, Workflows). */
const run = {
  id,
  workflowId: id,
  workflowName: z.string(),
  /** It keeps the version that it began with. */
  version: z.int(),
  /** Null of a run that a schedule started. */
  ticketId: id.nullable(),
  ticketCode: z.string().nullable(),
  /** The trigger that started it. */
  triggerStepId: id,
  /** The person who ran it by hand; null: a change did. */
  startedById: id.nullable(),
  state: runState,
  createdAt: timestamp,
  updatedAt: timestamp,
  endedAt: timestamp.nullable(),
};

const values = z.record(z.string(), z.unknown());

/** A step of a run, with what it was given and what came of it. */
export const runStep = z.strictObject({
  stepId: id,
  title: z.string(),
  action: z.string(),
  state: runStepState,
  /** With the values that they referred to; null before it began. */
  inputs: values.nullable(),
  outputs: values.nullable(),
  /** Why it failed. */
  error: z.string().nullable(),
  /** Until when it waits at most; null: it does not wait, or not for an instant. */
  waitsUntil: timestamp.nullable(),
  beganAt: timestamp,
  endedAt: timestamp.nullable(),
});
export type RunStep = z.output<typeof runStep>;

export const workflowRun = z.strictObject(run).meta({ id: 'WorkflowRun' });
export type WorkflowRun = z.output<typeof workflowRun>;

/** One run with its steps, in the order in which they began. */
export const workflowRunDetail = z
  .strictObject({ ...run, steps: z.array(runStep) })
  .meta({ id: 'WorkflowRunDetail' });
export type WorkflowRunDetail = z.output<typeof workflowRunDetail>;

export const workflowRunList = list(workflowRun);

export const workflowRunListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt'],
  groupBy: ['state', 'workflowId'],
  filters: { workflowId: id.nullish(), ticketId: id.nullish(), state: runState.nullish() },
});

/** `POST /workflow-runs/{id}/retry` and `/skip`: the step that failed. */
export const workflowRunStepChange = z.object({ stepId: id });

/** `POST /workflows/{id}/try`: on which ticket. */
export const workflowTicket = z.object({ ticketId: id });

/** `POST /workflows/{id}/run`. */
export const workflowStart = workflowTicket.extend({
  /** Makes it idempotent: of requests for a workflow and a ticket with the same key, only the first starts a run. */
  key: shortText.nullish(),
  /** The person who runs it; default the caller’s own. */
  userId: id.nullish(),
});

/** `POST /workflows/{id}/try`: what each step would do; nothing of it is written. */
export const workflowTryOut = z
  .strictObject({
    /** What keeps the workflow from being activated. */
    problems: z.array(z.strictObject({ path: z.string(), message: z.string() })),
    /** In their order; `waiting` is where it would wait, and nothing behind that is tried. */
    steps: z.array(runStep.omit({ beganAt: true, endedAt: true })),
  })
  .meta({ id: 'WorkflowTryOut' });
export type WorkflowTryOut = z.output<typeof workflowTryOut>;

/** A workflow as it was activated. */
export const workflowVersion = z
  .strictObject({
    version: z.int(),
    steps: z.array(workflowStep),
    connections: z.array(workflowConnection),
    publishedAt: timestamp,
  })
  .meta({ id: 'WorkflowVersion' });
export type WorkflowVersion = z.output<typeof workflowVersion>;

/** The newest versions of a workflow, the last one first. */
export const workflowVersions = z.strictObject({ items: z.array(workflowVersion) });
