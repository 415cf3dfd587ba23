import { sql } from 'kysely';

import { isDatabaseAway } from '../../platform/database/away.ts';
import { databaseErrorCode, Outdated } from '../../platform/database/open.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { toProblem } from '../http/errors.ts';
import { Outbox } from '../outbox.ts';
import { mayHandle, workflowCaller } from './access.ts';
import type { ActionResult } from './actions/action.ts';
import { ACTIONS } from './actions/index.ts';
import type { FlowStep } from '../workflow-config/flow.ts';
import type { RunWorkflow } from './runs.ts';
import { inputsOf, type Scope, StepFailure } from './values.ts';

export interface StepRun {
  tools: Tools;
  now: Date;
  workspaceId: string;
  workflow: Pick<RunWorkflow, 'id' | 'queueIds' | 'flow'>;
  /** The workflows whose runs led to this one, and its own. */
  chain: readonly string[];
  ticketId: string | null;
  step: FlowStep;
  scope: Scope;
  beganAt: Date;
  /** Absent in a try-out. */
  runId?: string;
  /** Starts at 1. */
  attempt: number;
  waiting?: { until: Date | null; messageId: string | null };
}

export type StepOutcome =
  (ActionResult & { inputs: object; outbox: Outbox }) | { kind: 'failed'; error: string; inputs: object };

/**
 * Does a step, in a savepoint: of a step that fails nothing stays written. Only what the step itself cannot do fails it;
 * errors of the database and of deskbridge are thrown, and it is tried again.
 */
export async function runStep(tx: ServiceTx, run: StepRun): Promise<StepOutcome> {
  const { tools, now, workspaceId, workflow, ticketId, step, beganAt, waiting } = run;
  const outbox = new Outbox();
  outbox.chain = run.chain;
  let inputs: Record<string, unknown> = {};
  await sql`savepoint step`.execute(tx);
  try {
    const action = ACTIONS[step.action.name];
    if (!action) throw new StepFailure(`This version cannot run "${step.action.name}".`);
    if (ticketId !== null && !(await mayHandle(tx, workflow.queueIds, { workspaceId, id: ticketId })))
      throw new StepFailure('This workflow may not read the ticket any more.');
    inputs = inputsOf(step, workflow.flow.steps, run.scope);
    const caller = workflowCaller(workspaceId, workflow);
    const result = await action(
      tx,
      {
        tools,
        caller,
        now,
        outbox,
        workspaceId,
        workflow,
        ticketId,
        beganAt,
        ...(run.runId !== undefined && { run: { id: run.runId, stepId: step.id } }),
        ...(waiting && { waiting }),
      },
      inputs,
    );
    await sql`release savepoint step`.execute(tx);
    return { ...result, inputs, outbox };
  } catch (error) {
    const reason = reasonOf(error, run.attempt);
    if (reason === undefined) throw error;
    await sql`rollback to savepoint step`.execute(tx);
    return { kind: 'failed', error: reason, inputs };
  }
}

/** After so many attempts, an error of deskbridge itself fails a step: somebody has to look at it. */
const ATTEMPTS = 8;
const OWN_ERROR = 'deskbridge itself failed at this step. Its log says why.';
const FOREIGN_KEY_VIOLATION = '23503';

/** Returns why a step cannot be done; undefined for an error that may pass. */
function reasonOf(error: unknown, attempt: number): string | undefined {
  if (error instanceof StepFailure) return error.message;
  const code = databaseErrorCode(error);
  // Of the errors of the database, only a record that is gone is the step's own.
  if (error instanceof Outdated || isDatabaseAway(error) || (code && code !== FOREIGN_KEY_VIOLATION))
    return undefined;
  const problem = toProblem(error);
  if (problem.status < 500) return problem.message;
  return attempt >= ATTEMPTS ? OWN_ERROR : undefined;
}
