import type { z } from 'zod';

import type { FilterGroups } from '../workflow-config/criteria.ts';
import { TICKET_FIELDS } from './facts.ts';
import { COMPARED } from '../workflow-config/kinds.ts';
import { type Content, type Flow, flowOf, type FlowStep, isTrigger } from '../workflow-config/flow.ts';
import { Filter } from './actions/search.ts';
import { ServiceProblem } from '../problem.ts';
import { parseListQuery } from '../tickets/list-query.ts';
import { IdleInputs } from './idle.ts';
import { Schedule } from './schedule.ts';
import { type Reference, referencesIn } from './values.ts';

/** A problem that prevents activating a workflow: its place and a sentence. */
export interface FlowProblem {
  path: string;
  message: string;
}

/** Inputs without which an action can do nothing; of those with a bar between them, one is enough. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'ticket.update': ['data'],
  'ticket.assign': ['assigneeId'],
  'ticket.set-status': ['statusId|statusGroup'],
  'ticket.set-priority': ['priority'],
  'ticket.add-tags': ['tagIds'],
  'ticket.move': ['queueId'],
  'message.reply': ['content'],
  'message.note': ['content'],
  'message.reply-children': ['content'],
  'approval.request': ['approverIds'],
  'approval.add-approvers': ['approverIds'],
  'chat.post': ['channelId', 'content'],
  'chat.direct-message': ['userId', 'content'],
  'ticket.idle': ['minutes'],
  'schedule.due': ['time', 'timeZone'],
  'chat.react': ['channelId', 'messageTs', 'emoji'],
  'ticket.link': ['otherTicketIds'],
  'ticket.count': ['filter'],
  'wait.for': ['minutes'],
  'wait.until': ['at'],
  'wait.business-time': ['minutes'],
  'condition.if': ['value', 'condition'],
  'workflow.run': ['workflowId'],
};

/** The inputs of triggers by time. */
const TIMES: Readonly<Record<string, z.ZodType>> = { 'ticket.idle': IdleInputs, 'schedule.due': Schedule };

const NO_TICKET = 'A schedule runs on no ticket: name one that a step before this one opens or finds';

/** Returns all problems of a workflow that need no database to be seen; in its order. */
export function problemsOf(content: Content): FlowProblem[] {
  const problems: FlowProblem[] = [];
  const add = (path: string, message: string) => void problems.push({ path, message });
  const flow = flowOf(content, add);
  const place = new Map(content.steps.map(({ id }, index) => [id, `steps.${index}`]));
  const placeOf = (id: string) => place.get(id) ?? 'steps';
  if (!flow.steps.some(isTrigger)) add('steps', 'A workflow needs a trigger');
  if (!flow.steps.some((step) => !isTrigger(step)))
    add('steps', 'A workflow needs a step that does something');
  const cyclic = stepsOnCycles(flow);
  for (const id of cyclic) add(placeOf(id), 'This step leads back to itself');
  for (const step of flow.steps) {
    const path = placeOf(step.id);
    for (const key of NEEDED[step.action.name] ?? [])
      if (key.split('|').every((each) => isEmpty(step.inputs[each])))
        add(`${path}.inputs.${key.split('|')[0] ?? key}`, 'This step needs a value here');
    if (step.action.name === 'ticket.updated')
      for (const { key, message } of changeProblemsOf(step.inputs)) add(`${path}.inputs.${key}`, message);
    if (step.action.name === 'ticket.count')
      for (const message of filterProblems(step.inputs['filter'])) add(`${path}.inputs.filter`, message);
    const wrongTime = TIMES[step.action.name]?.safeParse(step.inputs).error?.issues ?? [];
    for (const {
      path: [key = ''],
      message,
    } of wrongTime)
      add(`${path}.inputs.${String(key)}`, message);
    const isReached = flow.connections.some(({ targetId }) => targetId === step.id);
    if (!isTrigger(step) && !isReached) add(path, 'No connection leads to this step');
    if (isTrigger(step) && isReached) add(path, 'A trigger begins a run: no connection leads to it');
    const before = stepsBefore(flow, step.id);
    const isScheduled = flow.steps.some(({ id, action }) => action.name === 'schedule.due' && before.has(id));
    const needsTicket = step.action.inputs.some(({ key }) => key === 'ticketId');
    if (isScheduled && needsTicket && isEmpty(step.inputs['ticketId']))
      add(`${path}.inputs.ticketId`, NO_TICKET);
    for (const [key, value] of Object.entries(step.inputs)) {
      const wrong = (message: string) => add(`${path}.inputs.${key}`, message);
      // Exactly the id of a step is an output of it.
      const named = textsIn(value).filter((text) => place.has(text));
      const references = referencesOf(value);
      const isPost = key === 'content' && step.action.app === 'chat';
      if (isPost && (named.length > 0 || !references.every(isSaidInChat)))
        wrong('A post in chat names a ticket by its code: others may read it there');
      for (const id of named) if (!before.has(id)) wrong(`The step "${id}" does not come before this one`);
      if (isScheduled && references.some(({ of }) => of === 'ticket')) wrong(NO_TICKET);
      for (const reference of references) checkReference(reference, flow.steps, before, wrong);
    }
  }
  for (const { id, sourceId, criteria } of flow.connections) {
    if (criteria === null || !('filterGroups' in criteria)) continue;
    const before = new Set([...stepsBefore(flow, sourceId), sourceId]);
    const index = content.connections.findIndex((each) => each.id === id);
    for (const reference of fieldsOf(criteria.filterGroups))
      checkReference(reference, flow.steps, before, (message) =>
        add(`connections.${index}.criteria`, message),
      );
  }
  return problems;
}

