import { z } from 'zod';

import type { MessageAuthor } from './authors.ts';
import { type Flow, isTrigger } from '../workflow-config/flow.ts';
import { TRIGGER_EVENTS, type TriggerEvent } from '../workflow-config/kinds.ts';

const text = z.string().nullish();
const texts = z.union([z.string(), z.array(z.string())]).nullish();

/** The inputs of triggers; each that is named must fit. */
const TriggerInputs = z.object({
  queueId: text,
  requestTypeId: text,
  statusId: text,
  priority: text,
  statusGroup: text,
  /** Fields of which one must have changed. */
  fields: texts,
  from: text,
  decision: text,
  ownChanges: z.union([z.boolean(), z.string()]).nullish(),
});

type Inputs = Readonly<Record<string, unknown>>;

/** What happened, as a trigger looks at it. */
export interface Occurrence {
  events: readonly (TriggerEvent | 'ticket.run')[];
  fields: readonly string[];
  /** Of a message. */
  from: MessageAuthor | undefined;
  ticket: Readonly<Record<string, unknown>>;
}

/** Returns whether an occurrence starts the workflow of a trigger. */
export function isTriggered(
  { name, inputs }: { name: string; inputs: Inputs },
  { events, fields, from, ticket }: Occurrence,
): boolean {
  if (!events.some((event) => event === name)) return false;
  const read = TriggerInputs.safeParse(inputs);
  if (!read.success) return false;
  const wanted = read.data;
  if (wanted.from && wanted.from !== from) return false;
  for (const field of [
    'queueId',
    'requestTypeId',
    'priority',
    'statusId',
    'statusGroup',
    'decision',
  ] as const)
    if (wanted[field] && wanted[field] !== ticket[field]) return false;
  if (name !== 'ticket.updated') return true;
  // It got this value: another change, with it already there, is none of the workflow's business.
  if (wanted.priority && !fields.includes('priority')) return false;
  if ((wanted.statusId || wanted.statusGroup) && !fields.includes('statusId')) return false;
  const named = typeof wanted.fields === 'string' ? wanted.fields.split(',') : (wanted.fields ?? []);
  return named.length === 0 || named.some((field) => fields.includes(field.trim()));
}

/** Returns whether a trigger also starts on what runs of its own workflow led to. */
export function startsOnOwnChanges(inputs: Inputs): boolean {
  return inputs['ownChanges'] === true || inputs['ownChanges'] === 'true';
}

/** Returns the triggers of a workflow that wait for events, as they are stored. */
export function storedTriggers({ steps }: Flow): { stepId: string; event: TriggerEvent; inputs: Inputs }[] {
  return steps.filter(isTrigger).flatMap(({ id: stepId, action: { name }, inputs }) => {
    const event = TRIGGER_EVENTS.find((each) => each === name);
    return event ? [{ stepId, event, inputs }] : [];
  });
}
