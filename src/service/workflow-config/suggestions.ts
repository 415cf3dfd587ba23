import type { FieldDescriptor, Workflow, WorkflowStepDetail } from '../../contract/index.ts';
import { actionNamed } from './catalogue.ts';

type Shape = Pick<Workflow, 'steps' | 'connections'>;

/**
 * Returns the outputs of earlier steps that fit each input of a step (docs/api.md, Configuration records), the nearest
 * step first. Earlier steps are those that lead to it by connections; without connections, those before it.
 */
export function suggestionsFor(workflow: Shape, stepId: string): WorkflowStepDetail['suggestions'] {
  const step = workflow.steps.find(({ id }) => id === stepId);
  const inputs = step ? (actionNamed(step.action)?.inputs ?? []) : [];
  const earlier = stepsBefore(workflow, stepId);
  return inputs.flatMap((input) =>
    earlier
      .filter(({ action }) => actionNamed(action)?.outputs.some((output) => fits(output, input)))
      .map(({ id }) => ({ field: input.key, stepId: id })),
  );
}

/** Returns whether an output fits an input: by key, by reference type, or for other values than texts by type. */
function fits(output: FieldDescriptor, input: FieldDescriptor): boolean {
  if (output.key === input.key) return true;
  if (input.resourceType !== null || output.resourceType !== null)
    return output.resourceType === input.resourceType;
  return input.type !== 'text' && output.type === input.type;
}

function stepsBefore({ steps, connections }: Shape, stepId: string): Workflow['steps'] {
  const sources = (id: string) =>
    connections.filter(({ targetId }) => targetId === id).map(({ sourceId }) => sourceId);
  const reached = new Set<string>();
  let open = sources(stepId);
  while (open.length > 0) {
    const fresh = open.filter((id) => id !== stepId && !reached.has(id));
    for (const id of fresh) reached.add(id);
    open = fresh.flatMap(sources);
  }
  if (reached.size > 0) return [...reached].flatMap((id) => steps.find((step) => step.id === id) ?? []);
  const place = steps.findIndex(({ id }) => id === stepId);
  return steps.slice(0, Math.max(0, place)).reverse();
}
