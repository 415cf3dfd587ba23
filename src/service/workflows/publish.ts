import { isDeepStrictEqual } from 'node:util';

import type { ServiceDb, ServiceTx } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';
import { type Referable, requireIds } from '../references.ts';
import { problemsOf } from './checks.ts';
import { type Content, flowOf, type FlowStep } from '../workflow-config/flow.ts';
import { type StoredTrigger, storedTriggers } from './triggers.ts';

interface WorkflowKey {
  workspaceId: string;
  id: string;
}

/** The records that an input of each kind references. */
const REFERENCED: Partial<Record<string, Referable>> = {
  queue: 'queue',
  status: 'status',
  user: 'person',
  tag: 'tag',
  'request-type': 'request_type',
  'chat-channel': 'chat_channel',
};

/**
 * Throws 422 unless a workflow can be run: it is whole, and the records that it names are there.
 * @throws ServiceProblem with all problems that need no database, else with the first record that is missing.
 */
export async function requireRunnable(db: ServiceDb, workspaceId: string, content: Content): Promise<void> {
  const problems = problemsOf(content);
  const [first] = problems;
  if (first)
    throw new ServiceProblem('UNPROCESSABLE_CONTENT', `This workflow cannot run yet. ${first.message}.`, [
      ...problems,
    ]);
  const ids = new Set(content.steps.map(({ id }) => id));
  for (const [index, step] of flowOf(content).steps.entries())
    for (const { table, key, named } of recordsNamedBy(step, ids))
      await requireIds(db, table, workspaceId, named, `steps.${index}.inputs.${key}`);
}

/** Returns the records that the inputs of a step name themselves, not by another step. */
function recordsNamedBy({ action, inputs }: FlowStep, steps: ReadonlySet<string>) {
  return action.inputs.flatMap(({ key, resourceType }) => {
    const table = resourceType === null ? undefined : REFERENCED[resourceType];
    if (!table) return [];
    const value = inputs[key];
    const listed = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
    const named = listed
      .map((each) => String(each).trim())
      .filter((each) => each !== '' && !each.includes('{{') && !steps.has(each));
    return named.length === 0 ? [] : [{ table, key, named }];
  });
}

/** Stores a version of a locked workflow, and its triggers, which start runs from now on. Returns its number. */
export async function publish(
  tx: ServiceTx,
  key: WorkflowKey,
  { steps, connections }: Content,
  { version: last, now }: { version: number; now: Date },
): Promise<number> {
  const version = last + 1;
  const own = { workspace_id: key.workspaceId, workflow_id: key.id };
  await tx
    .insertInto('workflow_version')
    .values({
      ...own,
      version,
      steps: JSON.stringify(steps),
      connections: JSON.stringify(connections),
      published_at: now,
    })
    .execute();
  await replaceTriggers(tx, key, storedTriggers(flowOf({ steps, connections })), now);
  return version;
}

/** Stores the triggers of a workflow. One that stays as it was goes on counting its time. */
async function replaceTriggers(
  tx: ServiceTx,
  { workspaceId, id }: WorkflowKey,
  triggers: readonly StoredTrigger[],
  now: Date,
): Promise<void> {
  const own = { workspace_id: workspaceId, workflow_id: id };
  const fresh = await freshTriggers(tx, { workspaceId, id }, triggers);
  const kept = triggers.filter((each) => !fresh.includes(each)).map(({ stepId }) => stepId);
  await tx
    .deleteFrom('workflow_trigger')
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', id)
    .where((is) => (kept.length === 0 ? is.lit(true) : is('step_id', 'not in', kept)))
    .execute();
  if (fresh.length > 0)
    await tx
      .insertInto('workflow_trigger')
      .values(
        fresh.map(({ stepId, event, inputs }) => ({
          ...own,
          step_id: stepId,
          event,
          inputs: JSON.stringify(inputs),
          counts_from: now,
        })),
      )
      .execute();
}

/** Returns those triggers that are not stored as they are. */
export async function freshTriggers(
  db: ServiceDb,
  { workspaceId, id }: WorkflowKey,
  triggers: readonly StoredTrigger[],
): Promise<StoredTrigger[]> {
  const stored = await db
    .selectFrom('workflow_trigger')
    .select(['step_id as stepId', 'event', 'inputs'])
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', id)
    .execute();
  return triggers.filter((trigger) => !stored.some((each) => isDeepStrictEqual(each, trigger)));
}

/** Lets a workflow start nothing more. */
export async function unpublish(tx: ServiceTx, { workspaceId, id }: WorkflowKey): Promise<void> {
  await tx
    .deleteFrom('workflow_trigger')
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', id)
    .execute();
}
