import type { Workflow, WorkflowAction } from '../../contract/index.ts';
import { actionNamed } from './catalogue.ts';
import { type Criteria, criteria, type FilterGroups } from './criteria.ts';

// What a workflow does next, as pure functions: no time, no database.

export interface FlowStep {
  id: string;
  title: string;
  action: WorkflowAction;
  inputs: Readonly<Record<string, unknown>>;
}

export interface FlowConnection {
  id: string;
  sourceId: string;
  targetId: string;
  criteria: Criteria;
}

/** A workflow that can be read: its steps with their actions, and what leads from step to step. */
export interface Flow {
  steps: readonly FlowStep[];
  connections: readonly FlowConnection[];
}

export type Content = Pick<Workflow, 'steps' | 'connections'>;

/**
 * Reads a workflow. Without connections, each step leads to the next in the order of the array, and each trigger to the
 * first of them.
 * @param wrong is called for a step whose action is unknown, and for criteria that cannot be read; both are left out.
 */
export function flowOf(
  { steps, connections }: Content,
  wrong: (path: string, message: string) => void = () => undefined,
): Flow {
  const read = steps.flatMap(({ id, title, action: name, inputs }, index): FlowStep[] => {
    const action = actionNamed(name);
    if (action) return [{ id, title, action, inputs }];
    wrong(`steps.${index}.action`, `There is no action "${name}"`);
    return [];
  });
  if (connections.length === 0) return { steps: read, connections: inOrder(read) };
  return {
    steps: read,
    connections: connections.flatMap(({ id, sourceId, targetId, criteria: given }, index) => {
      const parsed = criteria.safeParse(given ?? null);
      if (parsed.success) return [{ id, sourceId, targetId, criteria: parsed.data }];
      wrong(`connections.${index}.criteria`, 'These criteria cannot be read');
      return [];
    }),
  };
}

export const isTrigger = ({ action }: FlowStep): boolean => action.type === 'Trigger';

function inOrder(steps: readonly FlowStep[]): FlowConnection[] {
  const others = steps.filter((step) => !isTrigger(step));
  const [first] = others;
  if (!first) return [];
  const lead = ({ id: sourceId }: FlowStep, { id: targetId }: FlowStep): FlowConnection => ({
    id: `${sourceId} ${targetId}`,
    sourceId,
    targetId,
    criteria: null,
  });
  return [
    ...steps.filter(isTrigger).map((trigger) => lead(trigger, first)),
    ...others.slice(1).map((step, at) => lead(others[at] ?? first, step)),
  ];
}

/** `unreached`: none of the connections to it can be taken any more. */
export type StepState = 'pending' | 'waiting' | 'done' | 'failed' | 'skipped' | 'unreached';

/** A step of a run, with the connections that were taken when it ended. */
export interface StepRecord {
  state: StepState;
  taken: readonly string[];
}

/** How a step ends. */
export type Ending =
  { kind: 'done'; outputs: Readonly<Record<string, unknown>> } | { kind: 'failed' | 'skipped' };

/**
 * Returns the connections that are taken when a step ends. From a step of type `Conditional`, one without criteria is
 * taken if its `result` is true, and one for otherwise if it is not.
 * @param holds whether criteria of the ticket and of earlier steps hold now.
 */
export function takenFrom(
  { steps, connections }: Flow,
  stepId: string,
  ending: Ending,
  holds: (groups: FilterGroups) => boolean,
): string[] {
  const outgoing = connections.filter(({ sourceId }) => sourceId === stepId);
  const isOf = (kind: 'otherwise' | 'failed') => (each: FlowConnection) =>
    each.criteria !== null && kind in each.criteria;
  if (ending.kind === 'failed') return outgoing.filter(isOf('failed')).map(({ id }) => id);
  const isConditional = steps.find(({ id }) => id === stepId)?.action.type === 'Conditional';
  const result = ending.kind === 'done' ? ending.outputs['result'] : undefined;
  const always = (each: FlowConnection) => each.criteria === null && (!isConditional || result === true);
  const fits = (each: FlowConnection) =>
    each.criteria !== null && 'filterGroups' in each.criteria && holds(each.criteria.filterGroups);
  const isOtherwise = !(isConditional && result === true) && !outgoing.some(fits);
  return outgoing
    .filter((each) => always(each) || fits(each) || (isOtherwise && isOf('otherwise')(each)))
    .map(({ id }) => id);
}

/** Returns whether a step is final: a failed one waits for a person unless it has a connection for failures. */
function hasEnded(record: StepRecord | undefined): boolean {
  if (record === undefined) return false;
  return record.state === 'failed' ? record.taken.length > 0 : !['pending', 'waiting'].includes(record.state);
}

/**
 * Returns the steps that begin now, and those that are out of reach. A step begins once, when each connection to it was
 * taken or can no longer be, and one was taken.
 */
export function nextSteps(
  { steps, connections }: Flow,
  records: ReadonlyMap<string, StepRecord>,
): { begin: string[]; unreached: string[] } {
  const known = new Map(records);
  const begin: string[] = [];
  const unreached: string[] = [];
  for (let found = true; found;) {
    found = false;
    for (const { id } of steps) {
      const incoming = connections.filter(({ targetId }) => targetId === id);
      if (known.has(id) || !incoming.every(({ sourceId }) => hasEnded(known.get(sourceId)))) continue;
      const isReached = incoming.some((each) => known.get(each.sourceId)?.taken.includes(each.id));
      known.set(id, { state: isReached ? 'pending' : 'unreached', taken: [] });
      (isReached ? begin : unreached).push(id);
      found = true;
    }
  }
  return { begin, unreached };
}

export type LiveState = 'running' | 'waiting' | 'failed';

/** Returns the state of a run that nobody stopped. */
export function stateOf(records: Iterable<StepRecord>): LiveState | 'finished' {
  const all = [...records];
  if (all.some(({ state }) => state === 'pending')) return 'running';
  if (all.some((record) => record.state === 'failed' && !hasEnded(record))) return 'failed';
  return all.some(({ state }) => state === 'waiting') ? 'waiting' : 'finished';
}
