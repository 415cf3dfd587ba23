import { z } from 'zod';

import type { MessageAuthor } from './authors.ts';
import { type Flow, isTrigger } from '../workflow-config/flow.ts';
import {
  TIME_TRIGGERS,
  type TimeTrigger,
  TRIGGER_EVENTS,
  type TriggerEvent,
} from '../workflow-config/kinds.ts';

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
  /** Of a message: who wrote it. Of a change: the old value of one of the fields, or several of which it was one. */
  from: texts,
  /** Of a change: the new value. */
  to: texts,
  decision: text,
  ownChanges: z.union([z.boolean(), z.string()]).nullish(),
});

type Inputs = Readonly<Record<string, unknown>>;

/** An event, as triggers see it. */
export interface Occurrence {
  events: readonly (TriggerEvent | 'ticket.run')[];
  fields: readonly string[];
  /** The old and the new value of a field that changed. */
  values?: Readonly<Record<string, readonly [from: string | null, to: string | null]>>;
  /** The message of the event. */
  from: MessageAuthor | undefined;
  ticket: Readonly<Record<string, unknown>>;
}

/** Returns whether an occurrence starts the workflow of a trigger. */
export function isTriggered(
  { name, inputs }: { name: string; inputs: Inputs },
  { events, fields, values = {}, from, ticket }: Occurrence,
): boolean {
  if (!events.some((event) => event === name)) return false;
  const read = TriggerInputs.safeParse(inputs);
  if (!read.success) return false;
  const wanted = read.data;
  if (name === 'message.created' && wanted.from && wanted.from !== from) return false;
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
  const [named, old, now] = [listOf(wanted.fields), listOf(wanted.from), listOf(wanted.to)];
  const isWanted = (field: string) =>
    fields.includes(field) && isOneOf(old, values[field]?.[0]) && isOneOf(now, values[field]?.[1]);
  return named.length === 0 ? old.length + now.length === 0 : named.some(isWanted);
}

/** A value that a field had, or got, which is none. */
const NO_VALUE = 'none';

function isOneOf(wanted: readonly string[], value: string | null | undefined): boolean {
  return wanted.length === 0 || (value !== undefined && wanted.includes(value ?? NO_VALUE));
}

/** Returns several texts: of an array, or with commas between them. */
export function listOf(given: string | readonly string[] | null | undefined): string[] {
  const listed = typeof given === 'string' ? given.split(',') : (given ?? []);
  return listed.map((each) => each.trim()).filter((each) => each !== '');
}

/** Returns whether a trigger also starts on what runs of its own workflow led to. */
export function startsOnOwnChanges(inputs: Inputs): boolean {
  return inputs['ownChanges'] === true || inputs['ownChanges'] === 'true';
}

/** A trigger that waits for changes, or for a time. */
export interface StoredTrigger {
  stepId: string;
  event: TriggerEvent | TimeTrigger;
  inputs: Inputs;
}

/** Returns the triggers of a workflow as they are stored: those for runs by hand are not. */
export function storedTriggers({ steps }: Flow): StoredTrigger[] {
  return steps.filter(isTrigger).flatMap(({ id: stepId, action: { name }, inputs }) => {
    const event = [...TRIGGER_EVENTS, ...TIME_TRIGGERS].find((each) => each === name);
    return event ? [{ stepId, event, inputs }] : [];
  });
}