/** Returns what is wrong with a trigger that asks for the old or the new value of a field. */
function changeProblemsOf({ fields, from, to }: FlowStep['inputs']): { key: string; message: string }[] {
  if (isEmpty(from) && isEmpty(to)) return [];
  const comparable: readonly string[] = COMPARED;
  const named = typeof fields === 'string' ? fields.split(',') : Array.isArray(fields) ? fields : [];
  if (named.length === 0) return [{ key: 'fields', message: 'Name the field that has these values' }];
  return named
    .map((each) => String(each).trim())
    .filter((each) => !comparable.includes(each))
    .map((each) => ({
      key: 'fields',
      message: `The old and the new value of "${each}" cannot be asked for`,
    }));
}

/** Returns what is wrong with the filter of a list; one with references is read when the step is done. */
function filterProblems(filter: unknown): string[] {
  if (isEmpty(filter) || referencesOf(filter).length > 0) return [];
  const read = Filter.safeParse(filter);
  if (!read.success) return ['Expected parameters of the ticket list with their values'];
  try {
    parseListQuery(read.data, 'filter');
    return [];
  } catch (error) {
    if (error instanceof ServiceProblem) return (error.issues ?? []).map(({ message }) => message);
    throw error;
  }
}

/** Returns whether a post in chat may contain a ticket's value: people who cannot read the ticket may read the post. */
function isSaidInChat({ of, field }: Reference): boolean {
  return of === 'ticket' && ['code', 'number', 'priority', 'queue', 'status'].includes(field);
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** Returns what a value refers to by `{{…}}`. */
function referencesOf(value: unknown): Reference[] {
  return textsIn(value).flatMap(referencesIn);
}

/** Returns the texts of a value, of its items and of its fields. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function fieldsOf(groups: FilterGroups): Reference[] {
  return groups.flat().map(({ field }) => {
    const dot = field.indexOf('.');
    if (dot === -1 || field.startsWith('customFields.')) return { of: 'ticket', field };
    return { of: field.slice(0, dot), field: field.slice(dot + 1) };
  });
}

function checkReference(
  { of, field }: Reference,
  steps: readonly FlowStep[],
  before: ReadonlySet<string>,
  wrong: (message: string) => void,
): void {
  if (of === 'ticket') {
    if (!TICKET_FIELDS.has(field) && !field.startsWith('customFields.'))
      wrong(`A ticket has no field "${field}"`);
    return;
  }
  const step = steps.find(({ id }) => id === of);
  if (!step) wrong(`There is no step "${of}"`);
  else if (!before.has(of)) wrong(`The step "${of}" does not come before this one`);
  else if (!step.action.outputs.some(({ key }) => key === field))
    wrong(`The step "${of}" has no output "${field}"`);
}

/** Returns the steps from which connections lead to a step, directly or through others. */
function stepsBefore({ connections }: Flow, id: string): Set<string> {
  const before = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const { sourceId, targetId } of connections)
      if (targetId === at && !before.has(sourceId)) {
        before.add(sourceId);
        open.push(sourceId);
      }
  return before;
}

function stepsOnCycles(flow: Flow): string[] {
  return flow.steps.map(({ id }) => id).filter((id) => stepsBefore(flow, id).has(id));
}
