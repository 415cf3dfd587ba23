import { ID_PREFIXES, type ParsedBody, type Workflow } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { unprocessable } from '../problem.ts';
import { actionNamed } from '../workflow-config/catalogue.ts';

type Body = ParsedBody<'createWorkflow'>;
type Steps = Workflow['steps'];
type Connections = Workflow['connections'];

/** Returns the steps of a request; each has a unique id and an action of the configuration (422 otherwise). */
export function stepsOf(given: Body['steps'], newId: NewId): Steps {
  const steps = (given ?? []).map((step) => ({
    id: step.id ?? newId(ID_PREFIXES.workflowStep),
    title: step.title.trim(),
    description: step.description ?? null,
    action: step.action,
    inputs: step.inputs ?? {},
    metadata: step.metadata
      ? {
          groupId: step.metadata.groupId ?? null,
          isHidden: step.metadata.isHidden ?? false,
          isNotDeletable: step.metadata.isNotDeletable ?? false,
          isNotDuplicable: step.metadata.isNotDuplicable ?? false,
          isNotReOrdable: step.metadata.isNotReOrdable ?? false,
        }
      : null,
  }));
  requireDistinct(steps, 'steps');
  for (const [index, { action }] of steps.entries())
    if (actionNamed(action) === undefined)
      throw unprocessable(`steps.${index}.action`, `The workflow configuration has no action "${action}"`);
  return steps;
}

/** Returns the connections of a request; each has a unique id and leads from one step to another (422 otherwise). */
export function connectionsOf(given: Body['connections'], newId: NewId): Connections {
  const connections = (given ?? []).map((connection) => ({
    label: connection.label ?? null,
    sourceId: connection.sourceId,
    targetId: connection.targetId,
    criteria: connection.criteria ?? null,
    id: connection.id ?? newId(ID_PREFIXES.workflowConnection),
  }));
  requireDistinct(connections, 'connections');
  return connections;
}

export function requireConnected(steps: Steps, connections: Connections): void {
  const ids = new Set(steps.map(({ id }) => id));
  for (const [index, { sourceId, targetId }] of connections.entries()) {
    if (!ids.has(sourceId) || !ids.has(targetId))
      throw unprocessable(
        `connections.${index}`,
        'A connection leads from a step of the workflow to another',
      );
    if (sourceId === targetId) throw unprocessable(`connections.${index}`, 'A step does not lead to itself');
  }
}

function requireDistinct(records: readonly { id: string }[], path: string): void {
  if (new Set(records.map(({ id }) => id)).size !== records.length)
    throw unprocessable(path, 'Two of them have the same id');
}

/** Copies steps and connections with new ids; inputs and criteria that contain a step's id get the new one. */
export function copyOf(
  { steps, connections }: Pick<Workflow, 'steps' | 'connections'>,
  newId: NewId,
): Pick<Workflow, 'steps' | 'connections'> {
  const ids = new Map(steps.map(({ id }) => [id, newId(ID_PREFIXES.workflowStep)]));
  const renamed = (id: string) => ids.get(id) ?? id;
  return {
    steps: steps.map((step) => ({
      ...step,
      id: renamed(step.id),
      // An input is a step's output if it is exactly the step's id.
      inputs: mapTexts(step.inputs, (text) => renameReferences(renamed(text), renamed)) as typeof step.inputs,
      metadata: step.metadata && {
        ...step.metadata,
        groupId: step.metadata.groupId === null ? null : renamed(step.metadata.groupId),
      },
    })),
    connections: connections.map((connection) => ({
      ...connection,
      id: newId(ID_PREFIXES.workflowConnection),
      sourceId: renamed(connection.sourceId),
      targetId: renamed(connection.targetId),
      // A filter names an output as `<id>.<output>`; the value that it is compared with is never an id.
      criteria: mapTexts(connection.criteria, (text, key) =>
        key === 'field' ? text.replace(/^[^.]+(?=\.)/, renamed) : renameReferences(text, renamed),
      ),
    })),
  };
}

/** Returns a text whose references `{{<id>.<output>}}` have other ids. */
function renameReferences(text: string, renamed: (id: string) => string): string {
  return text.replace(/\{\{([^{}.]+)\./g, (_whole, id: string) => `{{${renamed(id.trim())}.`);
}

/** Returns a value with each of its texts replaced; `key` is the name of the field that it stands in. */
function mapTexts(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change, name)]),
  );
}
