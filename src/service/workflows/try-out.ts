import { sql } from 'kysely';

import type { Workflow, WorkflowTryOut } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import type { TicketKey } from '../tickets/find.ts';
import { outputsOf } from './actions/tickets.ts';
import { problemsOf } from './checks.ts';
import { matchesAny } from '../workflow-config/criteria.ts';
import { readFacts } from './facts.ts';
import {
  type Ending,
  type Flow,
  flowOf,
  type FlowStep,
  isTrigger,
  nextSteps,
  type StepRecord,
  takenFrom,
} from '../workflow-config/flow.ts';
import { runStep } from './run-step.ts';
import { scopeOf } from './runs.ts';
import { shownValues } from './shown-values.ts';
import { valueIn } from './values.ts';

type TriedStep = WorkflowTryOut['steps'][number];

/**
 * Does the steps of a workflow on a ticket, in a savepoint that is rolled back: so it shows exactly what they would do, and
 * nothing of it is written. It ends where the workflow would wait.
 */
export async function tryOut(
  tx: ServiceTx,
  { tools, now }: { tools: Tools; now: Date },
  workflow: Workflow,
  ticket: TicketKey,
): Promise<WorkflowTryOut> {
  const content = workflow.draft ?? workflow;
  const flow = flowOf(content);
  const trigger = flow.steps.find(({ action }) => action.name === 'ticket.run') ?? flow.steps.find(isTrigger);
  if (!trigger) throw unprocessable('steps', 'A workflow needs a trigger');
  await sql`savepoint try_out`.execute(tx);
  try {
    const steps = await trySteps(tx, { tools, now, flow, trigger, workflow, ticket });
    return { problems: problemsOf(content), steps };
  } finally {
    await sql`rollback to savepoint try_out`.execute(tx);
  }
}

interface TryOut {
  tools: Tools;
  now: Date;
  flow: Flow;
  trigger: FlowStep;
  workflow: Workflow;
  ticket: TicketKey;
}

async function trySteps(
  tx: ServiceTx,
  { tools, now, flow, trigger, workflow, ticket }: TryOut,
): Promise<TriedStep[]> {
  const tried: TriedStep[] = [];
  const records = new Map<string, StepRecord>();
  const outputs: { step_id: string; outputs: Record<string, unknown> | null }[] = [];
  const own = trigger.action.name === 'schedule.due' ? undefined : ticket;
  const scope = () => scopeOf(tx, own, outputs, now);
  const end = async (step: FlowStep, ending: Ending, shown: Partial<TriedStep>) => {
    if (ending.kind === 'done') outputs.push({ step_id: step.id, outputs: ending.outputs });
    const valueOf = valueIn(await scope());
    const taken = takenFrom(flow, step.id, ending, (groups) => matchesAny(groups, valueOf));
    records.set(step.id, { state: ending.kind, taken });
    tried.push({
      ...about(step),
      state: ending.kind,
      outputs: ending.kind === 'done' ? shownValues(ending.outputs) : null,
      ...shown,
    });
  };

  const read = own && (await readFacts(tx, own, now));
  const at = now.toISOString();
  await end(trigger, { kind: 'done', outputs: { ...(read && outputsOf(read.ticket)), at } }, {});
  for (;;) {
    const { begin, unreached } = nextSteps(flow, records);
    for (const id of unreached) records.set(id, { state: 'unreached', taken: [] });
    const next = flow.steps.filter(({ id }) => begin.includes(id));
    if (next.length === 0) return tried;
    for (const step of next) {
      const outcome = await runStep(tx, {
        tools,
        now,
        workspaceId: ticket.workspaceId,
        workflow: { ...workflow, flow },
        chain: [workflow.id],
        ticketId: own?.id ?? null,
        step,
        scope: await scope(),
        beganAt: now,
        attempt: 1,
      });
      const inputs = shownValues(outcome.inputs);
      switch (outcome.kind) {
        case 'done':
          await end(step, outcome, { inputs });
          break;
        case 'failed':
          await end(step, { kind: 'failed' }, { inputs, error: outcome.error });
          break;
        case 'wait':
          records.set(step.id, { state: 'waiting', taken: [] });
          tried.push({
            ...about(step),
            state: 'waiting',
            inputs,
            waitsUntil: outcome.wait.until?.toISOString() ?? null,
          });
      }
    }
  }
}

function about({ id: stepId, title, action }: FlowStep): TriedStep {
  return {
    stepId,
    title,
    action: action.name,
    state: 'pending',
    inputs: null,
    outputs: null,
    error: null,
    waitsUntil: null,
  };
}
